"""RMS norm: layer norm without taking out the mean, as in LLaMA and most models since."""

from typing import NamedTuple

import numpy as np

from core.blocks.norms import at_the_border, mean_of_rows, scale, scale_backward


class RmsNormCache(NamedTuple):
    """What RMS norm saw of each row, and what it made of it before the gain."""

    inverse_rms: np.ndarray
    normed: np.ndarray
    gamma: np.ndarray | None


def rms_norm(x, gamma=None, eps=1e-5):  # (..., d), (d,) -> (..., d)
    """Bring every row to mean square 1 without moving its mean, then apply a learned gain.

    Parameters
    ----------
    x : (..., d) array_like
        Rows, d at least 1.
    gamma : (d,) array_like, optional
        Gain of each place in the row.
    eps : float
        Added to the mean square inside the root; a row of zeros comes out as zeros.

    Returns
    -------
    out : (..., d) ndarray
        ``gamma * x / sqrt(mean(x**2) + eps)``.
    cache : RmsNormCache
        For `rms_norm_backward`.

    Raises
    ------
    ValueError
        If `gamma` is not a vector of the rows' length.

    References
    ----------
    Zhang, Sennrich, "Root Mean Square Layer Normalization" (2019), equation 4.
    """
    x, gamma, _ = at_the_border(x, gamma, None)
    inverse_rms = 1 / np.sqrt(mean_of_rows(x, x) + eps)  # 1
    normed = x * inverse_rms  # 2
    return scale(normed, gamma, None), RmsNormCache(inverse_rms, normed, gamma)  # 3


def rms_norm_backward(dout, cache):  # (..., d) -> (..., d), (d,)
    """Send a gradient back through `rms_norm`: as in layer norm, but only stretching a row is without effect.

    Parameters
    ----------
    dout : (..., d) ndarray
        Gradient of the loss with respect to `out`.
    cache : RmsNormCache
        As returned by `rms_norm`.

    Returns
    -------
    dx : (..., d) ndarray
    dgamma : (d,) ndarray or None
        None where there was no gain.
    """
    inverse_rms, normed, gamma = cache
    dnormed, dgamma, _ = scale_backward(dout, normed, gamma, None)  # 3
    stretch = mean_of_rows(dnormed, normed)  # 1  through the mean square
    return (dnormed - normed * stretch) * inverse_rms, dgamma  # 2
