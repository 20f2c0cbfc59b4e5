"""Random matrices that change no sizes: in the mean, or exactly."""

import numpy as np


def projection(rng, *shape):  # -> shape, whose last two are (d_in, d_out)
    """Draw a matrix, or a stack of them, from N(0, 1 / d_in): it keeps sizes in the mean."""
    return rng.standard_normal(shape) / np.sqrt(shape[-2])


def orthogonal(rng, d):  # -> (d, d)
    """Draw a random rotation or reflection: it keeps every length (Mezzadri, 2007, section 5)."""
    q, r = np.linalg.qr(rng.standard_normal((d, d)))
    return q * np.sign(np.diag(r))  # so that all of them are equally likely
