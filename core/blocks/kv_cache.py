"""The key/value cache: causal attention one token at a time, without the past anew (lecture: the price).

A new token asks the keys of all the tokens before it, and those have not changed since: they are kept.
Forward only, as a model writes its answer.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes
from core.blocks.attention import scaled_dot_product_attention
from core.blocks.heads import merge_heads, split_heads
from core.blocks.linear import linear
from core.blocks.masks import causal_mask


class KeyValueCache(NamedTuple):
    """Keys and values of the tokens so far, in room for more.

    Longer caches grown from this one write behind its end, in the same room, and leave it as it is.
    """

    k_room: np.ndarray  # (..., n_heads, capacity, d_k)
    v_room: np.ndarray  # (..., n_heads, capacity, d_v)
    n_tokens: int
    n_written: np.ndarray  # () how far the room is taken, by whichever cache reaches furthest

    @property
    def k(self):  # -> (..., n_heads, n_tokens, d_k)
        """The keys so far, a view."""
        return self.k_room[..., : self.n_tokens, :]

    @property
    def v(self):  # -> (..., n_heads, n_tokens, d_v)
        """The values so far, a view."""
        return self.v_room[..., : self.n_tokens, :]

    @property
    def n_bytes(self):
        """Memory of the keys and values so far: ``2 t d`` numbers for t tokens and heads d / n_heads wide."""
        return self.k.nbytes + self.v.nbytes


def empty_cache(params, n_heads, batch=(), capacity=16):
    """Make room for tokens to come.

    Parameters
    ----------
    params : AttentionParams
        Of the layer that the cache is for. Its floats are the kind of the cache.
    n_heads : int
    batch : tuple of int, default ()
        Leading axes of the sequences.
    capacity : int, default 16
        Tokens that find room. For more of them the room is doubled, so that a token is copied less than
        twice on average, however long the text gets.

    Returns
    -------
    KeyValueCache
    """
    w_k, w_v = as_float(params.w_k), as_float(params.w_v)
    k_room, v_room = (
        np.zeros((*batch, n_heads, capacity, w.shape[1] // n_heads), w.dtype) for w in (w_k, w_v)
    )
    return KeyValueCache(k_room, v_room, 0, np.zeros((), int))


def append(cache, k, v):  # KeyValueCache, (..., n_heads, n_new, d_k), (..., n_heads, n_new, d_v)
    """Return the cache with more keys and values at its end.

    Raises
    ------
    ValueError
        If their shapes differ from those of the cache in more than the number of tokens.
    """
    for name, new, old in (("k", k, cache.k), ("v", v, cache.v)):
        fits = new.ndim == old.ndim and new.shape[:-2] == old.shape[:-2] and new.shape[-1] == old.shape[-1]
        check_shapes(fits, f"new {name} must continue those of the cache", new=new, cache=old)
    n_tokens = cache.n_tokens + k.shape[-2]
    if cache.n_tokens < cache.n_written or n_tokens > cache.k_room.shape[-2]:
        cache = _move(cache, n_tokens)  # another text goes on from here already, or the room is full
    cache.k_room[..., cache.n_tokens : n_tokens, :] = k
    cache.v_room[..., cache.n_tokens : n_tokens, :] = v
    cache.n_written[...] = n_tokens
    return cache._replace(n_tokens=n_tokens)


def _move(cache, n_tokens):
    """Copy a cache into a room of its own, twice as large if need be."""
    capacity = cache.k_room.shape[-2]
    capacity = capacity if n_tokens <= capacity else max(2 * capacity, n_tokens)
    rooms = []
    for old in (cache.k, cache.v):
        room = np.zeros((*old.shape[:-2], capacity, old.shape[-1]), old.dtype)
        room[..., : cache.n_tokens, :] = old
        rooms.append(room)
    return KeyValueCache(*rooms, cache.n_tokens, np.array(cache.n_tokens))


def causal_attention_step(x, params, n_heads, cache):
    """Give the next tokens their outputs of causal self-attention, and remember their keys and values.

    Parameters
    ----------
    x : (..., n_new, d_model) array_like
        The next tokens: one while a text is written, all of it when a text is read in.
    params : AttentionParams
    n_heads : int
    cache : KeyValueCache
        What was remembered of the tokens before, see `empty_cache`.

    Returns
    -------
    out : (..., n_new, d_model) ndarray
        The rows that `self_attention` under the causal mask gives the same tokens in the whole text.
    cache : KeyValueCache
        For the next step. The one handed in stays valid, and may be continued in another way.

    Raises
    ------
    ValueError
        If shapes do not fit, or the numbers are a wider kind of float than the cache can keep.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.3. Pope et al., "Efficiently Scaling
    Transformer Inference" (2022), section 2, for what the cache costs.
    """
    w_q, b_q, w_k, b_k, w_v, b_v, w_o, b_o = params
    pairs = ((w_q, b_q), (w_k, b_k), (w_v, b_v))
    q, k, v = (split_heads(linear(x, w, b)[0], n_heads) for w, b in pairs)  # 1  (..., n_heads, n_new, d)
    if np.result_type(k, v) != cache.k_room.dtype:
        raise ValueError(f"a cache of {cache.k_room.dtype} cannot keep {np.result_type(k, v)}")
    n_past = cache.n_tokens
    cache = append(cache, k, v)  # 2
    n_new = q.shape[-2]
    mask = causal_mask(n_new, cache.n_tokens, n_past) if n_new > 1 else None  # the last token sees everybody
    blend, _ = scaled_dot_product_attention(q, cache.k, cache.v, mask)  # 3
    out, _ = linear(merge_heads(blend), w_o, b_o)  # 4  (..., n_new, d_model)
    return out, cache


def step_operations(t, d):
    """Count what token number t costs: four products of 1 x d x d, and its row of scores and of the blend.

    A multiply-add counts as two operations. Without the cache, all t tokens would be computed again:
    ``attention_cost(t, d, projections=True)`` of `core.costs`.

    Parameters
    ----------
    t : int
        Place of the token, counted from 1: it looks at t tokens.
    d : int
        Width of a token.
    """
    return 8 * d * d + 4 * t * d
