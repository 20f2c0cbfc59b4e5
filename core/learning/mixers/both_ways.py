"""A link by passing on: one tanh RNN reads from the left, one from the right, and a matrix joins them."""

from typing import NamedTuple

import numpy as np

from core.blocks.linear import LinearCache, linear, linear_backward
from core.blocks.recurrence import RnnCache, rnn, rnn_backward


class BothWays(NamedTuple):
    """Settings: numbers of each of the two states."""

    d_hidden: int = 12


class BothWaysParams(NamedTuple):
    """The network of each direction, and the matrix that joins them. Gradients come in the same form."""

    right: tuple  # w_x (d_model, d_hidden), w_h (d_hidden, d_hidden), b (d_hidden,)
    left: tuple
    w_o: np.ndarray  # (2 d_hidden, d_model)
    b_o: np.ndarray  # (d_model,)


class BothWaysCache(NamedTuple):
    """What ran."""

    right: RnnCache
    left: RnnCache
    out: LinearCache


def init_both_ways(rng, settings, d_model, dtype):
    """Draw inputs from N(0, 1 / fan-in); states are turned without being stretched; shifts are 0."""
    d, h = d_model, settings.d_hidden

    def one_way():
        w_x, turn = rng.normal(0, 1 / np.sqrt(d), (d, h)), np.linalg.qr(rng.standard_normal((h, h)))[0]
        return w_x.astype(dtype), turn.astype(dtype), np.zeros(h, dtype)

    right, left = one_way(), one_way()
    w_o = rng.normal(0, 1 / np.sqrt(2 * h), (2 * h, d)).astype(dtype)
    return BothWaysParams(right, left, w_o, np.zeros(d, dtype))


def both_ways(x, params, settings):  # (batch, n, d_model) -> (batch, n, d_model)
    """Read the words in both directions: one state knows what is before, one what is behind."""
    before, right = rnn(x, *params.right)  # 1  (batch, n, d_hidden)
    behind, left = rnn(x[:, ::-1], *params.left)  # 2
    both = np.concatenate([before, behind[:, ::-1]], axis=-1)  # 3
    out, joined = linear(both, params.w_o, params.b_o)  # 4
    return out, BothWaysCache(right, left, joined)


def both_ways_backward(dout, cache):  # (batch, n, d_model) -> (batch, n, d_model), BothWaysParams
    """Send a gradient back through `both_ways`."""
    dboth, dw_o, db_o = linear_backward(dout, cache.out)  # 4
    dbefore, dbehind = np.split(dboth, 2, axis=-1)  # 3
    dx_left, *dleft, _ = rnn_backward(dbehind[:, ::-1], cache.left)  # 2
    dx, *dright, _ = rnn_backward(dbefore, cache.right)  # 1
    return dx + dx_left[:, ::-1], BothWaysParams(tuple(dright), tuple(dleft), dw_o, db_o)
