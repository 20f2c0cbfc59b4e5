"""Multi-head attention: several soft lookups side by side, each with its own idea of what a match is.

Queries, keys and values are made from the words by matrices. All from the same words this is self-attention
(lesson 41); with keys and values from other words it is cross-attention.
"""

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from core.blocks.arrays import check_shapes
from core.blocks.attention import (
    AttentionCache,
    masked_backward,
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
    """The parts that ran: projections, the attention of all heads, the projection back.

    In self-attention for some rows only, `picked` tells which.
    """

    projections: tuple[LinearCache, ...]  # one for each different source of queries, keys and values
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
    w_q, b_q, w_k, b_k, w_v, b_v, *back = params
    q, from_q = linear(x_q, w_q, b_q)  # 1
    k, from_k = linear(x_k, w_k, b_k)
    v, from_v = linear(x_v, w_v, b_v)
    return attend((q, k, v), back, n_heads, mask, scale, (from_q, from_k, from_v))  # 2 3 4 5


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
    dq, dk, dv, dback, _ = attend_backward(dout, cache)  # 5 4 3
    from_q, from_k, from_v = cache.projections
    dx_q, *dw_q = linear_backward(merge_heads(dq), from_q)  # 2 1
    dx_k, *dw_k = linear_backward(merge_heads(dk), from_k)
    dx_v, *dw_v = linear_backward(merge_heads(dv), from_v)
    return dx_q, dx_k, dx_v, AttentionParams(*dw_q, *dw_k, *dw_v, *dback)


def self_attention(x, params, n_heads, mask=None, *, scale=True, rows=None):
    # (..., n, d_model) -> (..., n or m, d_model)
    """Let the words of one sentence look at each other: queries, keys and values are all made from `x`.

    Parameters and results are those of `multi_head_attention`; `rows` (..., m) are the places of the words
    that ask, all of them where it is left out. A mask is that of all words.
    """
    w_q, b_q, w_k, b_k, w_v, b_v, *back = params
    if rows is None:
        qkv, source = project(x, (w_q, b_q), (w_k, b_k), (w_v, b_v))  # 1
        return attend(qkv, back, n_heads, mask, scale, (source,))  # 2 3 4 5
    asking, picked = pick_rows(x, rows)  # (..., m, d_model)
    if mask is not None:  # (n, n) -> (..., 1, m, n), the axis before the last two is the heads'
        mask = np.asarray(mask)
        check_shapes(mask.ndim == 2, "with rows, the mask must be that of one sentence (n, n)", mask=mask)
        mask = mask[np.asarray(rows)][..., None, :, :]
    q, from_some = linear(asking, w_q, b_q)  # 1
    kv, from_all = project(x, (w_k, b_k), (w_v, b_v))
    out, cache = attend((q, *kv), back, n_heads, mask, scale, (from_some, from_all))  # 2 3 4 5
    return out, cache._replace(picked=picked)


def self_attention_backward(dout, cache, with_mask=False):
    # (..., n or m, d_model) -> (..., n, d_model), AttentionParams
    """Send a gradient back through `self_attention`: each word is reached in three roles, which add up.

    With `with_mask` the gradient of a float mask follows, (..., n_heads, n or m, n): what is added to the
    scores may be learned too.
    """
    *from_some, from_all = cache.projections  # with rows, the queries have one of their own
    n_own, n_heads = len(from_some), cache.attention.q.shape[-3]
    widths = [n_heads * x.shape[-1] for x in (cache.attention.q, cache.attention.k, cache.attention.v)]
    # 2  The heads write their gradients side by side, where the projections want them: no copy is needed.
    kind = np.result_type(dout, cache.attention.weights)
    dmade = [np.empty((*x.shape[:-1], w.shape[1]), kind) for x, w, _ in cache.projections]
    dqkv = [split_heads(part, n_heads) for part in (*dmade[:-1], *cut(widths[n_own:], dmade[-1]))]
    *_, dback, dmask = attend_backward(dout, cache, dqkv)  # 5 4 3
    dx, *dparams = project_backward(dmade[-1], widths[n_own:], from_all)  # 1
    if cache.picked is not None:
        dasking, *dw_q = linear_backward(dmade[0], *from_some)
        dx += pick_rows_backward(dasking, cache.picked)
        dparams = [*dw_q, *dparams]
    return dx, AttentionParams(*dparams, *dback), *((dmask,) if with_mask else ())


# --- the two halves of both: words to heads, heads to words ---


def project(x, *layers):  # (..., n, d_model) -> list of (..., n, d_i)
    """Apply several linear layers to the same words: one large product is quicker than several small ones.

    Parameters
    ----------
    x : (..., n, d_model) array_like
    *layers : (w, b) pairs
        As in `linear`.

    Returns
    -------
    outs : list of (..., n, d_i) ndarray
        One for each layer.
    cache : LinearCache
        Of all layers as one.
    """
    shifts = [np.zeros(w.shape[1], w.dtype) if b is None else b for w, b in layers]
    b = None if all(b is None for _, b in layers) else np.concatenate(shifts)
    out, cache = linear(x, np.hstack([w for w, _ in layers]), b)
    return cut([w.shape[1] for w, _ in layers], out), cache


def project_backward(dout, widths, cache):  # (..., n, sum of d_i) -> (..., n, d_model), dw, db, dw, db, ...
    """Send a gradient back through `project`: that of all layers side by side, each of its own width."""
    dx, dw, db = linear_backward(dout, cache)
    dws, dbs = cut(widths, dw), [None] * len(widths) if db is None else cut(widths, db)
    return dx, *(part for pair in zip(dws, dbs, strict=True) for part in pair)


def cut(widths, x):  # (..., sum of widths) -> list of (..., width)
    """Cut the columns of `x` into parts of these widths, without copying them."""
    ends = list(accumulate(widths))
    return [x[..., end - width : end] for width, end in zip(widths, ends, strict=True)]


def attend(qkv, back, n_heads, mask, scale, projections):
    """Let all heads attend, and project what they bring home."""
    heads = (split_heads(x, n_heads) for x in qkv)  # 2  (..., n_heads, n, d)
    blend, attention = scaled_dot_product_attention(*heads, mask, scale=None if scale else 1.0)  # 3
    out, project_o = linear(merge_heads(blend), *back)  # 5 4  (..., n_q, d_model)
    return out, MultiHeadCache(projections, attention, project_o)


def attend_backward(dout, cache, out=(None, None, None)):
    """Send a gradient back through `attend`: dq, dk, dv, (dw_o, db_o), and the masked scores'."""
    dmerged, *dback = linear_backward(dout, cache.project_o)  # 5
    dblend = split_heads(dmerged, cache.attention.q.shape[-3])  # 4
    dmasked = masked_backward(dblend, cache.attention)  # 3
    return *scaled_dot_product_attention_backward(dblend, cache.attention, dmasked, out), dback, dmasked
