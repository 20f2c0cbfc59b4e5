"""The logarithm of a sum of exponentials: a maximum with its corner rounded off, whose slope is softmax."""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float
from core.blocks.softmax import softmax


class LogSumExpCache(NamedTuple):
    """How much each entry moves the result."""

    weights: np.ndarray


def log_sum_exp(x):  # (..., n) -> (...)
    """Take ``log sum_j exp(x_j)`` along the last axis without overflow.

    Parameters
    ----------
    x : (..., n) array_like
        Scores; -inf takes no part.

    Returns
    -------
    out : (...) ndarray
        Between the largest entry and that plus ``log n``; -inf where no entry takes part.
    cache : LogSumExpCache
        For `log_sum_exp_backward`.
    """
    x = as_float(x)
    weights, _ = softmax(x)  # 1
    largest = weights.max(axis=-1, initial=0)  # 2  it belongs to the peak and is exp(peak - out)
    peak = x.max(axis=-1, initial=-np.inf)
    return peak - np.log(np.where(largest > 0, largest, 1)), LogSumExpCache(weights)  # 3


def log_sum_exp_backward(dout, cache):  # (...) -> (..., n)
    """Send a gradient back through `log_sum_exp`: every entry gets its share."""
    return np.asarray(dout)[..., None] * cache.weights  # 3 2 1
