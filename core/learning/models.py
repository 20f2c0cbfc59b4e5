"""Models made of blocks: tokens in, scores of the answers out."""

from typing import NamedTuple

import numpy as np

from core.blocks.embedding import EmbeddingCache, embedding, embedding_backward
from core.blocks.encoder_block import (
    BlockCache,
    BlockParams,
    encoder_block,
    encoder_block_backward,
    init_block,
)
from core.blocks.linear import LinearCache, linear, linear_backward
from core.blocks.sublayer import NormParams


class ReaderParams(NamedTuple):
    """Everything a reader of one block learns. Gradients come in the same form."""

    table: np.ndarray  # (n_vocab, d_model)
    block: BlockParams
    w: np.ndarray  # (d_model, n_classes)
    b: np.ndarray  # (n_classes,)


class ReaderCache(NamedTuple):
    """The parts that ran."""

    embedding: EmbeddingCache
    block: BlockCache
    read_out: LinearCache


def init_reader(rng, n_vocab, n_classes, d_model, n_heads, d_ff, dtype=np.float64):
    """Draw the parameters of a reader of one block; its layer norms have none.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_vocab, n_classes : int
    d_model, n_heads, d_ff : int
        As in `init_block`.
    dtype : numpy float type

    Returns
    -------
    params : ReaderParams
        Words from N(0, 1), weights from N(0, 1 / fan-in), shifts 0.
    """
    bare = NormParams(None, None)
    table = rng.standard_normal((n_vocab, d_model)).astype(dtype)
    block = init_block(rng, d_model, n_heads, d_ff, dtype=dtype)._replace(norm_1=bare, norm_2=bare)
    w = rng.normal(0, 1 / np.sqrt(d_model), (d_model, n_classes)).astype(dtype)
    return ReaderParams(table, block, w, np.zeros(n_classes, dtype))


def read(ids, params, n_heads, positions=None):  # (batch, n) -> (batch, n_classes)
    """Read sentences with one block, and answer at their first token.

    Parameters
    ----------
    ids : (batch, n) array_like of int
    params : ReaderParams
    n_heads : int
    positions : (n, d_model) array_like, optional
        Added to the words. Without them the model cannot know the order of the other tokens.

    Returns
    -------
    logits : (batch, n_classes) ndarray
    cache : ReaderCache
        ``cache.block.attention.attention.weights`` is who looked at whom.

    Raises
    ------
    ValueError
        If shapes do not fit, or an id is out of range.
    """
    x, words = embedding(ids, params.table)  # 1  (batch, n, d_model)
    if positions is not None:
        x = x + positions  # 2
    out, block = encoder_block(x, params.block, n_heads)  # 3
    logits, read_out = linear(out[:, 0], params.w, params.b)  # 4  (batch, n_classes)
    return logits, ReaderCache(words, block, read_out)


def read_backward(dlogits, cache):  # (batch, n_classes) -> ReaderParams
    """Send a gradient back through `read`.

    Parameters
    ----------
    dlogits : (batch, n_classes) ndarray
    cache : ReaderCache

    Returns
    -------
    dparams : ReaderParams
    """
    dfirst, dw, db = linear_backward(dlogits, cache.read_out)  # 4
    dout = np.zeros((*cache.embedding.ids.shape, dfirst.shape[-1]), dfirst.dtype)
    dout[:, 0] = dfirst  # the other tokens are not read: no gradient starts there
    dx, dblock = encoder_block_backward(dout, cache.block)  # 3
    return ReaderParams(embedding_backward(dx, cache.embedding), dblock, dw, db)  # 2 1
