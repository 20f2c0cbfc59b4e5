"""Page 4: the block of a Transformer, taken apart.

A sentence is sent through one block with random parameters. Everything shown is read from what the forward
pass recorded: a part that is switched off leaves no stage behind, so it cannot be drawn by mistake.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.encoder_block import BlockCache, encoder_block, init_block
from core.blocks.positions import sinusoidal_positions
from core.blocks.sublayer import Stage

WIDENING = 4  # the hidden layer of the MLP is four times as wide as a word, as in the paper


class Passage(NamedTuple):
    """A sentence on its way through a block."""

    out: np.ndarray  # (n, d_model)
    stages: tuple[Stage, ...]  # every array on the way, in the order in which they were made
    bypasses: tuple[
        tuple[int, int], ...
    ]  # (from, to): stage `to` is a sum that stage `from` went straight into
    cache: BlockCache


def pass_through(words, *, n_heads=4, seed=0, positions=True, **switches):  # (n, d_model) -> Passage
    """Send words through one block whose parameters are random.

    Parameters
    ----------
    words : (n, d_model) ndarray
    n_heads : int
        Has no influence on the parameters: the same numbers are cut into heads differently.
    seed : int
        Of the parameters.
    positions : bool
        Whether sinusoidal positions are added before the block.
    **switches
        Those of `encoder_block`: norm, residual, use_mlp, scale.

    Returns
    -------
    Passage
        Its stages are those of the block, with the bare "words" below "input" if positions were added.

    Raises
    ------
    ValueError
        If `d_model` is no multiple of `n_heads`, or a switch is unknown.
    """
    n, d_model = words.shape
    params = init_block(np.random.default_rng(seed), d_model, n_heads, WIDENING * d_model)
    x = words + sinusoidal_positions(n, d_model) if positions else words
    out, cache = encoder_block(x, params, n_heads, **switches)
    below = (Stage("words", words),) if positions else ()
    return Passage(out, below + cache.stages, tuple(bypasses(cache, len(below))), cache)


def bypasses(cache, n_below=0):
    """Where a path led past a part, as (from, to) places among the stages.

    `n_below` stages stand below the block. A path starts at what its part was given, and ends in the sum.
    """
    given = n_below  # the place of "input"
    for sublayer in (cache.attention_sublayer, cache.mlp_sublayer):
        stages = sublayer.stages if sublayer else ()
        for place, stage in enumerate(stages, start=given + 1):
            if stage.name.startswith("add"):
                yield given, place
        given += len(stages)


class Sizes(NamedTuple):
    """Mean and spread of each stage; all arrays are (n_stages,)."""

    mean: np.ndarray
    spread: np.ndarray  # standard deviation over all numbers of the stage
    least: np.ndarray  # spread of the word with the least ...
    most: np.ndarray  # ... and of the one with the most


def sizes(stages):  # n_stages x (n, d_model) -> Sizes
    """Measure every stage; a word's own spread is taken over its d_model numbers, as layer norm does."""
    rows = []
    for _, x in stages:
        own = x.std(axis=-1)  # (n,)
        rows.append((x.mean(), x.std(), own.min(), own.max()))
    return Sizes(*map(np.array, zip(*rows, strict=True)))


def whole_bound(x):  # (n, d_model) -> int
    """The smallest whole number, 1 or more, that no entry exceeds: the ends of the scale of colours."""
    return max(1, int(np.ceil(np.abs(x).max())))


def likeness(a, b):  # (n, d_model), (n, d_model) -> float
    """Correlation of two arrays, entry by entry: 1 if one is a stretched copy of the other, 0 if unrelated.

    An array that is the same everywhere is like nothing: 0.
    """
    a, b = a - a.mean(), b - b.mean()
    size = np.sqrt((a**2).sum() * (b**2).sum())
    return float((a * b).sum() / size) if size > 0 else 0.0


def strongest_look(weights):  # (n, n) -> (int, int, float)
    """Who looks hardest at another word, at whom, and with which weight.

    A single word has nobody but itself.
    """
    others = np.where(np.eye(len(weights), dtype=bool), -1, weights) if len(weights) > 1 else weights
    asks, looked_at = np.unravel_index(others.argmax(), others.shape)
    return int(asks), int(looked_at), float(weights[asks, looked_at])


def awake_units(mlp_cache):  # MLPCache -> float
    """Hidden units above 0, in the mean over the words: ReLU silences all the others."""
    return float((mlp_cache.layer_2.x > 0).sum(axis=-1).mean())


class Orders(NamedTuple):
    """The same block on the same words, with its layer norms in front of the parts and behind the sums."""

    pre: Passage
    post: Passage


def both_orders(words, size, seed=0):  # (n, d_model) -> Orders
    """Send words, made `size` times as large, through both; without positions, so that only `size` counts."""
    return Orders(*(pass_through(size * words, seed=seed, positions=False, norm=n) for n in ("pre", "post")))


def spread_by_size(words, factors, seed=0):  # (n, d_model), n_factors -> (2, n_factors)
    """Spread of what leaves the block, pre and post, for words made larger by each factor."""
    runs = [both_orders(words, factor, seed) for factor in factors]
    return np.array([[run.pre.out.std() for run in runs], [run.post.out.std() for run in runs]])


class Counts(NamedTuple):
    """How many numbers each part of a block learns."""

    attention: int
    mlp: int
    norms: int


def count_parameters(params):  # BlockParams -> Counts
    """Count the entries of the arrays, part by part."""

    def count(*parts):
        return sum(array.size for part in parts for array in part if array is not None)

    return Counts(count(params.attention), count(params.mlp), count(params.norm_1, params.norm_2))


def block_of(d_model, n_heads, widening=WIDENING):  # -> BlockParams
    """The parameters of a block of this size, to be counted; their values do not matter."""
    return init_block(np.random.default_rng(0), d_model, n_heads, widening * d_model)
