"""The recurrent network: one token after the other is worked into a state that is passed on.

What the first token said reaches the last one only through every state in between, and so does its gradient.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes
from core.blocks.linear import LinearCache, linear, linear_backward


def in_order_of_time(
    x, h0, d_hidden
):  # (..., n, d_in), (..., d_hidden) -> (n, batch, d_in), (batch, d_hidden)
    """Bring tokens and start state into the order of the loop; also return the leading axes."""
    x = as_float(x)
    check_shapes(x.ndim >= 2, "x must have an axis of tokens and one of their numbers", x=x)
    leading = x.shape[:-2]
    h0 = np.zeros((*leading, d_hidden), x.dtype) if h0 is None else as_float(h0)
    check_shapes(h0.shape == (*leading, d_hidden), "h0 must be one state for each sequence", x=x, h0=h0)
    return to_order_of_time(x), h0.reshape(-1, d_hidden), leading


def to_order_of_time(x):  # (..., n, d) -> (n, batch, d)
    """Put time first: what the loop touches at once then lies side by side. The result is always a copy."""
    batch = int(np.prod(x.shape[:-2]))
    return x.reshape(batch, *x.shape[-2:]).swapaxes(0, 1).copy()


def to_order_of_batch(x, leading):  # (n, batch, d) -> (..., n, d)
    """Undo `to_order_of_time`."""
    return x.swapaxes(0, 1).reshape(*leading, len(x), x.shape[2])


class RnnCache(NamedTuple):
    """How the tokens entered, and every state, in order of time; the start state comes first."""

    entering: LinearCache
    states: np.ndarray
    w_h: np.ndarray
    activation: str
    leading: tuple


def rnn(x, w_x, w_h, b=None, h0=None, activation="tanh"):
    # (..., n, d_in), (d_in, d_hidden), (d_hidden, d_hidden), (d_hidden,), (..., d_hidden) -> (..., n,
    # d_hidden)
    """Read a sequence from left to right: ``h_t = activation(x_t @ w_x + h_{t-1} @ w_h + b)``.

    Parameters
    ----------
    x : (..., n, d_in) array_like
        Token vectors.
    w_x, w_h : (d_in, d_hidden) and (d_hidden, d_hidden) array_like
        How a token and how the state before it enter the new state.
    b : (d_hidden,) array_like, optional
        Shift.
    h0 : (..., d_hidden) array_like, optional
        State before the first token; without it 0.
    activation : {"tanh", "relu", "linear"}
        The linear one passes on exactly what `w_h` makes of a state.

    Returns
    -------
    out : (..., n, d_hidden) ndarray
        The state after each token.
    cache : RnnCache
        For `rnn_backward`.

    Raises
    ------
    ValueError
        If the shapes do not fit or the activation is unknown.

    References
    ----------
    Elman, "Finding Structure in Time" (1990).
    """
    if activation not in ("tanh", "relu", "linear"):
        raise ValueError(f'activation must be "tanh", "relu" or "linear"; got {activation!r}')
    w_x, w_h = as_float(w_x), as_float(w_h)
    fits = w_h.ndim == 2 and w_h.shape[0] == w_h.shape[1] == w_x.shape[-1]
    check_shapes(fits, "w_h must be as wide as w_x, and square", w_x=w_x, w_h=w_h)
    x, h0, leading = in_order_of_time(x, h0, len(w_h))
    entering, entering_cache = linear(x, w_x, b)  # 1  all tokens at once: this part waits for nothing
    states = np.empty((len(x) + 1, *h0.shape), np.result_type(entering, h0, w_h))
    states[0] = h0
    for t in range(len(x)):  # each state waits for the one before
        total = entering[t] + states[t] @ w_h  # 2
        if activation == "tanh":
            total = np.tanh(total)  # 3
        elif activation == "relu":
            total = np.maximum(total, 0)
        states[t + 1] = total
    return to_order_of_batch(states[1:], leading), RnnCache(entering_cache, states, w_h, activation, leading)


def rnn_backward(dout, cache):
    """Send a gradient back through `rnn`, from the last token to the first.

    Parameters
    ----------
    dout : (..., n, d_hidden) ndarray
        Gradient of the loss with respect to every state.
    cache : RnnCache
        As returned by `rnn`.

    Returns
    -------
    dx, dw_x, dw_h, db, dh0 : ndarray
        In the shapes of the inputs. db is None where there was no `b`; dh0 is there in any case.

    References
    ----------
    Werbos, "Backpropagation Through Time: What It Does and How to Do It" (1990).
    """
    entering_cache, states, w_h, activation, leading = cache
    before, after = states[:-1], states[1:]
    slope = {"tanh": 1 - after * after, "relu": after > 0, "linear": np.ones_like(after)}[activation]
    dtotal = to_order_of_time(dout)  # (n, batch, d_hidden), turned step by step into what it is called
    dh = np.zeros_like(states[0])
    for t in reversed(range(len(dtotal))):
        dtotal[t] += dh  # a state is read out, and it is passed on
        dtotal[t] *= slope[t]  # 3
        dh = dtotal[t] @ w_h.T  # 2
    d_hidden = len(w_h)
    dw_h = before.reshape(-1, d_hidden).T @ dtotal.reshape(-1, d_hidden)  # 2  one product for all steps
    dx, dw_x, db = linear_backward(dtotal, entering_cache)  # 1
    return to_order_of_batch(dx, leading), dw_x, dw_h, db, dh.reshape(*leading, d_hidden)
