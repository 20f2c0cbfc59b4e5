"""Page 5: what blocks, skipping the future, and the key/value cache save, by count and as measured."""

from typing import NamedTuple

import numpy as np

from core.blocks.blocked_attention import blocked_attention
from core.blocks.kv_cache import causal_attention_step, empty_cache, step_operations
from core.blocks.masks import causal_mask
from core.blocks.multi_head import self_attention
from core.costs import attention_cost
from core.costs_saved import LONG, D, projections
from core.experiments.bias_and_cost import Measured


def columns(records, kind, names):  # -> one (n_records,) array a name
    """Take some entries of all records of one kind, in the order in which they came."""
    rows = [[record[name] for name in names] for record in records if record.get("kind") == kind]
    return np.array(rows, float).reshape(-1, len(names)).T


def blocked_by_length(records, block):  # -> Measured
    """Sort out what was measured of attention in blocks of this size."""
    n, size, *measured = columns(records, "blocked", ("n", "block", "seconds", "bytes"))
    return Measured(*(values[size == block] for values in (n, *measured)))


def largest_difference(records):  # -> float or None
    """Return the largest difference between the outputs of blocked and plain attention found so far."""
    return max((r["difference"] for r in records if "difference" in r), default=None)


class Long(NamedTuple):
    """The longest input: tokens, time, and the memory beside what came out."""

    n: int
    seconds: float
    extra: int


def longest(records):  # -> Long or None
    """Find the input for which plain attention was not even tried; its output is n x d numbers of 4 bytes."""
    for r in records:
        if r.get("kind") == "blocked" and r["n"] == LONG:
            return Long(r["n"], r["seconds"], r["bytes"] - 4 * r["n"] * D)
    return None


def at(measured, n):  # Measured -> Measured of one length
    """Look up one length."""
    return Measured(*(values[measured.n == n][0] for values in measured))


def from_length(measured, n_from):  # Measured -> Measured
    """Keep the lengths of `n_from` or more."""
    return Measured(*(values[measured.n >= n_from] for values in measured))


def time_share(part, whole):  # Measured, Measured -> (n, share) or None
    """Return the share of time that `part` takes of `whole` at the longest length measured of both."""
    both = np.intersect1d(part.n, whole.n)
    if both.size == 0:
        return None
    n = int(both[-1])
    return n, float(at(part, n).seconds / at(whole, n).seconds)


def stored_bytes(sizes, number=4):  # (n_sizes,) -> (n_sizes,)
    """Return the size of scores and weights, the two n x n arrays that plain attention holds at a time."""
    return 2 * np.asarray(sizes, float) ** 2 * number


# --- skipping ---------------------------------------------------------------------------------


def tiles(n, block):  # -> (n / block, n / block)
    """Return the share of allowed pairs in each block under the causal mask; 0: the block is skipped."""
    count = n // block
    return np.tri(count, k=-1) + np.eye(count) * (block + 1) / (2 * block)  # the diagonal goes through some


def counted_share(n, block):
    """Return the share of blocks that are left: (m + 1) / (2 m) of m x m, diagonal and below."""
    count = -(-n // block)
    return (count + 1) / (2 * count)


def count_blocks(n, block):
    """Let attention itself count the blocks of scores that it computes: (causal, all)."""
    x = np.zeros((n, 1), np.float32)
    return tuple(blocked_attention(x, x, x, causal=causal, block=block)[1] for causal in (True, False))


class Skipped(NamedTuple):
    """What is left of the blocks and of the time, by size of the block; all arrays are (n_blocks,)."""

    block: np.ndarray
    counted: np.ndarray
    measured: np.ndarray


def skipped(records):
    """Sort out what was measured of skipping the future."""
    names = ("block", "causal_blocks", "full_blocks", "causal_seconds", "full_seconds")
    block, some, every, quick, whole = columns(records, "skipping", names)
    return Skipped(block, some / every, quick / whole)


# --- one more token ---------------------------------------------------------------------------


class Steps(NamedTuple):
    """Seconds of token number t, all again and with the cache; all arrays are (n_places,)."""

    t: np.ndarray
    again: np.ndarray
    cached: np.ndarray


def steps(records):
    """Sort out what was measured of one more token."""
    return Steps(*columns(records, "token", Steps._fields))


def saved(measured, t):  # Steps -> float or None
    """Return how many times as long all again takes as the step with the cache, once t has been measured."""
    ratio = (measured.again / measured.cached)[measured.t == t]
    return float(ratio[0]) if ratio.size else None


class StepBill(NamedTuple):
    """Operations of token number t, and the bytes that the cache holds then."""

    again: int
    cached: int
    bytes: int


def step_bill(t, d, number=4):
    """Count what token number t costs; a number takes `number` bytes in the cache of keys and values."""
    return StepBill(
        attention_cost(t, d, projections=True).operations, step_operations(t, d), 2 * t * d * number
    )


def cache_difference(n, d=16, seed=0):
    """Return the largest difference between a text computed whole and written token by token (float32)."""
    rng = np.random.default_rng(seed)
    params, x = projections(rng, d), rng.standard_normal((n, d), dtype=np.float32)
    whole, _ = self_attention(x, params, 1, causal_mask(n))
    cache, outs = empty_cache(params, 1), []
    for token in x[:, None]:  # (1, d)
        out, cache = causal_attention_step(token, params, 1, cache)
        outs.append(out)
    return float(np.abs(np.concatenate(outs) - whole).max())
