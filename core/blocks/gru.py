"""The gated recurrent unit: gates decide, number by number, what of the state is kept and what is replaced.

Where a gate stays shut the state, and the gradient with it, passes unchanged.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.activations import sigmoid
from core.blocks.arrays import as_float, check_shapes
from core.blocks.linear import LinearCache, linear, linear_backward, sum_of_rows
from core.blocks.recurrence import in_order_of_time, to_order_of_batch, to_order_of_time


class GruCache(NamedTuple):
    """How the tokens entered, and what every step made of them, in order of time; states[0] is the start."""

    entering: LinearCache
    states: np.ndarray
    reset: np.ndarray
    update: np.ndarray
    candidate: np.ndarray
    recalled: np.ndarray  # what the candidate remembers of the state before
    w_h: np.ndarray
    b_h: np.ndarray | None
    reset_after: bool
    leading: tuple


def gru(x, w_x, w_h, b_x=None, b_h=None, h0=None, reset_after=True):
    # (..., n, d_in), (d_in, 3 d_hidden), (d_hidden, 3 d_hidden), ... -> (..., n, d_hidden)
    """Read a sequence from left to right through two gates.

    ``reset = sigmoid(.)``, ``update = sigmoid(.)``, ``candidate = tanh(x_t @ w + b + reset * (h @ u + c))``,
    ``h_t = (1 - update) * candidate + update * h_{t-1}``.

    Parameters
    ----------
    x : (..., n, d_in) array_like
        Token vectors.
    w_x, w_h : (d_in, 3 d_hidden) and (d_hidden, 3 d_hidden) array_like
        How a token and how the state before it enter; columns for reset, update, candidate.
    b_x, b_h : (3 d_hidden,) array_like, optional
        Shifts of the two.
    h0 : (..., d_hidden) array_like, optional
        State before the first token; without it 0.
    reset_after : bool
        Whether the reset gate acts after the product with `w_h`, as above, or on the state before it, as in
        the first version of the paper.

    Returns
    -------
    out : (..., n, d_hidden) ndarray
        The state after each token.
    cache : GruCache
        For `gru_backward`.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    References ---------- Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder for
    Statistical Machine Translation" (2014), section 2.3.
    """
    w_x, w_h, b_h = as_float(w_x), as_float(w_h), None if b_h is None else as_float(b_h)
    d = w_h.shape[0]
    fits = w_h.shape == (d, 3 * d) and w_x.shape[1:] == (3 * d,)
    check_shapes(fits, "w_x and w_h must have three columns for each number of the state", w_x=w_x, w_h=w_h)
    check_shapes(b_h is None or b_h.shape == (3 * d,), "b_h must fit the columns of w_h", b_h=b_h, w_h=w_h)
    x, h, leading = in_order_of_time(x, h0, d)
    entering, entering_cache = linear(x, w_x, b_x)  # 1  all tokens at once: this part waits for nothing
    kind = np.result_type(entering, h, w_h)
    states = np.empty((len(x) + 1, *h.shape), kind)
    steps = np.empty((4, len(x), *h.shape), kind)
    states[0] = h
    for t in range(len(x)):  # each state waits for the one before
        states[t + 1], steps[:, t] = _step(entering[t], states[t], w_h, b_h, reset_after)
    cache = GruCache(entering_cache, states, *steps, w_h, b_h, reset_after, leading)
    return to_order_of_batch(states[1:], leading), cache


def _step(entering, h, w_h, b_h, reset_after):
    """Make one state from the one before; also return reset, update, candidate and what was recalled."""
    d = len(w_h)
    b_gates, b_candidate = (0, 0) if b_h is None else (b_h[: 2 * d], b_h[2 * d :])
    gates, _ = sigmoid(entering[:, : 2 * d] + h @ w_h[:, : 2 * d] + b_gates)  # 2
    reset, update = gates[:, :d], gates[:, d:]
    recalled = (h if reset_after else reset * h) @ w_h[:, 2 * d :] + b_candidate  # 3
    candidate = np.tanh(entering[:, 2 * d :] + (reset * recalled if reset_after else recalled))  # 4
    return (1 - update) * candidate + update * h, (reset, update, candidate, recalled)  # 5


def gru_backward(dout, cache):
    """Send a gradient back through `gru`, from the last token to the first.

    Parameters
    ----------
    dout : (..., n, d_hidden) ndarray
        Gradient of the loss with respect to every state.
    cache : GruCache
        As returned by `gru`.

    Returns
    -------
    dx, dw_x, dw_h, db_x, db_h, dh0 : ndarray
        In the shapes of the inputs. db_x, db_h are None where there was no such shift; dh0 is there in any
        case.
    """
    dout = to_order_of_time(dout)  # (n, batch, d_hidden)
    n, batch, d = dout.shape
    dentering, drecalling = np.empty((2, n, batch, 3 * d), dout.dtype)
    dh = np.zeros_like(cache.states[0])
    for t in reversed(range(n)):
        dh, dentering[t], drecalling[t] = _step_backward(dout[t] + dh, t, cache)  # 5 4 3 2
    h = cache.states[:-1]
    heard = (
        h if cache.reset_after else cache.reset * h
    )  # what the candidate's columns of w_h were multiplied by
    drows, dgates = drecalling.reshape(-1, 3 * d), drecalling[..., : 2 * d].reshape(-1, 2 * d)
    dw_gates = h.reshape(-1, d).T @ dgates  # 2
    dw_candidate = heard.reshape(-1, d).T @ drows[:, 2 * d :]  # 3
    dw_h = np.concatenate([dw_gates, dw_candidate], axis=1)
    db_h = None if cache.b_h is None else sum_of_rows(drows)
    dx, dw_x, db_x = linear_backward(dentering, cache.entering)  # 1
    return to_order_of_batch(dx, cache.leading), dw_x, dw_h, db_x, db_h, dh.reshape(*cache.leading, d)


def _step_backward(dh_new, t, cache):
    """Undo one step: the gradients of the state before, of what entered, and of the products with `w_h`."""
    h, w_h, d = cache.states[t], cache.w_h, len(cache.w_h)
    reset, update, candidate, recalled = (part[t] for part in cache[2:6])
    dcandidate = dh_new * (1 - update) * (1 - candidate * candidate)  # 5 4
    dupdate = dh_new * (h - candidate) * update * (1 - update)  # 5
    drecalled = dcandidate * reset if cache.reset_after else dcandidate
    dheard = drecalled @ w_h[:, 2 * d :].T  # 3
    dreset = (dcandidate * recalled if cache.reset_after else dheard * h) * reset * (1 - reset)  # 4 or 3
    dgates = np.concatenate([dreset, dupdate], axis=1)
    dh = dh_new * update + (dheard if cache.reset_after else dheard * reset) + dgates @ w_h[:, : 2 * d].T  # 2
    return dh, np.concatenate([dgates, dcandidate], axis=1), np.concatenate([dgates, drecalled], axis=1)
