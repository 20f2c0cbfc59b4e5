"""Mixing by one large matrix: the words are laid side by side, and every place has weights of its own.

It assumes nothing about which places belong together, and nothing learned at one place serves another.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.activations import ReluCache, relu, relu_backward
from core.blocks.arrays import check_shapes
from core.blocks.linear import LinearCache, linear, linear_backward


class Flat(NamedTuple):
    """Settings: longest sentence, width of the words and of the hidden layer, which is read."""

    n_max: int = 26
    d_model: int = 32
    d_hidden: int = 64

    @property
    def width(self):
        """How wide what is read is."""
        return self.d_hidden


class FlatParams(NamedTuple):
    """One matrix for the whole sentence, and a shift."""

    w: np.ndarray  # (n_max * d_model, d_hidden)
    b: np.ndarray  # (d_hidden,)


class FlatCache(NamedTuple):
    """What ran, and the shape of the words."""

    layer: LinearCache
    bend: ReluCache
    words_shape: tuple


def init_flat(rng, settings, dtype=np.float32):
    """Draw the matrix from N(0, 1 / fan-in); shifts are 0."""
    d_in, d_out = settings.n_max * settings.d_model, settings.d_hidden
    return FlatParams(rng.normal(0, 1 / np.sqrt(d_in), (d_in, d_out)).astype(dtype), np.zeros(d_out, dtype))


def flat(words, params, settings, rows=None):  # (batch, n, d_model) -> (batch, 1, d_hidden)
    """Read a sentence as one long row, filled up with zeros; there is one thing to read, wherever asked.

    Raises
    ------
    ValueError
        If a sentence is longer than `n_max`, or more than one row is to be read.
    """
    batch, n, d_model = words.shape
    check_shapes(n <= settings.n_max, f"at most {settings.n_max} words", words=words)
    check_shapes(rows is None or np.shape(rows) == (batch, 1), "one row of each sentence is read", rows=rows)
    row = np.zeros((batch, 1, settings.n_max * d_model), words.dtype)
    row[:, 0, : n * d_model] = words.reshape(batch, -1)  # 1
    hidden, layer = linear(row, *params)  # 2
    out, bend = relu(hidden)  # 3
    return out, FlatCache(layer, bend, words.shape)


def flat_backward(dout, cache):  # (batch, 1, d_hidden) -> (batch, n, d_model), FlatParams
    """Send a gradient back through `flat`."""
    drow, dw, db = linear_backward(relu_backward(dout, cache.bend), cache.layer)  # 3 2
    batch, n, d_model = cache.words_shape
    return drow[:, 0, : n * d_model].reshape(batch, n, d_model), FlatParams(dw, db)  # 1
