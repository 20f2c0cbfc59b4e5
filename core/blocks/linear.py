"""The linear layer: every row of numbers goes through the same matrix (lesson 11), plus a shift.

Projections to queries, keys and values, the two layers of the MLP and the read-out of a model all are this.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes, ones


def sum_of_rows(x):  # (..., d) -> (d,)
    """Add up all rows; a product with a row of ones is several times as fast as a sum."""
    rows = x.reshape(-1, x.shape[-1])
    return ones(len(rows), x.dtype.char) @ rows


class LinearCache(NamedTuple):
    """What the backward pass of a linear layer needs."""

    x: np.ndarray
    w: np.ndarray
    b: np.ndarray | None


def linear(x, w, b=None):  # (..., d_in), (d_in, d_out), (d_out,) -> (..., d_out)
    """Multiply every row of `x` by `w` and add `b`.

    Parameters
    ----------
    x : (..., d_in) array_like
        Rows of numbers; the leading axes are kept.
    w : (d_in, d_out) array_like
        Weights. A row of `w` belongs to an input, a column to an output; books that write columns say ``W
        x``.
    b : (d_out,) array_like, optional
        Shift, the same for every row.

    Returns
    -------
    out : (..., d_out) ndarray
    cache : LinearCache
        For `linear_backward`.

    Raises
    ------
    ValueError
        If the last axis of `x` and the first of `w` differ, or `b` does not fit the columns of `w`.
    """
    x, w, b = as_float(x), as_float(w), None if b is None else as_float(b)
    fits = w.ndim == 2 and x.shape[-1:] == w.shape[:1]
    check_shapes(fits, "the last axis of x must be as long as the first of w, a matrix", x=x, w=w)
    check_shapes(b is None or b.shape == w.shape[1:], "b must have one entry for each column of w", b=b, w=w)
    rows = x.reshape(-1, w.shape[0])  # 1  one large product is faster than many small ones
    out = rows @ w  # 2  (rows, d_out)
    if b is not None:
        out += b  # 3
    return out.reshape(*x.shape[:-1], w.shape[1]), LinearCache(x, w, b)


def linear_backward(dout, cache):  # (..., d_out) -> (..., d_in), (d_in, d_out), (d_out,)
    """Send a gradient back through `linear`.

    Parameters
    ----------
    dout : (..., d_out) ndarray
        Gradient of the loss with respect to `out`.
    cache : LinearCache
        As returned by `linear`.

    Returns
    -------
    dx : (..., d_in) ndarray
    dw : (d_in, d_out) ndarray
    db : (d_out,) ndarray or None
        None where there was no `b`.
    """
    x, w, b = cache
    dout = dout.reshape(-1, w.shape[1])  # (rows, d_out)
    db = None if b is None else sum_of_rows(dout)  # 3  every row used the same shift
    dw = x.reshape(-1, w.shape[0]).T @ dout  # 2
    dx = (dout @ w.T).reshape(x.shape)  # 1
    return dx, dw, db
