"""A link by place: a small window over the neighbours, and a matrix for what it finds."""

from typing import NamedTuple

import numpy as np

from core.blocks.convolution import ConvolutionCache, convolution, convolution_backward
from core.blocks.linear import LinearCache, linear, linear_backward


class Window(NamedTuple):
    """Settings: how many neighbouring words a window covers, its own word in the middle."""

    kernel: int = 3


class WindowParams(NamedTuple):
    """The window, and the matrix after it. Gradients come in the same form."""

    w: np.ndarray  # (kernel, d_model, d_model)
    w_o: np.ndarray  # (d_model, d_model)
    b_o: np.ndarray  # (d_model,)


class WindowCache(NamedTuple):
    """The two parts that ran."""

    window: ConvolutionCache
    out: LinearCache


def init_window(rng, settings, d_model, dtype):
    """Draw both from N(0, 1 / fan-in); shifts are 0."""
    k, d = settings.kernel, d_model
    w, w_o = rng.normal(0, 1 / np.sqrt(k * d), (k, d, d)), rng.normal(0, 1 / np.sqrt(d), (d, d))
    return WindowParams(w.astype(dtype), w_o.astype(dtype), np.zeros(d, dtype))


def window(x, params, settings):  # (batch, n, d_model) -> (batch, n, d_model)
    """Weigh up the words under the window, padded with zeros, and project what was found."""
    found, window_cache = convolution(x, params.w)  # 1
    out, out_cache = linear(found, params.w_o, params.b_o)  # 2
    return out, WindowCache(window_cache, out_cache)


def window_backward(dout, cache):  # (batch, n, d_model) -> (batch, n, d_model), WindowParams
    """Send a gradient back through `window`."""
    dfound, dw_o, db_o = linear_backward(dout, cache.out)  # 2
    dx, dw, _ = convolution_backward(dfound, cache.window)  # 1
    return dx, WindowParams(dw, dw_o, db_o)
