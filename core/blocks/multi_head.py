"""Multi-head attention: several soft lookups side by side, each with its own idea of what a match is.

Queries, keys and values are made from the words by matrices. All from the same words this is self-attention
(lesson 41); with keys and values from other words it is cross-attention.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import check_shapes
from core.blocks.attention import (
    AttentionCache,
    scaled_dot_product_attention,
    scaled_dot_product_attention_backward,
)
from core.blocks.heads import merge_heads, split_heads
from core.blocks.linear import LinearCache, linear, linear_backward
from core.blocks.rows import RowsCache, pick_rows, pick_rows_backward


class AttentionParams(NamedTuple):
    """The four projections, applied as ``x @ w + b``; a bias may be None. Gradients come in the same form."""

    w_q: np.ndarray  # (d_model, n_heads * d_k)
    b_q: np.ndarray | None
    w_k: np.ndarray  # (d_model, n_heads * d_k)
    b_k: np.ndarray | None
    w_v: np.ndarray  # (d_model, n_heads * d_v)
    b_v: np.ndarray | None
    w_o: np.ndarray  # (n_heads * d_v, d_model)
    b_o: np.ndarray | None


class MultiHeadCache(NamedTuple):
    """The parts that ran: three projections, the attention of all heads, the projection back.

    In self-attention for some rows only, `picked` tells which.
    """

    project_q: LinearCache
    project_k: LinearCache
    project_v: LinearCache
    attention: AttentionCache
    project_o: LinearCache
    picked: RowsCache | None = None


def multi_head_attention(x_q, x_k, x_v, params, n_heads, mask=None, *, scale=True):
    """Attend with several heads, and mix what they bring home: ``merge(attention(split(x w))) w_o``.

    Parameters
    ----------
    x_q : (..., n_q, d_model) array_like
        The words that ask.
    x_k, x_v : (..., n_k, d_model) array_like
        The words that are looked at; keys are made from the first, values from the second.
    params : AttentionParams
    n_heads : int
        Number of heads. Each is ``w_q.shape[1] / n_heads`` wide.
    mask : (n_q, n_k) or (..., n_heads or 1, n_q, n_k) array_like, optional
        As in `scaled_dot_product_attention`.
    scale : bool, default True
        Whether to divide the scores by the root of the width of a head.

    Returns
    -------
    out : (..., n_q, d_model) ndarray
    cache : MultiHeadCache
        ``cache.attention`` holds the queries, scores and weights of all heads.

    Raises
    ------
    ValueError
        If shapes do not fit or the widths are no multiples of `n_heads`.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2.
    """
    w_q, b_q, w_k, b_k, w_v, b_v, w_o, b_o = params
    q, project_q = linear(x_q, w_q, b_q)  # 1  (..., n_q, n_heads * d_k)
    k, project_k = linear(x_k, w_k, b_k)
    v, project_v = linear(x_v, w_v, b_v)
    heads = (split_heads(x, n_heads) for x in (q, k, v))  # 2  (..., n_heads, n, d)
    blend, attention = scaled_dot_product_attention(*heads, mask, scale=None if scale else 1.0)  # 3
    out, project_o = linear(merge_heads(blend), w_o, b_o)  # 5 4  (..., n_q, d_model)
    return out, MultiHeadCache(project_q, project_k, project_v, attention, project_o)


def multi_head_attention_backward(dout, cache):
    """Send a gradient back through `multi_head_attention`.

    Parameters
    ----------
    dout : (..., n_q, d_model) ndarray
        Gradient of the loss with respect to the output.
    cache : MultiHeadCache

    Returns
    -------
    dx_q : (..., n_q, d_model) ndarray
    dx_k, dx_v : (..., n_k, d_model) ndarray
        In self-attention the gradient of the words is the sum of the three.
    dparams : AttentionParams
    """
    dmerged, dw_o, db_o = linear_backward(dout, cache.project_o)  # 5
    n_heads = cache.attention.q.shape[-3]
    dblend = split_heads(dmerged, n_heads)  # 4
    dheads = scaled_dot_product_attention_backward(dblend, cache.attention)  # 3
    dq, dk, dv = (merge_heads(dhead) for dhead in dheads)  # 2
    dx_q, dw_q, db_q = linear_backward(dq, cache.project_q)  # 1
    dx_k, dw_k, db_k = linear_backward(dk, cache.project_k)
    dx_v, dw_v, db_v = linear_backward(dv, cache.project_v)
    return dx_q, dx_k, dx_v, AttentionParams(dw_q, db_q, dw_k, db_k, dw_v, db_v, dw_o, db_o)


def self_attention(x, params, n_heads, mask=None, *, scale=True, rows=None):
    # (..., n, d_model) -> (..., n or m, d_model)
    """Let the words of one sentence look at each other: queries, keys and values are all made from `x`.

    Parameters and results are those of `multi_head_attention`; `rows` (..., m) are the places of the words
    that ask, all of them where it is left out. A mask is that of all words.
    """
    if rows is None:
        return multi_head_attention(x, x, x, params, n_heads, mask, scale=scale)
    asking, picked = pick_rows(x, rows)  # (..., m, d_model)
    if mask is not None:  # (n, n) -> (..., 1, m, n), the axis before the last two is the heads'
        mask = np.asarray(mask)
        check_shapes(mask.ndim == 2, "with rows, the mask must be that of one sentence (n, n)", mask=mask)
        mask = mask[np.asarray(rows)][..., None, :, :]
    out, cache = multi_head_attention(asking, x, x, params, n_heads, mask, scale=scale)
    return out, cache._replace(picked=picked)


def self_attention_backward(dout, cache):  # (..., n or m, d_model) -> (..., n, d_model), AttentionParams
    """Send a gradient back through `self_attention`: each word is reached in three roles, which add up."""
    dx_q, dx_k, dx_v, dparams = multi_head_attention_backward(dout, cache)
    if cache.picked is not None:
        dx_q = pick_rows_backward(dx_q, cache.picked)
    return dx_q + dx_k + dx_v, dparams
