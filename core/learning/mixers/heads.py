"""A link by content: every word sees every word; if wanted, how far apart they stand counts too."""

from typing import NamedTuple

import numpy as np

from core.blocks.encoder_block import init_block
from core.blocks.multi_head import AttentionParams, MultiHeadCache, self_attention, self_attention_backward
from core.blocks.relative_positions import relative_bias, relative_bias_backward


class Heads(NamedTuple):
    """Settings: number of heads, and the longest sentence for which each distance has a number (0: none)."""

    n_heads: int = 2
    n_relative: int = 0


class HeadsParams(NamedTuple):
    """The four projections, and what each distance adds to the scores. Gradients come in the same form."""

    attention: AttentionParams
    distance: np.ndarray | None  # (n_heads, 2 n_relative - 1)


class HeadsCache(NamedTuple):
    """What ran, and the shape of the numbers for distances."""

    attention: MultiHeadCache
    distance_shape: tuple | None


def init_heads(rng, settings, d_model, dtype):
    """Draw the projections from N(0, 1 / fan-in), shift the last one only; distances add nothing at first."""
    block = init_block(rng, d_model, settings.n_heads, 1, dtype=dtype)
    projections = block.attention._replace(b_q=None, b_k=None, b_v=None)
    reach = 2 * settings.n_relative - 1
    distance = np.zeros((settings.n_heads, reach), dtype) if settings.n_relative else None
    return HeadsParams(projections, distance)


def heads(x, params, settings):  # (batch, n, d_model) -> (batch, n, d_model)
    """Let every word look at all words. ``cache.attention.attention.weights`` tells who looked where."""
    bias, shape = None, None
    if params.distance is not None:  # 1
        bias, shape = relative_bias(params.distance, x.shape[-2])
        bias = bias[None]  # the same for every sentence
    out, cache = self_attention(x, params.attention, settings.n_heads, bias)  # 2
    return out, HeadsCache(cache, shape)


def heads_backward(dout, cache):  # (batch, n, d_model) -> (batch, n, d_model), HeadsParams
    """Send a gradient back through `heads`."""
    dx, dparams, dbias = self_attention_backward(dout, cache.attention, with_mask=True)  # 2
    shape = cache.distance_shape
    return dx, HeadsParams(dparams, None if shape is None else relative_bias_backward(dbias, shape))  # 1
