"""Mixing by convolution: layers of a small window, each word sees its neighbours and no one else."""

from typing import NamedTuple

import numpy as np

from core.blocks.activations import ReluCache, relu, relu_backward
from core.blocks.convolution import ConvolutionCache, convolution, convolution_backward
from core.blocks.norms import LayerNormCache, layer_norm, layer_norm_backward
from core.blocks.rows import RowsCache, pick_rows, pick_rows_backward


class Convolution(NamedTuple):
    """Settings: one window of `kernel` words a layer, its words `dilations[i]` places apart."""

    d_model: int = 32
    kernel: int = 3
    dilations: tuple = (1, 1, 1, 1, 1)

    @property
    def width(self):
        """How wide a row that is read is."""
        return self.d_model

    @property
    def reach(self):
        """How many words to each side can take part in what is read."""
        return (self.kernel - 1) // 2 * sum(self.dilations)


class ConvolutionParams(NamedTuple):
    """One window and one shift a layer."""

    w: tuple  # of (kernel, d_model, d_model)
    b: tuple  # of (d_model,)


class LayerCache(NamedTuple):
    """One layer: norm, convolution, ReLU."""

    norm: LayerNormCache
    conv: ConvolutionCache
    relu: ReluCache


class StackCache(NamedTuple):
    """All layers, and which rows were read."""

    layers: tuple
    rows: RowsCache | None


def init_convolutions(rng, settings, dtype=np.float32):
    """Draw the windows from N(0, 1 / fan-in); shifts are 0."""
    k, d = settings.kernel, settings.d_model
    w = tuple(rng.normal(0, 1 / np.sqrt(k * d), (k, d, d)).astype(dtype) for _ in settings.dilations)
    return ConvolutionParams(w, tuple(np.zeros(d, dtype) for _ in w))


def convolutions(words, params, settings, rows=None):  # (batch, n, d_model) -> (batch, m or n, d_model)
    """Send the words through the layers: ``x + relu(convolution(norm(x)))``, padded with zeros."""
    x, layers = words, []
    for w, b, dilation in zip(params.w, params.b, settings.dilations, strict=True):
        normed, norm_cache = layer_norm(x)  # 1
        moved, conv_cache = convolution(normed, w, b, dilation=dilation)  # 2
        bent, relu_cache = relu(moved)  # 3
        x = x + bent  # 4
        layers.append(LayerCache(norm_cache, conv_cache, relu_cache))
    x, picked = (x, None) if rows is None else pick_rows(x, rows)  # 5
    return x, StackCache(tuple(layers), picked)


def convolutions_backward(dout, cache):  # (batch, m or n, d_model) -> (batch, n, d_model), ConvolutionParams
    """Send a gradient back through `convolutions`."""
    dx = dout if cache.rows is None else pick_rows_backward(dout, cache.rows)  # 5
    dw, db = [], []
    for layer in reversed(cache.layers):
        dmoved = relu_backward(dx, layer.relu)  # 3
        dnormed, dw_layer, db_layer = convolution_backward(dmoved, layer.conv)  # 2
        dx = dx + layer_norm_backward(dnormed, layer.norm)[0]  # 4 1
        dw.append(dw_layer)
        db.append(db_layer)
    return dx, ConvolutionParams(tuple(reversed(dw)), tuple(reversed(db)))
