"""Mixing by recurrence: one word after the other is worked into a state, from left to right.

What is read at a word knows that word and those before it, nothing of what follows.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.gru import GruCache, gru, gru_backward
from core.blocks.recurrence import RnnCache, rnn, rnn_backward
from core.blocks.rows import RowsCache, pick_rows, pick_rows_backward


class Recurrent(NamedTuple):
    """Settings: width of the words, numbers of the state, and whether gates guard it (GRU) or not (tanh)."""

    d_model: int = 32
    d_hidden: int = 56
    gated: bool = True

    @property
    def width(self):
        """How wide a row that is read is."""
        return self.d_hidden


class RecurrentParams(NamedTuple):
    """How a word and how the state before it enter; a GRU has three columns for each number of the state."""

    w_x: np.ndarray  # (d_model, d_hidden or 3 d_hidden)
    w_h: np.ndarray  # (d_hidden, d_hidden or 3 d_hidden)
    b: np.ndarray  # (d_hidden or 3 d_hidden,)


class RecurrentCache(NamedTuple):
    """What ran, and which rows were read."""

    states: RnnCache | GruCache
    rows: RowsCache | None


def init_recurrent(rng, settings, dtype=np.float32):
    """Draw the parameters: inputs from N(0, 1 / fan-in), states turned without being stretched, shifts 0."""
    d, h, parts = settings.d_model, settings.d_hidden, 3 if settings.gated else 1
    w_x = rng.normal(0, 1 / np.sqrt(d), (d, parts * h))
    turns = [np.linalg.qr(rng.standard_normal((h, h)))[0] for _ in range(parts)]
    return RecurrentParams(w_x.astype(dtype), np.hstack(turns).astype(dtype), np.zeros(parts * h, dtype))


def recurrent(words, params, settings, rows=None):  # (batch, n, d_model) -> (batch, m or n, d_hidden)
    """Read the words from left to right and hand out the states after the words that are asked for."""
    layer = gru if settings.gated else rnn
    out, states = layer(words, params.w_x, params.w_h, params.b)  # 1
    out, picked = (out, None) if rows is None else pick_rows(out, rows)  # 2
    return out, RecurrentCache(states, picked)


def recurrent_backward(dout, cache):  # (batch, m or n, d_hidden) -> (batch, n, d_model), RecurrentParams
    """Send a gradient back through `recurrent`."""
    dstates = dout if cache.rows is None else pick_rows_backward(dout, cache.rows)  # 2
    send_back = gru_backward if isinstance(cache.states, GruCache) else rnn_backward
    dwords, dw_x, dw_h, db, *_ = send_back(dstates, cache.states)  # 1
    return dwords, RecurrentParams(dw_x, dw_h, db)
