"""Attention in blocks: the outputs of plain attention without ever holding n x n scores (lecture: the price).

The time still grows with n x n, because every query meets every key; only the memory stops growing. Forward
only: it is here to be measured.
"""

import math
from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes
from core.blocks.attention import apply_mask, check_operands
from core.blocks.masks import causal_mask


class RunningSoftmax(NamedTuple):
    """What a block of queries remembers of the keys seen so far, however many those were."""

    peak: np.ndarray  # (..., n_q, 1) largest score so far, -inf before the first
    total: np.ndarray  # (..., n_q, 1) sum of exp(score - peak)
    blend: np.ndarray  # (..., n_q, d_v) sum of exp(score - peak) * value


def start_softmax(shape, dtype):  # (..., n_q, d_v)
    """Return the state of queries that have seen no key yet."""
    row = (*shape[:-1], 1)
    return RunningSoftmax(np.full(row, -np.inf, dtype), np.zeros(row, dtype), np.zeros(shape, dtype))


def absorb(seen, masked, v):  # RunningSoftmax, (..., n_q, n_k), (..., n_k, d_v) -> RunningSoftmax
    """Let the queries see some more keys.

    Whatever was summed relative to the old peak is worth ``exp(old - new)`` times as much relative to the new
    one. The peak has no floor but the lowest finite number, which no finite score can lie below; it keeps
    -inf - -inf from happening where nothing was allowed yet.

    References
    ----------
    Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018), algorithm 3.
    """
    peak = np.maximum(seen.peak, masked.max(axis=-1, keepdims=True))  # 1
    finite = np.maximum(peak, np.finfo(peak.dtype).min)
    with np.errstate(over="ignore"):  # a distance beyond the largest float is -inf, and that is right
        fade = np.exp(seen.peak - finite)  # 2  1 where the peak stayed, 0 at the first key
        weights = masked - finite
    np.exp(weights, out=weights)  # 3  not divided yet
    total = fade * seen.total + weights.sum(axis=-1, keepdims=True)  # 4
    blend = fade * seen.blend + weights @ v  # 5  (..., n_q, n_k), (..., n_k, d_v) -> (..., n_q, d_v)
    return RunningSoftmax(peak, total, blend)


def blocked_attention(q, k, v, mask=None, *, causal=False, block=256, scale=None):
    """Compute `scaled_dot_product_attention` from blocks of `block` queries and `block` keys.

    Parameters
    ----------
    q : (..., n_q, d_k) array_like
        Queries.
    k : (..., n_k, d_k) array_like
        Keys.
    v : (..., n_k, d_v) array_like
        Values.
    mask : (n_q, n_k) or (..., n_q, n_k) array_like, optional
        As in `scaled_dot_product_attention`.
    causal : bool, default False
        Let each query look at its own place and before, as under `causal_mask`, which is never made in full:
        blocks that lie wholly in the future are skipped.
    block : int, default 256
        Queries, and keys, in a block. Working memory grows with its square.
    scale : float, optional
        Factor on the dot products; ``1 / sqrt(d_k)`` where left out.

    Returns
    -------
    out : (..., n_q, d_v) ndarray
        A query that may look at nothing, or finds no keys at all, gets zeros.
    n_blocks : int
        Number of blocks of scores that were computed.

    Raises
    ------
    ValueError
        If the shapes do not fit, the mask is neither boolean nor float, or `block` is less than 1.

    References
    ----------
    Rabe and Staats, "Self-attention Does Not Need O(n^2) Memory" (2021); Dao et al., "FlashAttention" (2022),
    algorithm 1, whose two loops stand here the other way round.
    """
    q, k, v = as_float(q), as_float(k), as_float(v)
    check_operands(q, k, v)
    mask = _check_options(q, k, mask, block)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    leading = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    out = np.empty((*leading, q.shape[-2], v.shape[-1]), np.result_type(q, k, v))
    n_blocks = 0
    for rows in _pieces(q.shape[-2], block):
        q_rows = q[..., rows, :] * scale  # 1  (..., block, d_k)
        seen = start_softmax(out[..., rows, :].shape, out.dtype)
        n_visible = min(rows.stop, k.shape[-2]) if causal else k.shape[-2]
        for columns in _pieces(n_visible, block):
            scores = q_rows @ k[..., columns, :].swapaxes(-1, -2)  # 2  (..., block, block)
            masked = _mask_piece(scores, mask, causal, rows, columns)  # 3
            seen = absorb(seen, masked, v[..., columns, :])  # 4
            n_blocks += 1
        # The key at the peak has added exp(0) = 1, so only a sum of 0, of no key at all, is lifted.
        out[..., rows, :] = seen.blend / np.maximum(seen.total, 1)  # 5
    return out, n_blocks


def _pieces(n, block):
    """Cut 0 ... n - 1 into slices of `block`; the last one may be shorter."""
    return (slice(start, min(start + block, n)) for start in range(0, n, block))


def _mask_piece(scores, mask, causal, rows, columns):
    """Apply what the masks say about these rows and columns; an axis of length 1 serves every place."""
    if mask is not None:
        piece = mask[..., rows if mask.shape[-2] > 1 else slice(None), :]
        scores = apply_mask(scores, piece[..., columns if mask.shape[-1] > 1 else slice(None)])
    if causal and columns.stop - 1 > rows.start:  # the diagonal goes through this block
        offset = rows.start - columns.start
        scores = apply_mask(scores, causal_mask(*scores.shape[-2:], offset))
    return scores


def _check_options(q, k, mask, block):
    """Raise a ValueError unless the mask fits as a whole, before it is cut, and `block` holds something."""
    if block < 1:
        raise ValueError(f"block must be 1 at least; got {block}")
    if mask is None:
        return None
    mask = np.asarray(mask)
    fits = mask.ndim in (2, q.ndim) and all(
        size in (1, wanted) for size, wanted in zip(mask.shape[-2:], (q.shape[-2], k.shape[-2]), strict=True)
    )
    check_shapes(fits, "mask must be (n_q, n_k) or have every axis of the scores", mask=mask, q=q, k=k)
    return mask
