"""Where a token stands, told by waves: added to the token, or turning its query and key.

Row 0 of a table belongs to the first token; the screen counts from 1.
"""

import numpy as np


def pair_angles(positions, width, base):
    """Return the angle of every position in every pair of columns."""
    pairs = np.arange(0, width, 2)
    return np.asarray(positions, np.float64)[..., None] * float(base) ** (-pairs / width)


def sinusoidal_positions(n, d_model, base=10000.0):  # -> (n, d_model)
    """Make one row of sines and cosines for each of `n` positions.

    Parameters
    ----------
    n : int
        Number of positions, 0 or more.
    d_model : int
        Width, 1 or more. An odd width ends with a sine that has no cosine beside it.
    base : float
        Columns 2i and 2i + 1 turn by ``base ** (-2i / d_model)`` radians a position: the first pair by 1,
        the last almost `base` times slower.

    Returns
    -------
    positions : (n, d_model) ndarray of float64

    Raises
    ------
    ValueError
        If `n` is negative or `d_model` is less than 1.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.5.
    """
    if n < 0 or d_model < 1:
        raise ValueError(f"n must be at least 0 and d_model at least 1; got n {n}, d_model {d_model}")
    angles = pair_angles(np.arange(n), d_model, base)  # (n, ceil(d_model / 2))
    positions = np.empty((n, d_model))
    positions[:, 0::2] = np.sin(angles)
    positions[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return positions
