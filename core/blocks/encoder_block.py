"""The block that a Transformer stacks: attention moves news between words, an MLP works on each word.

Every piece can be switched off, to see what breaks without it. The stages in the cache record what really
ran, so a picture of the block drawn from them shows the block as it was, not as it ought to be.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes
from core.blocks.mlp import MLPCache, MLPParams, mlp, mlp_backward
from core.blocks.multi_head import AttentionParams, MultiHeadCache, self_attention, self_attention_backward
from core.blocks.sublayer import (
    NormParams,
    Stage,
    SublayerCache,
    Wiring,
    sublayer,
    sublayer_backward,
    zeros_like_params,
)


class BlockParams(NamedTuple):
    """All parameters of a block. Gradients come in the same form, with zeros for what did not run."""

    norm_1: NormParams
    attention: AttentionParams
    norm_2: NormParams
    mlp: MLPParams


class BlockCache(NamedTuple):
    """The two wrapped parts, the second one None without an MLP, and the stages of both."""

    params: BlockParams
    attention_sublayer: SublayerCache
    mlp_sublayer: SublayerCache | None
    stages: tuple[Stage, ...]

    @property
    def attention(self) -> MultiHeadCache:
        """What the heads did; ``attention.attention.weights`` is who looked at whom."""
        return self.attention_sublayer.part

    @property
    def mlp(self) -> MLPCache | None:
        """What the MLP did, or None."""
        return self.mlp_sublayer and self.mlp_sublayer.part


def init_block(rng, d_model, n_heads, d_ff, *, gain=1.0, bias=True, dtype=np.float64):
    """Draw the parameters of a block.

    Parameters
    ----------
    rng : numpy.random.Generator
    d_model, n_heads, d_ff : int
        Width of a word, number of heads, width of the hidden layer.
    gain : float, default 1
        Weights are drawn from N(0, gain^2 / fan-in): with 1, a layer keeps the spread of what it is given.
    bias : bool, default True
        Whether linear layers and norms have a shift; it starts at 0.
    dtype : numpy float type

    Returns
    -------
    params : BlockParams

    Raises
    ------
    ValueError
        If `d_model` is no multiple of `n_heads`.
    """
    if n_heads < 1 or d_model % n_heads:
        raise ValueError(f"d_model must be a multiple of n_heads; got d_model {d_model}, n_heads {n_heads}")

    def layer(d_in, d_out):
        w = rng.normal(0, gain / np.sqrt(d_in), (d_in, d_out)).astype(dtype)
        return w, np.zeros(d_out, dtype) if bias else None

    def norm():
        return NormParams(np.ones(d_model, dtype), np.zeros(d_model, dtype) if bias else None)

    projections = [array for _ in "qkvo" for array in layer(d_model, d_model)]
    hidden = (*layer(d_model, d_ff), *layer(d_ff, d_model))
    return BlockParams(norm(), AttentionParams(*projections), norm(), MLPParams(*hidden))


def encoder_block(
    x,
    params,
    n_heads,
    *,
    norm="pre",
    residual=True,
    use_mlp=True,
    scale=True,
    mask=None,
    activation="relu",
    eps=1e-5,
    rows=None,
):  # (..., n, d_model) -> (..., n or m, d_model)
    """Run one block over the words of a sentence.

    Parameters
    ----------
    x : (..., n, d_model) array_like
        Words.
    params : BlockParams
    n_heads : int
    norm : {"pre", "post", "off"}
        Where the layer norms stand.
    residual : bool
        Whether a path leads past each part.
    use_mlp : bool
        Whether there is an MLP.
    scale : bool
        Whether scores are divided by the root of the width of a head.
    mask : array_like, optional
        As in `multi_head_attention`.
    activation : {"relu", "gelu", "gelu_tanh"}
    eps : float
        Of the layer norms.
    rows : (..., m) array_like of int, optional
        Places of the words that are read afterwards; only they ask and go on. What they find is what they
        would find among all.

    Returns
    -------
    out : (..., n, d_model) ndarray
    cache : BlockCache
        ``cache.stages`` names what ran: of input, norm_1, attention, add_1, norm_2, mlp, add_2 all that were
        on, in the order in which they ran.

    Raises
    ------
    ValueError
        If shapes do not fit, or a choice is unknown.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.1 ("post"); Xiong et al. (2020) ("pre").
    """
    x, wiring = as_float(x), Wiring(norm, residual, eps)
    check_shapes(x.ndim >= 2, "x must be (..., n, d_model)", x=x)

    def attend(inner):
        return self_attention(inner, params.attention, n_heads, mask, scale=scale, rows=rows)

    def apply_mlp(inner):
        return mlp(inner, params.mlp, activation)

    out, first = sublayer(x, attend, params.norm_1, wiring, ("norm_1", "attention", "add_1"), rows)  # 1
    second = None
    if use_mlp:
        out, second = sublayer(out, apply_mlp, params.norm_2, wiring, ("norm_2", "mlp", "add_2"))  # 2
    stages = (Stage("input", x), *first.stages, *(second.stages if second else ()))
    return out, BlockCache(params, first, second, stages)


def encoder_block_backward(dout, cache):  # (..., n or m, d_model) -> (..., n, d_model), BlockParams
    """Send a gradient back through `encoder_block`.

    Parameters
    ----------
    dout : (..., n, d_model) ndarray
        Gradient of the loss with respect to the output.
    cache : BlockCache

    Returns
    -------
    dx : (..., n, d_model) ndarray
    dparams : BlockParams
    """
    if cache.mlp_sublayer:
        dout, dmlp, dnorm_2 = sublayer_backward(dout, cache.mlp_sublayer, mlp_backward)  # 2
    else:
        dmlp, dnorm_2 = zeros_like_params(cache.params.mlp), zeros_like_params(cache.params.norm_2)
    dx, dattention, dnorm_1 = sublayer_backward(dout, cache.attention_sublayer, self_attention_backward)  # 1
    return dx, BlockParams(dnorm_1, dattention, dnorm_2, dmlp)
