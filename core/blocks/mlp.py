"""The MLP of a block: two linear layers with a bend between them (lesson 38).

Attention moves news between words; here every word works on its own news, all of them with the same weights.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.activations import gelu, gelu_backward, relu, relu_backward
from core.blocks.linear import LinearCache, linear, linear_backward


class MLPParams(NamedTuple):
    """Two linear layers, the first one widening; a bias may be None. Gradients come in the same form."""

    w_1: np.ndarray  # (d_model, d_ff)
    b_1: np.ndarray | None
    w_2: np.ndarray  # (d_ff, d_model)
    b_2: np.ndarray | None


class MLPCache(NamedTuple):
    """The three parts that ran, and which bend it was."""

    layer_1: LinearCache
    activation: str
    bend: tuple
    layer_2: LinearCache  # layer_2.x are the activated hidden units


def mlp(x, params, activation="relu"):  # (..., d_model) -> (..., d_model)
    """Widen every row, bend it, and narrow it again: ``activation(x w_1 + b_1) w_2 + b_2``.

    Parameters
    ----------
    x : (..., d_model) array_like
    params : MLPParams
    activation : {"relu", "gelu", "gelu_tanh"}
        The bend; "gelu" is the exact form, "gelu_tanh" the approximation of GPT-2.

    Returns
    -------
    out : (..., d_model) ndarray
    cache : MLPCache

    Raises
    ------
    ValueError
        If shapes do not fit or the activation is unknown.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), equation 2.
    """
    hidden, layer_1 = linear(x, params.w_1, params.b_1)  # 1  (..., d_ff)
    bent, bend = activate(hidden, activation)  # 2
    out, layer_2 = linear(bent, params.w_2, params.b_2)  # 3  (..., d_model)
    return out, MLPCache(layer_1, activation, bend, layer_2)


def mlp_backward(dout, cache):  # (..., d_model) -> (..., d_model), MLPParams
    """Send a gradient back through `mlp`.

    Parameters
    ----------
    dout : (..., d_model) ndarray
        Gradient of the loss with respect to the output.
    cache : MLPCache

    Returns
    -------
    dx : (..., d_model) ndarray
    dparams : MLPParams
    """
    dbent, dw_2, db_2 = linear_backward(dout, cache.layer_2)  # 3
    dhidden = activate_backward(dbent, cache.activation, cache.bend)  # 2
    dx, dw_1, db_1 = linear_backward(dhidden, cache.layer_1)  # 1
    return dx, MLPParams(dw_1, db_1, dw_2, db_2)


def activate(x, activation):  # (...) -> (...)
    """Apply the activation of that name; return its result and its cache."""
    if activation == "relu":
        return relu(x)
    if activation == "gelu":
        return gelu(x, "exact")
    if activation == "gelu_tanh":
        return gelu(x, "tanh")
    raise ValueError(f"activation must be relu, gelu or gelu_tanh; got {activation!r}")


def activate_backward(dout, activation, cache):  # (...) -> (...)
    """Send a gradient back through the activation of that name."""
    return relu_backward(dout, cache) if activation == "relu" else gelu_backward(dout, cache)
