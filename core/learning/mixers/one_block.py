"""One block whose link between the words can be exchanged: by place, by content, or by passing on.

Around the link all is the same as in a Transformer block: norm, link, sum, norm, MLP, sum. So two models
differ in nothing but what they assume about who should hear from whom.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.mlp import MLPParams, mlp, mlp_backward
from core.blocks.norms import LayerNormCache, layer_norm, layer_norm_backward
from core.blocks.rows import RowsCache, pick_rows, pick_rows_backward
from core.blocks.sublayer import NormParams, SublayerCache, Wiring, sublayer, sublayer_backward
from core.learning.mixers.both_ways import BothWays, both_ways, both_ways_backward, init_both_ways
from core.learning.mixers.heads import Heads, heads, heads_backward, init_heads
from core.learning.mixers.windows import Window, init_window, window, window_backward

LINKS = {  # settings -> how they are drawn, run and sent back through
    Window: (init_window, window, window_backward),
    Heads: (init_heads, heads, heads_backward),
    BothWays: (init_both_ways, both_ways, both_ways_backward),
}


class OneBlock(NamedTuple):
    """Settings of the block, and of its link, which tell its kind."""

    link: NamedTuple
    d_model: int = 16
    d_ff: int = 32

    @property
    def width(self):
        """How wide a row that is read is."""
        return self.d_model


class OneBlockParams(NamedTuple):
    """Link and MLP, and the norms before each of them and at the end."""

    norm_1: NormParams
    link: NamedTuple
    norm_2: NormParams
    mlp: MLPParams
    norm_3: NormParams


class OneBlockCache(NamedTuple):
    """What ran; ``link.part`` is the cache of the link."""

    link: SublayerCache
    rows: RowsCache | None
    mlp: SublayerCache
    norm: LayerNormCache
    link_backward: object


def init_one_block(rng, settings, dtype=np.float32):
    """Draw the weights from N(0, 1 / fan-in); gains are 1, shifts 0."""
    init, _, _ = LINKS[type(settings.link)]
    d, h = settings.d_model, settings.d_ff
    link = init(rng, settings.link, d, dtype)
    w_1, w_2 = rng.normal(0, 1 / np.sqrt(d), (d, h)), rng.normal(0, 1 / np.sqrt(h), (h, d))
    layers = MLPParams(w_1.astype(dtype), np.zeros(h, dtype), w_2.astype(dtype), np.zeros(d, dtype))
    norms = [NormParams(np.ones(d, dtype), np.zeros(d, dtype)) for _ in range(3)]
    return OneBlockParams(norms[0], link, norms[1], layers, norms[2])


def one_block(words, params, settings, rows=None):  # (batch, n, d_model) -> (batch, m or n, d_model)
    """Link the words; what follows works on each word alone, and so only on those that are read."""
    _, run, send_back = LINKS[type(settings.link)]

    def link(x):
        return run(x, params.link, settings.link)

    x, linked = sublayer(words, link, params.norm_1, Wiring(), ("norm_1", "link", "add_1"))  # 1
    x, picked = (x, None) if rows is None else pick_rows(x, rows)  # 2
    x, moved = sublayer(
        x, lambda x: mlp(x, params.mlp), params.norm_2, Wiring(), ("norm_2", "mlp", "add_2")
    )  # 3
    out, norm = layer_norm(x, *params.norm_3)  # 4
    return out, OneBlockCache(linked, picked, moved, norm, send_back)


def one_block_backward(dout, cache):  # (batch, m or n, d_model) -> (batch, n, d_model), OneBlockParams
    """Send a gradient back through `one_block`."""
    dx, *dnorm_3 = layer_norm_backward(dout, cache.norm)  # 4
    dx, dmlp, dnorm_2 = sublayer_backward(dx, cache.mlp, mlp_backward)  # 3
    dx = dx if cache.rows is None else pick_rows_backward(dx, cache.rows)  # 2
    dx, dlink, dnorm_1 = sublayer_backward(dx, cache.link, cache.link_backward)  # 1
    return dx, OneBlockParams(dnorm_1, dlink, dnorm_2, dmlp, NormParams(*dnorm_3))
