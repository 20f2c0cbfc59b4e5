"""Mixing by one large matrix: the words are laid side by side, and every place has weights of its own.

It assumes nothing about which places belong together, and nothing learned at one place serves another.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import check_shapes
from core.blocks.mlp import MLPCache, MLPParams, mlp, mlp_backward


class Flat(NamedTuple):
    """Settings: longest sentence, width of the words and of the hidden layer."""

    n_max: int = 26
    d_model: int = 32
    d_hidden: int = 64
    width: int = 32  # of what is read


class FlatCache(NamedTuple):
    """What ran, and the shape of the words."""

    mlp: MLPCache
    words_shape: tuple


def init_flat(rng, settings, dtype=np.float32):
    """Draw the two layers from N(0, 1 / fan-in); shifts are 0."""

    def layer(d_in, d_out):
        return rng.normal(0, 1 / np.sqrt(d_in), (d_in, d_out)).astype(dtype), np.zeros(d_out, dtype)

    hidden = layer(settings.n_max * settings.d_model, settings.d_hidden)
    return MLPParams(*hidden, *layer(settings.d_hidden, settings.width))


def flat(words, params, settings, rows):  # (batch, n, d_model) -> (batch, 1, width)
    """Read a sentence as one long row, filled up with zeros; there is one thing to read, wherever asked.

    Raises
    ------
    ValueError
        If a sentence is longer than `n_max`, or more than one row is to be read.
    """
    batch, n, d_model = words.shape
    check_shapes(n <= settings.n_max, f"at most {settings.n_max} words", words=words)
    check_shapes(np.shape(rows) == (batch, 1), "one row of each sentence is read", rows=rows)
    row = np.zeros((batch, 1, settings.n_max * d_model), words.dtype)
    row[:, 0, : n * d_model] = words.reshape(batch, -1)  # 1
    out, cache = mlp(row, params)  # 2
    return out, FlatCache(cache, words.shape)


def flat_backward(dout, cache):  # (batch, 1, width) -> (batch, n, d_model), MLPParams
    """Send a gradient back through `flat`."""
    drow, dparams = mlp_backward(dout, cache.mlp)  # 2
    batch, n, d_model = cache.words_shape
    return drow[:, 0, : n * d_model].reshape(batch, n, d_model), dparams  # 1
