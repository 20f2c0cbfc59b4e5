"""Rows: the few tokens of a sentence that go on, such as the one at which the answer is read.

The last block of a model need not ask on behalf of tokens that nobody reads; leaving them out is exact.
"""

import math
from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes


class RowsCache(NamedTuple):
    """Where the rows lay once all sentences stand below each other, and the shape of the whole."""

    flat: np.ndarray  # (..., m)
    x_shape: tuple


def pick_rows(x, rows):  # (..., n, d), (..., m) -> (..., m, d)
    """Take the rows at the given places of each sentence.

    Parameters
    ----------
    x : (..., n, d) array_like
    rows : (..., m) array_like of int
        Places from 0 to n - 1, m for each sentence; a place may be named twice.

    Returns
    -------
    out : (..., m, d) ndarray
    cache : RowsCache
        For `pick_rows_backward`.

    Raises
    ------
    ValueError
        If shapes do not fit or a place does not exist.
    """
    x, rows = as_float(x), np.asarray(rows)
    check_shapes(x.shape[:-2] == rows.shape[:-1], "rows need places for each sentence of x", x=x, rows=rows)
    n, d = x.shape[-2:]
    if rows.size and not 0 <= rows.min() <= rows.max() < n:
        raise ValueError(f"rows must be from 0 to {n - 1}; got {rows.min()} to {rows.max()}")
    sentences = np.arange(math.prod(rows.shape[:-1])).reshape(*rows.shape[:-1], 1)
    flat = rows + n * sentences
    return x.reshape(-1, d).take(flat, axis=0), RowsCache(flat, x.shape)


def pick_rows_backward(dout, cache):  # (..., m, d) -> (..., n, d)
    """Put every gradient back in its place; rows that nobody took get 0."""
    flat, shape = cache
    dx = np.zeros(shape, dout.dtype)
    rows = dx.reshape(-1, shape[-1])
    if flat.shape[-1] == 1:  # one of each sentence: no two meet
        rows[flat] = dout
    else:
        np.add.at(rows, flat, dout)
    return dx
