"""Page 4: what happens to a gradient, to the numbers and to the words in a tower of 12, 24 or 48 blocks.

Nothing is trained and nothing is approximated: random words go up, a random gradient comes down, in float64.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.encoder_block import encoder_block_backward, init_block
from core.blocks.encoder_stack import StackParams, encoder_stack
from core.blocks.positions import sinusoidal_positions

D_MODEL, N_HEADS, D_FF = 32, 4, 64
N_SENTENCES, N_WORDS = 2, 16
FULL = {"norm": "pre", "residual": True, "use_mlp": True, "scale": True, "gain": 1}
SMALL = FULL | {"norm": "off", "gain": 0.5}
STORIES = {  # two towers each, the second one without a part of the first
    "highway": (SMALL, SMALL | {"residual": False}),
    "layer_norm": (FULL, FULL | {"norm": "off"}),
    "the_catch": (FULL, FULL | {"residual": False}),
}
SAME = 1e-6  # words whose diversity is below this are practically one word


class Depth(NamedTuple):
    """What is measured at the input (place 0) and after each block; every array is (n_layers + 1,)."""

    gradient: np.ndarray  # length of the gradient there, divided by its length at the output
    size: np.ndarray  # root mean square of all numbers
    diversity: np.ndarray  # how far the words of a sentence are from their mean, divided by the size


def go_deep(n_layers, *, gain=1.0, seed=0, **switches):  # -> Depth
    """Send words up a tower of random blocks and a random gradient down again.

    Parameters
    ----------
    n_layers : int
    gain : float
        Weights are drawn from N(0, gain^2 / fan-in).
    seed : int
        Of words, gradient and parameters. A higher tower of the same seed stands on the same blocks.
    **switches
        Those of `encoder_block`: norm, residual, use_mlp, scale.

    Returns
    -------
    Depth
    """
    rng = np.random.default_rng(seed)
    words, dout = rng.standard_normal((2, N_SENTENCES, N_WORDS, D_MODEL))
    words = words + sinusoidal_positions(N_WORDS, D_MODEL)
    params = StackParams(tuple(balanced_block(rng, gain) for _ in range(n_layers)))
    out, cache = encoder_stack(words, params, N_HEADS, **switches)
    arrays = [*(block.stages[0].array for block in cache.blocks), out]  # (n_sentences, n, d_model) each
    lengths = np.array([np.linalg.norm(gradient) for gradient in gradients(dout, cache)])
    return Depth(lengths / lengths[-1], *np.transpose([(rms(x), diversity(x)) for x in arrays]))


def balanced_block(rng, gain):  # -> BlockParams
    """Draw a block whose MLP keeps the size of what it is given, as its attention does, at gain 1.

    ReLU silences half of the hidden units, so what leaves them is made larger by the root of 2 (He et al.,
    "Delving Deep into Rectifiers", 2015, equation 10).
    """
    block = init_block(rng, D_MODEL, N_HEADS, D_FF, gain=gain)
    return block._replace(mlp=block.mlp._replace(w_2=np.sqrt(2) * block.mlp.w_2))


def gradients(dout, cache):  # (..., n, d_model) -> (n_layers + 1) x (..., n, d_model)
    """List the gradients at the input and after each block: all that `encoder_stack_backward` passes by."""
    found = [dout]
    for block in reversed(cache.blocks):
        dout, _ = encoder_block_backward(dout, block)
        found.append(dout)
    return found[::-1]


def rms(x):  # (...) -> float
    """Root mean square: the size of a typical number."""
    return np.sqrt(np.mean(x**2))


def diversity(x):  # (..., n, d) -> float
    """Size of what tells the words apart, as a share of the whole: 0 if all words of a sentence are equal."""
    return rms(x - x.mean(axis=-2, keepdims=True)) / rms(x)


def blocks_until_same(measured):  # Depth -> int or None
    """After how many blocks the words of a sentence are practically one word; None if they never are."""
    (places,) = np.nonzero(measured.diversity < SAME)
    return int(places[0]) if len(places) else None
