"""Convolution along a sequence: one small window of weights slides over the tokens (lecture: where to look?).

The window decides by place alone who is looked at. Its backward is a convolution too, with the window
turned round.
"""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from core.blocks.arrays import as_float, check_shapes
from core.blocks.linear import sum_of_rows


class ConvolutionCache(NamedTuple):
    """Every window that the weights saw, and how the windows were laid."""

    windows: np.ndarray
    x_shape: tuple
    w: np.ndarray
    b: np.ndarray | None
    padding: tuple
    stride: int
    dilation: int
    groups: int


def convolution(x, w, b=None, *, padding="same", stride=1, dilation=1, groups=1):
    # (..., n, d_in), (k, d_in / groups, d_out), (d_out,) -> (..., n_out, d_out)
    """Weigh up the k tokens under a window, at every place of the sequence.

    Parameters
    ----------
    x : (..., n, d_in) array_like
        Token vectors.
    w : (k, d_in / groups, d_out) array_like
        One matrix for each place of the window, the leftmost first (no kernel flip).
    b : (d_out,) array_like, optional
        Shift.
    padding : {"same", "causal", "valid"} or (int, int)
        Zeros on the left and on the right: as many tokens out as in, with the window centred or ending at
        its token; none; or as many as said. "same" gives a window of even span its extra zero on the right.
    stride : int
        Places from one window to the next.
    dilation : int
        Places from one token of a window to the next.
    groups : int
        Numbers of a token are cut into so many parts that do not see each other (d_in: each sees only
        itself).

    Returns
    -------
    out : (..., n_out, d_out) ndarray
    cache : ConvolutionCache
        For `convolution_backward`.

    Raises
    ------
    ValueError
        If the shapes do not fit, or the padded sequence is shorter than a window.

    References ---------- Dumoulin, Visin, "A guide to convolution arithmetic for deep learning" (2016); van
    den Oord et al., "WaveNet" (2016), section 2.1, for causal and dilated windows.
    """
    x, w, b = as_float(x), as_float(w), None if b is None else as_float(b)
    left, right = padding_of(padding, len(w), dilation)
    _check(x, w, b, left + right, dilation, groups)
    padded = _pad(x.reshape(-1, *x.shape[-2:]), left, right)  # 1  (batch, left + n + right, d_in)
    windows = _windows(padded, len(w), stride, dilation, groups)  # 2  (groups, rows, k d_in / groups)
    out = _join(windows @ _matrices(w, groups))  # 3  (rows, d_out)
    if b is not None:
        out += b  # 4
    cache = ConvolutionCache(windows, x.shape, w, b, (left, right), stride, dilation, groups)
    n_out = (padded.shape[1] - _span(len(w), dilation)) // stride + 1
    return out.reshape(*x.shape[:-2], n_out, w.shape[2]), cache


def convolution_backward(
    dout, cache
):  # (..., n_out, d_out) -> (..., n, d_in), (k, d_in / groups, d_out), (d_out,)
    """Send a gradient back through `convolution`.

    Parameters
    ----------
    dout : (..., n_out, d_out) ndarray
        Gradient of the loss with respect to `out`.
    cache : ConvolutionCache
        As returned by `convolution`.

    Returns
    -------
    dx : (..., n, d_in) ndarray
    dw : (k, d_in / groups, d_out) ndarray
    db : (d_out,) ndarray or None
        None where there was no `b`.
    """
    windows, x_shape, w, b, (left, right), stride, dilation, groups = cache
    k, d_group, d_out = w.shape
    rows = dout.reshape(-1, d_out)
    db = None if b is None else sum_of_rows(rows)  # 4
    dw = windows.swapaxes(1, 2) @ rows.reshape(len(rows), groups, -1).swapaxes(
        0, 1
    )  # 3  (groups, k d_group, ...)
    dw = dw.reshape(groups, k, d_group, -1).transpose(1, 2, 0, 3).reshape(w.shape)
    # 2  A token stood under the last place of its first window and under the first place of its last one,
    #    so the
    #    gradients are gathered by the window turned round; between two strides nothing looked.
    span, n, dout = _span(k, dilation), x_shape[-2], dout.reshape(-1, *dout.shape[-2:])
    spread = np.zeros((len(dout), left + n + right + span - 1, d_out), dout.dtype)
    spread[:, span - 1 : span + (dout.shape[1] - 1) * stride : stride] = dout
    turned = w[::-1].reshape(k, d_group, groups, -1).transpose(0, 3, 2, 1).reshape(k, -1, groups * d_group)
    dpadded = _join(_windows(spread, k, 1, dilation, groups) @ _matrices(turned, groups))
    dpadded = dpadded.reshape(len(dout), -1, x_shape[-1])
    return dpadded[:, left : left + n].reshape(x_shape), dw, db  # 1


def padding_of(padding, k, dilation=1):
    """Return how many zeros the named padding puts on the left and on the right."""
    reach = _span(k, dilation) - 1
    named = {"same": (reach // 2, reach - reach // 2), "causal": (reach, 0), "valid": (0, 0)}
    if isinstance(padding, str) and padding not in named:
        raise ValueError(f"padding must be one of {sorted(named)} or (left, right); got {padding!r}")
    return named[padding] if isinstance(padding, str) else tuple(padding)


def _span(k, dilation):
    """Return how many places a window covers, from its first token to its last."""
    return (k - 1) * dilation + 1


def _check(x, w, b, zeros, dilation, groups):
    fits = w.ndim == 3 and x.ndim >= 2 and x.shape[-1] == w.shape[1] * groups and w.shape[2] % groups == 0
    check_shapes(fits, f"x must be (..., n, d_in), w (k, d_in / {groups}, d_out)", x=x, w=w)
    check_shapes(b is None or b.shape == w.shape[2:], "b must have one entry for each output of w", b=b, w=w)
    fits = x.shape[-2] + zeros >= _span(len(w), dilation)
    check_shapes(fits, f"the sequence and {zeros} zeros must be as long as a window", x=x, w=w)


def _pad(x, left, right):
    """Put zeros around the sequence, the middle axis."""
    padded = np.zeros((len(x), left + x.shape[1] + right, x.shape[2]), x.dtype)
    padded[:, left : left + x.shape[1]] = x
    return padded


def _windows(x, k, stride, dilation, groups):  # (batch, n, d) -> (groups, batch n_out, k d / groups)
    """Lay every window out as a row, so that one product does all of them."""
    windows = sliding_window_view(x, _span(k, dilation), axis=1)[:, ::stride, :, ::dilation]  # (..., d, k)
    parts = windows.swapaxes(2, 3).reshape(
        *windows.shape[:2], k, groups, -1
    )  # (batch, n_out, k, groups, d_group)
    return parts.transpose(3, 0, 1, 2, 4).reshape(groups, windows.shape[0] * windows.shape[1], -1)


def _matrices(w, groups):  # (k, d_group, d_out) -> (groups, k d_group, d_out / groups)
    k, d_group, _ = w.shape
    return w.reshape(k, d_group, groups, -1).transpose(2, 0, 1, 3).reshape(groups, k * d_group, -1)


def _join(parts):  # (groups, rows, d) -> (rows, groups d)
    return parts.swapaxes(0, 1).reshape(parts.shape[1], -1)
