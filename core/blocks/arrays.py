"""What every block asks of its arrays at the public border: a float kind it can trust, and shapes that fit.

Each block checks once, where the reader calls it, and nowhere inside.
"""

import math
from functools import lru_cache

import numpy as np

SHORT_ROW = 64  # numbers; NumPy is slow along shorter ones


def as_float(x):
    """Return `x` as an array of floats that a block may compute in.

    Half precision is widened because its largest number is 65504: a dot product of 512 twelves leaves it.

    Parameters
    ----------
    x : array_like
        Numbers of any kind.

    Returns
    -------
    ndarray
        `x` itself where it is float32 or float64, a float64 copy of everything else (float16, integers,
        lists).
    """
    x = np.asarray(x)
    return x if x.dtype.char in "fd" else x.astype(np.float64)  # the letters of float32 and float64


def check_shapes(fits, rule, **arrays):
    """Raise a ValueError that states the rule and quotes the shape of every array, unless `fits`.

    Parameters
    ----------
    fits : bool
        Whether the arrays obey the rule.
    rule : str
        The rule as a sentence, such as "the last axis of x must be as long as the first axis of w".
    **arrays : ndarray
        The arrays that the rule speaks of, under the names that the reader knows them by.

    Raises
    ------
    ValueError
        If `fits` is false.
    """
    if not fits:
        shapes = ", ".join(f"{name} {np.shape(array)}" for name, array in arrays.items())
        raise ValueError(f"{rule}; got {shapes}")


def sum_to_shape(dx, shape):
    """Undo broadcasting: add up the gradients of the copies that broadcasting made of an array.

    Parameters
    ----------
    dx : ndarray
        Gradient of the loss with respect to the broadcast array.
    shape : tuple of int
        Shape of the array before it was broadcast, with as many axes as `dx`.

    Returns
    -------
    ndarray of shape `shape`
    """
    if dx.shape == shape:
        return dx
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1 and dx.shape[axis] != 1)
    return dx.sum(axis=stretched, keepdims=True)


def sums_of_rows(x):  # (..., d) -> (..., 1)
    """Add up each row; along a short axis a product with ones is several times as fast as a sum.

    Parameters
    ----------
    x : (..., d) ndarray

    Returns
    -------
    (..., 1) ndarray
    """
    *leading, d = x.shape
    if d > SHORT_ROW:
        return x.sum(axis=-1, keepdims=True)
    rows = x.reshape(math.prod(leading), d)
    return (rows @ ones(d, x.dtype.char)).reshape(*leading, 1)


def dots_of_rows(a, b):  # (..., d), (..., d) -> (..., 1)
    """Multiply each row with the one at its place in the other array, and add up.

    NumPy's own product of rows needs no array in between, but is slow to start: it pays for long rows.
    """
    if a.shape[-1] > SHORT_ROW:
        return np.vecdot(a, b)[..., None]
    return sums_of_rows(a * b)


@lru_cache(maxsize=256)
def ones(n, kind):  # -> (n,)
    """Give a row of ones, made once for each length; nobody may write into it."""
    row = np.ones(n, kind)
    row.flags.writeable = False
    return row
