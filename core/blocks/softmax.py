"""Softmax over the last axis: a row of scores becomes a row of shares that sum to one (lesson 33).

The axis is not a parameter. Rows are queries and columns are keys everywhere in this project, so the last
axis is the one to normalise, and no call can pick the wrong one. The logarithm stands beside it.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes, dots_of_rows, sums_of_rows


class SoftmaxCache(NamedTuple):
    """What the backward pass of softmax needs: its own result."""

    weights: np.ndarray


class LogSoftmaxCache(NamedTuple):
    """What the backward pass of log-softmax needs: its own result."""

    log_weights: np.ndarray


# Where the sum of a row lies between these, no power that counts was too small or too large for float32.
LEAST, MOST = 1e-10, 1e20


def _shift_to_zero(x):  # (..., n) -> (..., n)
    """Subtract each row's largest entry, which changes no share and keeps the exponential from overflowing.

    A row that is -inf throughout has no largest entry. The lowest finite number stands in for it, which no
    finite score can lie below, and the row stays -inf.
    """
    peak = np.maximum(x.max(axis=-1, keepdims=True, initial=-np.inf), np.finfo(x.dtype).min)
    with np.errstate(over="ignore"):  # a distance beyond the largest float is -inf, and that is right
        return x - peak


def softmax(x):  # (..., n) -> (..., n)
    """Turn each row of scores into positive shares that sum to one.

    Parameters
    ----------
    x : (..., n) array_like
        Scores. -inf marks an entry that takes no part.

    Returns
    -------
    weights : (..., n) ndarray
        ``exp(x_i) / sum_j exp(x_j)`` along the last axis. A row that is -inf throughout gets weights 0.
    cache : SoftmaxCache
        For `softmax_backward`.

    Raises
    ------
    ValueError
        If `x` is a single number.

    References
    ----------
    Bridle, "Probabilistic Interpretation of Feedforward Classification Network Outputs" (1990).
    """
    x = as_float(x)
    check_shapes(x.ndim > 0, "x must have rows", x=x)
    weights, total = powers(x)  # 1 2
    weights /= total  # 3
    return weights, SoftmaxCache(weights)


def powers(x):  # (..., n) -> (..., n), (..., 1)
    """Raise e to every score, and add up each row; in a row, all may be off by the same factor.

    A row is shifted only where powers leave the range: to look for the largest score of every row takes as
    long as all the rest.
    """
    with np.errstate(over="ignore"):
        raised = np.exp(x)  # 1
        total = sums_of_rows(raised)  # 2
    fits = (total > LEAST) & (total < MOST)  # False for nan too
    if not fits.all():
        rows = ~fits[..., 0]
        raised[rows] = np.exp(_shift_to_zero(x[rows]))
        # A row with an allowed entry now sums to at least 1, because its largest one gave exp(0) = 1. Lifting
        # the sum to 1 therefore touches only rows that sum to 0.
        total[rows] = np.maximum(sums_of_rows(raised[rows]), 1)
    return raised, total


def softmax_backward(dout, cache):  # (..., n) -> (..., n)
    """Send a gradient back through `softmax`.

    Every share lives at the cost of the others, so an entry moves by how far its own gradient lies above the
    row's weighted mean: ``dx_i = w_i (dout_i - sum_j w_j dout_j)``. Weights of 0 pass nothing on.

    Parameters
    ----------
    dout : (..., n) ndarray
        Gradient of the loss with respect to the weights.
    cache : SoftmaxCache
        As returned by `softmax`.

    Returns
    -------
    dx : (..., n) ndarray
    """
    weights = cache.weights
    mean = dots_of_rows(weights, dout)  # (..., n), (..., n) -> (..., 1)
    dx = dout - mean
    dx *= weights
    return dx


def log_softmax(x):  # (..., n) -> (..., n)
    """Return the logarithm of `softmax(x)` without passing through shares that round to 0.

    Parameters
    ----------
    x : (..., n) array_like
        Scores. -inf marks an entry that takes no part.

    Returns
    -------
    log_weights : (..., n) ndarray
        ``x_i - log sum_j exp(x_j)`` along the last axis; -inf where the score is -inf.
    cache : LogSoftmaxCache
        For `log_softmax_backward`.
    """
    x = as_float(x)
    shifted = _shift_to_zero(x)  # 1
    total = np.exp(shifted).sum(axis=-1, keepdims=True)  # 2
    # As in softmax, only a row without any entry is lifted.
    log_weights = shifted - np.log(np.maximum(total, 1))  # 3
    return log_weights, LogSoftmaxCache(log_weights)


def log_softmax_backward(dout, cache):  # (..., n) -> (..., n)
    """Send a gradient back through `log_softmax`: ``dx_i = dout_i - w_i sum_j dout_j``.

    Parameters
    ----------
    dout : (..., n) ndarray
        Gradient of the loss with respect to the log-weights.
    cache : LogSoftmaxCache
        As returned by `log_softmax`.

    Returns
    -------
    dx : (..., n) ndarray
    """
    return dout - np.exp(cache.log_weights) * dout.sum(axis=-1, keepdims=True)
