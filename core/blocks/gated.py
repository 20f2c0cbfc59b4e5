"""Activations of newer models: SiLU (swish), the SwiGLU gate made of it, and softplus."""

from typing import NamedTuple

import numpy as np

from core.blocks.activations import sigmoid
from core.blocks.arrays import as_float, check_shapes


class SiluCache(NamedTuple):
    """The input, the gate it was multiplied by, and the steepness of the gate."""

    x: np.ndarray
    gate: np.ndarray
    alpha: float


def silu(x, alpha=1.0):  # (...) -> (...)
    """Multiply every number by the gate ``sigmoid(alpha * x)``; also called swish.

    Parameters
    ----------
    x : array_like
        Of any shape.
    alpha : float
        Steepness of the gate.

    Returns
    -------
    out : ndarray
    cache : SiluCache
        For `silu_backward`.

    References
    ----------
    Ramachandran, Zoph, Le, "Searching for Activation Functions" (2017), section 4.
    """
    x = as_float(x)
    gate, _ = sigmoid(alpha * x)
    return x * gate, SiluCache(x, gate, alpha)


def silu_backward(dout, cache):  # (...) -> (...)
    """Send a gradient back through `silu`: the slope is ``gate + x * alpha * gate * (1 - gate)``."""
    x, gate, alpha = cache
    return dout * gate * (1 + alpha * x * (1 - gate))


class SwigluCache(NamedTuple):
    """The gate with its own cache, and what it lets through."""

    gate: np.ndarray
    gate_cache: SiluCache
    b: np.ndarray


def swiglu(a, b, alpha=1.0):  # (...), (...) -> (...)
    """Let `b` through a gate made of `a`: ``silu(a) * b``.

    Parameters
    ----------
    a, b : array_like
        Of the same shape; in an MLP, two projections of the same token.
    alpha : float
        Steepness of the gate.

    Returns
    -------
    out : ndarray
    cache : SwigluCache
        For `swiglu_backward`.

    Raises
    ------
    ValueError
        If the shapes differ.

    References
    ----------
    Shazeer, "GLU Variants Improve Transformer" (2020), equation 6.
    """
    b = as_float(b)
    gate, gate_cache = silu(a, alpha)
    check_shapes(gate.shape == b.shape, "a and b must have the same shape", a=gate, b=b)
    return gate * b, SwigluCache(gate, gate_cache, b)


def swiglu_backward(dout, cache):  # (...) -> (...), (...)
    """Send a gradient back through `swiglu`: into the gate, and through it."""
    return silu_backward(dout * cache.b, cache.gate_cache), dout * cache.gate


class SoftplusCache(NamedTuple):
    """The slope of softplus, which is a sigmoid."""

    slope: np.ndarray


def softplus(x, beta=1.0):  # (...) -> (...)
    """Round off the corner of ReLU: ``log(1 + exp(beta * x)) / beta``, without overflow.

    Parameters
    ----------
    x : array_like
        Of any shape.
    beta : float
        The larger, the sharper the corner.

    Returns
    -------
    out : ndarray
    cache : SoftplusCache
        For `softplus_backward`.
    """
    x = as_float(x)
    slope, _ = sigmoid(beta * x)
    out = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(beta * x))) / beta
    return out, SoftplusCache(slope)


def softplus_backward(dout, cache):  # (...) -> (...)
    """Send a gradient back through `softplus`."""
    return dout * cache.slope
