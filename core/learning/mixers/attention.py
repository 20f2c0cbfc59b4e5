"""Mixing by attention: encoder blocks, every word sees every word."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from core.blocks.encoder_block import init_block
from core.blocks.encoder_stack import StackParams, encoder_stack, encoder_stack_backward
from core.blocks.masks import causal_mask
from core.blocks.positions import sinusoidal_positions
from core.blocks.sublayer import NormParams


class Attention(NamedTuple):
    """Settings of a tower of encoder blocks; its layer norms have no gain and no shift."""

    d_model: int = 32
    n_heads: int = 4
    d_ff: int = 64
    n_layers: int = 2
    base: float | None = 100.0  # of the waves that tell places; None: without positions
    causal: bool = False
    norm: str = "pre"
    residual: bool = True
    use_mlp: bool = True
    scale: bool = True
    final_norm: bool = False
    gain: float = 1.0  # of the first weights

    @property
    def width(self):
        """How wide a row that is read is."""
        return self.d_model


def init_attention(rng, settings, dtype=np.float32):
    """Draw the parameters of a tower: weights from N(0, gain^2 / fan-in), shifts 0.

    Parameters
    ----------
    rng : numpy.random.Generator
    settings : Attention
    dtype : numpy float type

    Returns
    -------
    params : StackParams
    """
    bare = NormParams(None, None)
    blocks = []
    for _ in range(settings.n_layers):
        block = init_block(
            rng, settings.d_model, settings.n_heads, settings.d_ff, gain=settings.gain, dtype=dtype
        )
        block = block._replace(norm_1=bare, norm_2=bare)
        blocks.append(block if settings.use_mlp else block._replace(mlp=block.mlp._make([None] * 4)))
    return StackParams(tuple(blocks), bare if settings.final_norm else None)


def attention(words, params, settings, rows=None):  # (batch, n, d_model) -> (batch, m or n, d_model)
    """Tell the words their places and send them through the blocks.

    The last block works only for the rows that are read. ``cache.blocks[i].attention.attention.weights`` are
    the weights of layer i, (batch, n_heads, n, n), in the last layer (batch, n_heads, m, n).
    """
    n = words.shape[1]
    if settings.base is not None:
        words = words + places(n, settings.d_model, settings.base, words.dtype.char)
    return encoder_stack(
        words,
        params,
        settings.n_heads,
        rows=rows,
        mask=causal_mask(n) if settings.causal else None,
        norm=settings.norm,
        residual=settings.residual,
        use_mlp=settings.use_mlp,
        scale=settings.scale,
    )


def attention_backward(dout, cache):  # (batch, m or n, d_model) -> (batch, n, d_model), StackParams
    """Send a gradient back through `attention`; places are not learned."""
    return encoder_stack_backward(dout, cache)


@lru_cache(maxsize=256)
def places(n, d_model, base, kind):  # -> (n, d_model)
    """Make the waves that tell places, once for each length."""
    table = sinusoidal_positions(n, d_model, base).astype(kind)
    table.flags.writeable = False
    return table
