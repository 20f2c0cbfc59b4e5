"""Models made of blocks: words from a table, one mixer, scores of the answers where they are read.

All models are alike but for the mixer, so a race between two of them is a race between mixers.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import check_shapes
from core.blocks.embedding import EmbeddingCache, embedding, embedding_backward
from core.blocks.linear import LinearCache, linear, linear_backward
from core.blocks.losses import cross_entropy, cross_entropy_backward
from core.learning.mixers import attention, convolution, flat, one_block, recurrent
from core.learning.parameters import leaves

MIXERS = {  # settings -> how they are drawn, run and sent back through
    attention.Attention: (attention.init_attention, attention.attention, attention.attention_backward),
    convolution.Convolution: (
        convolution.init_convolutions,
        convolution.convolutions,
        convolution.convolutions_backward,
    ),
    recurrent.Recurrent: (recurrent.init_recurrent, recurrent.recurrent, recurrent.recurrent_backward),
    flat.Flat: (flat.init_flat, flat.flat, flat.flat_backward),
    one_block.OneBlock: (one_block.init_one_block, one_block.one_block, one_block.one_block_backward),
}


class Model(NamedTuple):
    """Numbers of words and of answers, and the settings of the mixer, which tell its kind."""

    n_vocab: int
    n_classes: int
    mixer: NamedTuple
    word_spread: float = 1.0  # standard deviation of the first words
    n_places: int = 0  # places that have a vector of their own, learned, which is added to the word's
    pooled: bool = False  # the answer is read from the mean of all places


class ModelParams(NamedTuple):
    """Everything a model learns. Gradients come in the same form."""

    table: np.ndarray  # (n_vocab, d_model)
    mixer: NamedTuple
    w: np.ndarray  # (width, n_classes)
    b: np.ndarray  # (n_classes,)
    places: np.ndarray | None = None  # (n_places, d_model)


class ModelCache(NamedTuple):
    """The parts that ran, and how to send a gradient back through the mixer."""

    words: EmbeddingCache
    mixer: NamedTuple
    read_out: LinearCache
    mixer_backward: object
    n_places: int
    n_pooled: int  # rows of which the mean was read; 0 where each was read on its own


class Learned(NamedTuple):
    """What one batch teaches."""

    loss: float  # nats
    accuracy: float  # share of right answers
    dparams: ModelParams


def init_model(rng, model, dtype=np.float32):
    """Draw the parameters of a model.

    Words come from N(0, word_spread^2), places from N(0, 1), weights from N(0, 1 / fan-in).
    """
    init, _, _ = MIXERS[type(model.mixer)]
    table = (model.word_spread * rng.standard_normal((model.n_vocab, model.mixer.d_model))).astype(dtype)
    mixer = init(rng, model.mixer, dtype)
    width = model.mixer.width
    w = rng.normal(0, 1 / np.sqrt(width), (width, model.n_classes)).astype(dtype)
    places = None
    if model.n_places:
        places = rng.standard_normal((model.n_places, model.mixer.d_model)).astype(dtype)
    return ModelParams(table, mixer, w, np.zeros(model.n_classes, dtype), places)


def count_parameters(model):
    """Count the numbers that a model learns."""
    return sum(leaf.size for leaf in leaves(init_model(np.random.default_rng(0), model)))


def read(ids, params, model, rows=None):  # (batch, n), (batch, m) -> (batch, m, n_classes)
    """Read sentences, and score the answers at the given places.

    Parameters
    ----------
    ids : (batch, n) or (batch, n, parts) array_like of int
        Numbers of the words; a word of several parts is their sum.
    params : ModelParams
    model : Model
    rows : (batch, m) array_like of int, optional
        Places that are read; all of them where it is left out, or their mean if the model says so.

    Returns
    -------
    logits : (batch, m or n or 1, n_classes) ndarray
    cache : ModelCache

    Raises
    ------
    ValueError
        If shapes do not fit, or an id or a place is out of range.
    """
    _, mix, mix_backward = MIXERS[type(model.mixer)]
    x, words = embedding(ids, params.table)  # 1  (batch, n, d_model) or (batch, n, parts, d_model)
    if x.ndim == 4:
        x = x.sum(axis=2)  # 2
    if model.n_places:
        check_shapes(x.shape[1] <= model.n_places, f"at most {model.n_places} places", ids=ids)
        x = x + params.places[: x.shape[1]]  # 3
    out, mixed = mix(x, params.mixer, model.mixer, rows)  # 4  (batch, m, width)
    n_pooled = out.shape[1] if model.pooled else 0
    if n_pooled:
        out = out.mean(axis=1, keepdims=True)  # 5
    logits, read_out = linear(out, params.w, params.b)  # 6
    return logits, ModelCache(words, mixed, read_out, mix_backward, model.n_places, n_pooled)


def read_backward(dlogits, cache):  # (batch, m, n_classes) -> ModelParams
    """Send a gradient back through `read`."""
    dout, dw, db = linear_backward(dlogits, cache.read_out)  # 6
    if cache.n_pooled:
        dout = np.repeat(dout / cache.n_pooled, cache.n_pooled, axis=1)  # 5
    dx, dmixer = cache.mixer_backward(dout, cache.mixer)  # 4
    dplaces = None
    if cache.n_places:
        dplaces = np.zeros((cache.n_places, dx.shape[-1]), dx.dtype)
        dplaces[: dx.shape[1]] = dx.sum(axis=0)  # 3
    if cache.words.ids.ndim == 3:
        dx = np.repeat(dx[:, :, None], cache.words.ids.shape[2], axis=2)  # 2
    return ModelParams(embedding_backward(dx, cache.words), dmixer, dw, db, dplaces)  # 1


def learn(params, model, ids, rows, targets):
    """Let a batch tell how every parameter should change.

    Parameters
    ----------
    params : ModelParams
    model : Model
    ids, rows : array_like of int
        As in `read`.
    targets : (batch, m or n) array_like of int
        Right answers at the places that are read.

    Returns
    -------
    Learned
    """
    logits, cache = read(ids, params, model, rows)
    loss, loss_cache = cross_entropy(logits, targets)
    accuracy = float((logits.argmax(axis=-1) == targets).mean())
    return Learned(float(loss), accuracy, read_backward(cross_entropy_backward(1.0, loss_cache), cache))
