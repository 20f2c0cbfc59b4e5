"""Times what blocks, skipping and the key/value cache save on this machine (lecture: the price).

Each function yields records, small inputs first; `core.costs_measured` runs them all. The parts measured are
the very blocks of this project, one head of float32, without a batch.
"""

import math

import numpy as np

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.blocked_attention import blocked_attention
from core.blocks.kv_cache import append, causal_attention_step, empty_cache
from core.blocks.masks import causal_mask
from core.blocks.multi_head import AttentionParams, self_attention
from core.timing import best_seconds, clock, peak_bytes

D = 64  # width of a token
BLOCKS = (128, 256, 1024)  # queries, and keys, in a block
BLOCKED_SIZES = (256, 512, 1024, 2048, 4096)  # tokens
COMPARED = 1024  # tokens up to which the outputs are compared with those of plain attention
LONG, LONG_BLOCK = 16_384, 256
SKIPPED_SIZE, SKIPPED_BLOCKS = 2048, (128, 256, 512, 1024)
PLACES = (64, 128, 256, 512, 1024, 2048)  # of the token that is one more


def normal(rng, *shape):
    """Draw standard normal numbers of float32."""
    return rng.standard_normal(shape, dtype=np.float32)


def in_blocks(sizes=BLOCKED_SIZES, blocks=BLOCKS, d=D):
    """Yield time, memory and the largest difference from plain attention, for every size and block."""
    rng = np.random.default_rng(0)
    for n in sizes:
        q, k, v = normal(rng, 3, n, d)
        plain = scaled_dot_product_attention(q, k, v)[0] if n <= COMPARED else None
        for block in blocks:
            peak = peak_bytes(lambda: blocked_attention(q, k, v, block=block))  # noqa: B023
            seconds = best_seconds(lambda: blocked_attention(q, k, v, block=block))  # noqa: B023
            record = {"kind": "blocked", "n": n, "block": block, "seconds": seconds, "bytes": peak}
            if plain is not None:
                out, _ = blocked_attention(q, k, v, block=block)
                record["difference"] = float(np.abs(out - plain).max())
            yield record


def long_input(n=LONG, block=LONG_BLOCK, d=D):
    """Yield one record for an input whose n x n scores would fill the memory; one run tells time and peak."""
    q, k, v = normal(np.random.default_rng(0), 3, n, d)
    start = clock()
    peak = peak_bytes(lambda: blocked_attention(q, k, v, block=block))
    yield {"kind": "blocked", "n": n, "block": block, "seconds": clock() - start, "bytes": peak}


def skipping(n=SKIPPED_SIZE, blocks=SKIPPED_BLOCKS, d=D, rounds=2):
    """Yield the blocks and the time of attention that skips the future, and of attention to everything.

    The two take turns, so that a busy moment of the machine does not hit one of them alone.
    """
    q, k, v = normal(np.random.default_rng(0), 3, n, d)
    for block in blocks:
        record = {"kind": "skipping", "n": n, "block": block}
        for _ in range(rounds):
            for name, causal in (("causal", True), ("full", False)):
                start = clock()
                _, n_blocks = blocked_attention(q, k, v, causal=causal, block=block)
                seconds = min(clock() - start, record.get(f"{name}_seconds", math.inf))
                record |= {f"{name}_blocks": n_blocks, f"{name}_seconds": seconds}
        yield record


def projections(rng, d):
    """Make four random projections without shifts."""
    w_q, w_k, w_v, w_o = normal(rng, 4, d, d) / np.float32(d**0.5)
    return AttentionParams(w_q, None, w_k, None, w_v, None, w_o, None)


def one_more_token(places=PLACES, d=D):
    """Yield what token number t costs: the whole layer again, and one step with the cache."""
    rng = np.random.default_rng(0)
    params = projections(rng, d)
    for t in places:
        x, mask = normal(rng, t, d), causal_mask(t)
        again = best_seconds(lambda: self_attention(x, params, 1, mask), fewest=2)  # noqa: B023
        yield {"kind": "token", "t": t, "again": again, "cached": step_seconds(t, params, rng)}


def step_seconds(t, params, rng, bundle=4, n_bundles=12):
    """Return the time of one step: steps follow each other, the first as token number t.

    The clock is read once for a bundle of steps, for reading it takes a while too.
    """
    d, n_steps = len(params.w_q), bundle * n_bundles
    k, v = normal(rng, 2, 1, t - 1, d)  # of the tokens before: their values do not change the time
    cache = append(empty_cache(params, 1, capacity=t - 1 + n_steps), k, v)
    runs = []
    for xs in normal(rng, n_bundles, bundle, 1, d):
        start = clock()
        for x in xs:
            _, cache = causal_attention_step(x, params, 1, cache)
        runs.append((clock() - start) / bundle)
    return min(runs)
