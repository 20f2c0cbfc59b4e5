"""Activations: the bend between two linear layers, entry by entry (lesson 38).

Each forward returns what its own backward needs. GELU comes in its two forms, which differ by up to 4.7e-4;
whoever calls it says which one is meant.
"""

import math
from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float


class ReluCache(NamedTuple):
    """Where the input was positive."""

    positive: np.ndarray


def relu(x):  # (...) -> (...)
    """Let positive numbers through and make all others 0.

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    out : ndarray
    cache : ReluCache
        For `relu_backward`.
    """
    x = as_float(x)
    return np.maximum(x, 0), ReluCache(x > 0)


def relu_backward(dout, cache):  # (...) -> (...)
    """Send a gradient back where the input was positive; the slope at the corner 0 is taken as 0."""
    return dout * cache.positive


class SigmoidCache(NamedTuple):
    """What the backward pass of the sigmoid needs: its own result."""

    out: np.ndarray


def sigmoid(x):  # (...) -> (...)
    """Squeeze every number into (0, 1): ``1 / (1 + exp(-x))``, exact in both tails and without overflow.

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    out : ndarray
    cache : SigmoidCache
        For `sigmoid_backward`.
    """
    x = as_float(x)
    small = np.exp(-np.abs(x))  # in (0, 1]: the exponential of a negative number cannot overflow
    out = np.where(x < 0, small, 1) / (1 + small)
    return out, SigmoidCache(out)


def sigmoid_backward(dout, cache):  # (...) -> (...)
    """Send a gradient back through `sigmoid`: its slope is ``out * (1 - out)``."""
    return dout * cache.out * (1 - cache.out)


class TanhCache(NamedTuple):
    """What the backward pass of tanh needs: its own result."""

    out: np.ndarray


def tanh(x):  # (...) -> (...)
    """Squeeze every number into (-1, 1).

    Parameters
    ----------
    x : array_like
        Of any shape.

    Returns
    -------
    out : ndarray
    cache : TanhCache
        For `tanh_backward`.
    """
    out = np.tanh(as_float(x))
    return out, TanhCache(out)


def tanh_backward(dout, cache):  # (...) -> (...)
    """Send a gradient back through `tanh`: its slope is ``1 - out**2``."""
    return dout * (1 - cache.out * cache.out)


_BEND, _CUBIC = math.sqrt(2 / math.pi), 0.044715


def erf(x):  # (...) -> (...)
    """Return the error function of every number, to full precision.

    Twice the chance that a normal number with deviation ``sqrt(1/2)`` lies between 0 and x.
    """
    x = as_float(x)
    return np.frompyfunc(math.erf, 1, 1)(x, out=np.empty(x.shape, object)).astype(x.dtype)


def _bent(x):
    """Return the polynomial that the approximation of Hendrycks and Gimpel puts into tanh."""
    return _BEND * (x + _CUBIC * x * x * x)


class GeluCache(NamedTuple):
    """The input, the gate it was multiplied by, and which form made the gate."""

    x: np.ndarray
    gate: np.ndarray
    form: str


def gelu(x, form="exact"):  # (...) -> (...)
    """Multiply every number by a gate between 0 and 1: the chance that a standard normal number is smaller.

    Parameters
    ----------
    x : array_like
        Of any shape.
    form : {"exact", "tanh"}
        The gate: the normal distribution itself (through erf), or the curve by which GPT-2 approximates it.

    Returns
    -------
    out : ndarray
        ``x * gate(x)``.
    cache : GeluCache
        For `gelu_backward`, which belongs to the same form.

    Raises
    ------
    ValueError
        If `form` is neither of the two.

    References
    ----------
    Hendrycks, Gimpel, "Gaussian Error Linear Units (GELUs)" (2016), section 2.
    """
    x = as_float(x)
    if form not in ("exact", "tanh"):
        raise ValueError(f'form must be "exact" or "tanh"; got {form!r}')
    near = np.clip(x, -40, 40)  # 1  at 40 the gate is open or shut to the last bit; cubes stay in range
    curve = erf(near / math.sqrt(2)) if form == "exact" else np.tanh(_bent(near))  # 2  from -1 to 1
    gate = 0.5 * (1 + curve)  # 3  from 0 to 1
    return np.maximum(x, -40) * gate, GeluCache(x, gate, form)  # 4


def gelu_backward(dout, cache):  # (...) -> (...)
    """Send a gradient back through `gelu`: the slope is ``gate + x * gate'``, both of the same form."""
    x, gate, form = cache
    near = np.clip(x, -40, 40)
    if form == "exact":
        dgate = np.exp(-0.5 * near * near) / math.sqrt(2 * math.pi)  # 3 2  the normal density
    else:
        dgate = 2 * gate * (1 - gate) * _BEND * (1 + 3 * _CUBIC * near * near)  # 3 2  tanh' = 1 - tanh**2
    return dout * (gate + near * dgate)  # 4
