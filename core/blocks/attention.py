"""Scaled dot-product attention: every query looks into all keys at once and takes home a blend of values.

This is the soft dictionary of the lecture (lesson 41) for many queries at a time. The cache holds every
stage on the way, so a picture of scores, masked scores and weights shows the very arrays that the backward
pass uses.
"""

import math
from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes, sum_to_shape
from core.blocks.softmax import SoftmaxCache, softmax, softmax_backward


class AttentionCache(NamedTuple):
    """The stages of one attention, in the order in which they were computed."""

    q: np.ndarray  # (..., n_q, d_k)
    k: np.ndarray  # (..., n_k, d_k)
    v: np.ndarray  # (..., n_k, d_v)
    scale: float
    softcap: float | None
    scores: np.ndarray  # (..., n_q, n_k)
    capped: np.ndarray  # scores once more, unless there is a softcap
    masked: np.ndarray  # -inf where a query may not look
    weights: np.ndarray  # rows sum to 1, or are 0


def scaled_dot_product_attention(q, k, v, mask=None, *, scale=None, softcap=None):
    """Blend the values by how well their keys match each query: ``softmax(q k^T / sqrt(d_k)) v``.

    Parameters
    ----------
    q : (..., n_q, d_k) array_like
        Queries. The leading axes are those of a batch and of the heads, such as (batch, n_heads).
    k : (..., n_k, d_k) array_like
        Keys.
    v : (..., n_k, d_v) array_like
        Values.
    mask : (n_q, n_k) or (..., n_q, n_k) array_like, optional
        Boolean: True = may look. Float: added to the scores. With leading axes it needs all of them, of
        length 1 where one mask serves them all: a mask of a batch without the heads' axis would be read as
        one of heads.
    scale : float, optional
        Factor on the dot products; ``1 / sqrt(d_k)`` where left out.
    softcap : float, optional
        Squash the scores into (-softcap, softcap) before the mask, as Gemma 2 does (2024, section 2).

    Returns
    -------
    out : (..., n_q, d_v) ndarray
        A query that may look at nothing, or finds no keys at all, gets zeros.
    cache : AttentionCache

    Raises
    ------
    ValueError
        If the shapes do not fit, or the mask is neither boolean nor float.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), equation 1.
    """
    q, k, v = as_float(q), as_float(k), as_float(v)
    check_operands(q, k, v)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    # 1 2  The scale goes to the queries: they are fewer numbers than the scores.
    scores = (q * scale) @ transposed(k, q.shape[-2])  # (..., n_q, d_k), (..., d_k, n_k) -> (..., n_q, n_k)
    capped = softcap * np.tanh(scores / softcap) if softcap else scores
    masked = apply_mask(capped, mask)  # 3
    weights, _ = softmax(masked)  # 4
    out = weights @ v  # 5  (..., n_q, n_k), (..., n_k, d_v) -> (..., n_q, d_v)
    return out, AttentionCache(q, k, v, scale, softcap, scores, capped, masked, weights)


def scaled_dot_product_attention_backward(dout, cache, dmasked=None, out=(None, None, None)):
    """Send a gradient back through `scaled_dot_product_attention`.

    Parameters
    ----------
    dout : (..., n_q, d_v) ndarray
        Gradient of the loss with respect to the output.
    cache : AttentionCache
    dmasked : (..., n_q, n_k) ndarray, optional
        What `masked_backward` gives, where the caller has it already.
    out : tuple of three ndarrays or None
        Where to write dq, dk and dv, if the caller wants them somewhere; only where q, k and v have the same
        leading axes.

    Returns
    -------
    dq : (..., n_q, d_k) ndarray
    dk : (..., n_k, d_k) ndarray
    dv : (..., n_k, d_v) ndarray
    """
    q, k, v = cache.q, cache.k, cache.v
    to_q, to_k, to_v = out
    dv = np.matmul(cache.weights.swapaxes(-1, -2), dout, out=to_v)  # 5
    dscores = masked_backward(dout, cache) if dmasked is None else dmasked  # 5 4 3
    if cache.softcap:
        dscores = dscores * (1 - (cache.capped / cache.softcap) ** 2)
    dq = np.matmul(dscores, k * cache.scale, out=to_q)  # 2 1  keys are mostly fewer numbers than scores
    dk = np.matmul(dscores.swapaxes(-1, -2), q * cache.scale, out=to_k)
    return sum_to_shape(dq, q.shape), sum_to_shape(dk, k.shape), sum_to_shape(dv, v.shape)


def masked_backward(dout, cache):  # (..., n_q, d_v) -> (..., n_q, n_k)
    """Send a gradient back to the masked scores: through the blend (5) and the softmax (4).

    A blocked pair (3) has weight 0 and so gets gradient 0 here, without looking at the mask again. The
    gradient of a float mask is this one, added up over the axes that the mask was stretched along
    (`sum_to_shape`).
    """
    dweights = dout @ transposed(cache.v, dout.shape[-2])  # 5
    return softmax_backward(dweights, SoftmaxCache(cache.weights))  # 4


def transposed(x, n_rows):  # (..., n, d) -> (..., d, n)
    """Turn rows into columns, for a product with `n_rows` rows.

    Products of many small matrices are far quicker on columns that are laid out anew; for a row or two that
    would not pay.
    """
    columns = x.swapaxes(-1, -2)
    return np.ascontiguousarray(columns) if n_rows > 4 else columns


def apply_mask(scores, mask):  # (..., n_q, n_k), (n_q, n_k) -> (..., n_q, n_k)
    """Take the forbidden scores out of the race: -inf under a boolean mask, or add a float mask.

    A boolean mask selects. Adding a large negative number instead would let a blocked key back in where all
    the others score lower still.

    Raises
    ------
    ValueError
        If the mask is neither boolean nor float, or does not fit the scores.
    """
    if mask is None:
        return scores
    mask = np.asarray(mask)
    fits = mask.ndim in (2, scores.ndim) and all(
        size in (1, wanted) for size, wanted in zip(mask.shape[::-1], scores.shape[::-1], strict=False)
    )
    check_shapes(fits, "mask must be (n_q, n_k) or have every axis of the scores", mask=mask, scores=scores)
    if mask.dtype == bool:
        return np.where(mask, scores, -np.inf)
    if mask.dtype.kind != "f":
        raise ValueError(f"mask must be boolean (True = may look) or float (added); got {mask.dtype}")
    return scores + mask.astype(scores.dtype, copy=False)


def check_operands(q, k, v):
    """Raise a ValueError unless queries, keys and values fit together."""
    fits = q.ndim == k.ndim == v.ndim >= 2
    check_shapes(fits, "q, k and v must have the same axes, two at least", q=q, k=k, v=v)
    check_shapes(q.shape[-1] == k.shape[-1] > 0, "q and k must be equally wide", q=q, k=k)
    check_shapes(k.shape[-2] == v.shape[-2], "every key needs its value", k=k, v=v)
    if not q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:
        leading = zip(q.shape[:-2], k.shape[:-2], v.shape[:-2], strict=True)
        fits = all(len({*sizes} - {1}) <= 1 for sizes in leading)
        check_shapes(fits, "the leading axes of q, k and v must be equal, or 1", q=q, k=k, v=v)
