"""Layer norm: every token is normalised by its own statistics (lesson 30).

The statistics run over the last axis, one token's numbers; nothing is shared between tokens or examples.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes, dots_of_rows, sums_of_rows
from core.blocks.linear import sum_of_rows


def at_the_border(x, gamma, beta):
    """Check what both norms are given."""
    x = as_float(x)
    check_shapes(x.ndim > 0 and x.shape[-1] > 0, "x must have rows of at least one number", x=x)
    gamma, beta = (None if part is None else as_float(part) for part in (gamma, beta))
    rule = "gain and shift must have one entry for each place of a row"
    check_shapes(gamma is None or gamma.shape == x.shape[-1:], rule, x=x, gamma=gamma)
    check_shapes(beta is None or beta.shape == x.shape[-1:], rule, x=x, beta=beta)
    return x, gamma, beta


def mean_of_rows(x, times=None):  # (..., d) -> (..., 1)
    """Average each row of `x`, or of the products of two arrays."""
    return (sums_of_rows(x) if times is None else dots_of_rows(x, times)) / x.shape[-1]


def scale(normed, gamma, beta):
    """Apply gain and shift where they exist."""
    out = normed if gamma is None else normed * gamma
    return out if beta is None else out + beta


def scale_backward(dout, normed, gamma, beta):
    """Undo `scale`: the gradient of `normed`, and those of gain and shift summed over all rows."""
    dgamma = None if gamma is None else sum_of_rows(dout * normed)
    dbeta = None if beta is None else sum_of_rows(dout)
    return (dout if gamma is None else dout * gamma), dgamma, dbeta


class LayerNormCache(NamedTuple):
    """What layer norm saw of each row, and what it made of it before gain and shift."""

    mean: np.ndarray
    inverse_std: np.ndarray
    normed: np.ndarray
    gamma: np.ndarray | None
    beta: np.ndarray | None


def layer_norm(x, gamma=None, beta=None, eps=1e-5):  # (..., d), (d,), (d,) -> (..., d)
    """Move every row to mean 0 and variance 1, then apply a learned gain and shift.

    Parameters
    ----------
    x : (..., d) array_like
        Rows, d at least 1.
    gamma, beta : (d,) array_like, optional
        Gain and shift of each place in the row; without them 1 and 0.
    eps : float
        Added to the variance inside the root, so that a constant row does not divide by zero: it comes out as
        exactly `beta`.

    Returns
    -------
    out : (..., d) ndarray
        ``gamma * (x - mean) / sqrt(variance + eps) + beta`` with the variance divided by d, not by d - 1.
    cache : LayerNormCache
        For `layer_norm_backward`.

    Raises
    ------
    ValueError
        If `gamma` or `beta` is not a vector of the rows' length.

    References
    ----------
    Ba, Kiros, Hinton, "Layer Normalization" (2016), equations 3 and 4.
    """
    x, gamma, beta = at_the_border(x, gamma, beta)
    # 1  Two passes: mean of squares minus square of mean loses all digits when the mean is large. Counting
    #    from the first entry makes a constant row exactly 0, however its mean would have been rounded.
    centred = x - x[..., :1]
    offset = mean_of_rows(centred)
    centred -= offset
    variance = mean_of_rows(centred, centred)  # 2
    inverse_std = 1 / np.sqrt(variance + eps)  # 3
    normed = np.multiply(centred, inverse_std, out=centred)  # 4
    out = scale(normed, gamma, beta)  # 5
    return out, LayerNormCache(x[..., :1] + offset, inverse_std, normed, gamma, beta)


def layer_norm_backward(dout, cache):  # (..., d) -> (..., d), (d,), (d,)
    """Send a gradient back through `layer_norm`.

    A row can be moved or stretched without any effect on the result, so what is left of the gradient is the
    part that does neither: its mean and its share along `normed` are taken out.

    Parameters
    ----------
    dout : (..., d) ndarray
        Gradient of the loss with respect to `out`.
    cache : LayerNormCache
        As returned by `layer_norm`.

    Returns
    -------
    dx : (..., d) ndarray
    dgamma, dbeta : (d,) ndarray or None
        None where there was no such parameter.
    """
    _, inverse_std, normed, gamma, beta = cache
    dnormed, dgamma, dbeta = scale_backward(dout, normed, gamma, beta)  # 5
    stretch = mean_of_rows(dnormed, normed)  # 3 2  through the variance
    shift = mean_of_rows(dnormed)  # 1  through the mean
    dx = dnormed - shift
    dx -= normed * stretch
    dx *= inverse_std  # 4
    return dx, dgamma, dbeta
