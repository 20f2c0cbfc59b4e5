"""Rotary positions: queries and keys are turned by their place, and a score knows how far apart they are."""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes
from core.blocks.positions import pair_angles


class RotaryCache(NamedTuple):
    """By what every pair was turned, and which numbers make a pair."""

    cos: np.ndarray
    sin: np.ndarray
    interleaved: bool


def rotary_angles(positions, d, base=10000.0):  # (n,) -> (n, d / 2), (n, d / 2)
    """Make the cosines and sines by which `rotary` turns each pair at each position.

    Parameters
    ----------
    positions : (n,) array_like
        Places of the tokens.
    d : int
        Width of a query or key, even.
    base : float
        Pair i turns by ``base ** (-2i / d)`` radians a position.

    Returns
    -------
    cos, sin : (n, d / 2) ndarray of float64

    Raises
    ------
    ValueError
        If `d` is odd.
    """
    if d % 2:
        raise ValueError(f"d must be even, since numbers are turned in pairs; got {d}")
    angles = pair_angles(positions, d, base)
    return np.cos(angles), np.sin(angles)


def rotary(x, cos, sin, interleaved=False):  # (..., n, d), (n, d / 2), (n, d / 2) -> (..., n, d)
    """Turn every pair of numbers by its angle.

    Parameters
    ----------
    x : (..., n, d) array_like
        Queries or keys.
    cos, sin : (n, d / 2) array_like, or with leading axes that broadcast to those of `x`
        From `rotary_angles`.
    interleaved : bool
        Whether pairs are neighbours (2i, 2i + 1), as in the paper, or i and i + d / 2, as in LLaMA.

    Returns
    -------
    out : (..., n, d) ndarray
        Of the same length as `x`, row by row: turning changes no length.
    cache : RotaryCache
        For `rotary_backward`.

    Raises
    ------
    ValueError
        If the angles do not fit `x`.

    References
    ----------
    Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021), equation 34.
    """
    x, cos, sin = as_float(x), as_float(cos), as_float(sin)
    pairs = (*x.shape[:-1], x.shape[-1] // 2)
    fits = x.shape[-1] % 2 == 0 and cos.shape == sin.shape and cos.shape[-1:] == pairs[-1:]
    fits = (
        fits
        and cos.ndim <= x.ndim
        and all(a in (1, b) for a, b in zip(cos.shape[::-1], pairs[::-1], strict=False))
    )
    check_shapes(fits, "cos and sin must have one number for each pair of x", x=x, cos=cos, sin=sin)
    return _turn(x, cos, sin, interleaved), RotaryCache(cos, sin, interleaved)


def rotary_backward(dout, cache):  # (..., n, d) -> (..., n, d)
    """Send a gradient back through `rotary`: turn it the other way."""
    return _turn(dout, cache.cos, -cache.sin, cache.interleaved)


def _turn(x, cos, sin, interleaved):
    half = x.shape[-1] // 2
    places = (slice(0, None, 2), slice(1, None, 2)) if interleaved else (slice(half), slice(half, None))
    first, second = (x[..., place] for place in places)
    out = np.empty_like(x)
    out[..., places[0]] = first * cos - second * sin
    out[..., places[1]] = first * sin + second * cos
    return out
