"""Blocks stacked to any depth: what one block hands on, the next one takes up."""

from typing import NamedTuple

from core.blocks.encoder_block import BlockCache, BlockParams, encoder_block, encoder_block_backward
from core.blocks.norms import LayerNormCache, layer_norm, layer_norm_backward
from core.blocks.sublayer import NormParams


class StackParams(NamedTuple):
    """The blocks from the first to the last, and the norm after them, if any."""

    blocks: tuple[BlockParams, ...]
    final_norm: NormParams | None = None


class StackCache(NamedTuple):
    """What each block did, and the norm after them."""

    blocks: tuple[BlockCache, ...]
    final_norm: LayerNormCache | None


def encoder_stack(x, params, n_heads, *, eps=1e-5, rows=None, **options):
    # (..., n, d_model) -> (..., n or m, d_model)
    """Send the words through all blocks, one after the other.

    Parameters
    ----------
    x : (..., n, d_model) array_like
        Words.
    params : StackParams
    n_heads : int
    eps : float
        Of all layer norms.
    rows : (..., m) array_like of int, optional
        Places of the words that are read afterwards: the last block works for them alone.
    **options
        As in `encoder_block`, the same for every block.

    Returns
    -------
    out : (..., n, d_model) ndarray
    cache : StackCache

    Raises
    ------
    ValueError
        As `encoder_block`.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.1.
    """
    caches = []
    for i, block in enumerate(params.blocks, start=1):  # 1
        asking = rows if i == len(params.blocks) else None
        x, cache = encoder_block(x, block, n_heads, eps=eps, rows=asking, **options)
        caches.append(cache)
    norm_cache = None
    if params.final_norm is not None:  # 2
        x, norm_cache = layer_norm(x, *params.final_norm, eps)
    return x, StackCache(tuple(caches), norm_cache)


def encoder_stack_backward(dout, cache):  # (..., n or m, d_model) -> (..., n, d_model), StackParams
    """Send a gradient back through `encoder_stack`, from the last block to the first.

    Parameters
    ----------
    dout : (..., n, d_model) ndarray
        Gradient of the loss with respect to the output.
    cache : StackCache

    Returns
    -------
    dx : (..., n, d_model) ndarray
    dparams : StackParams
    """
    dnorm = None
    if cache.final_norm is not None:  # 2
        dout, *dnorm = layer_norm_backward(dout, cache.final_norm)
        dnorm = NormParams(*dnorm)
    dblocks = []
    for block in reversed(cache.blocks):  # 1
        dout, dblock = encoder_block_backward(dout, block)
        dblocks.append(dblock)
    return dout, StackParams(tuple(reversed(dblocks)), dnorm)
