"""Embedding: a token's number picks its row from a table, a hard lookup.

It gives what multiplying the table by one-hot rows would give, without the multiplications by 0.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes

FEW = 256  # rows of a table


class EmbeddingCache(NamedTuple):
    """Which rows were picked, from a table of which shape, and the row that does not learn."""

    ids: np.ndarray
    table_shape: tuple
    padding: int | None


def embedding(ids, table, padding=None):  # (...), (n_vocab, d_model) -> (..., d_model)
    """Pick a row of the table for every token.

    Parameters
    ----------
    ids : (...) array_like of int
        Numbers of the tokens, from 0 to n_vocab - 1.
    table : (n_vocab, d_model) array_like
        One row for each token of the vocabulary.
    padding : int, optional
        Token whose row gets gradient 0.

    Returns
    -------
    out : (..., d_model) ndarray
    cache : EmbeddingCache
        For `embedding_backward`.

    Raises
    ------
    ValueError
        If `table` is not a matrix, or an id is not a whole number of a row.
    """
    ids, table = np.asarray(ids), as_float(table)
    check_shapes(table.ndim == 2, "table must be a matrix", table=table)
    if ids.size and ids.dtype.kind not in "iu":
        raise ValueError(f"ids must be whole numbers; got {ids.dtype}")
    ids = ids.astype(np.intp)
    if ids.size and not 0 <= ids.min() <= ids.max() < len(table):
        raise ValueError(f"ids must be from 0 to {len(table) - 1}; got {ids.min()} to {ids.max()}")
    return table.take(ids, axis=0), EmbeddingCache(ids, table.shape, padding)


def embedding_backward(dout, cache):  # (..., d_model) -> (n_vocab, d_model)
    """Send a gradient back to the table: the gradients of a token that occurs several times add up.

    Parameters
    ----------
    dout : (..., d_model) ndarray
        Gradient of the loss with respect to `out`.
    cache : EmbeddingCache
        As returned by `embedding`.

    Returns
    -------
    dtable : (n_vocab, d_model) ndarray
        `ids` has no gradient: there is nothing between two tokens.
    """
    ids, table_shape, padding = cache
    ids, rows = ids.ravel(), dout.reshape(-1, table_shape[1])
    add = add_up_few if table_shape[0] <= FEW else add_up
    dtable = add(ids, rows, table_shape[0])
    if padding is not None:
        dtable[padding] = 0
    return dtable


def add_up(ids, rows, n_vocab):  # (n,), (n, d) -> (n_vocab, d)
    """Add up the rows of each token, whose occurrences are brought together first."""
    order = np.argsort(ids, kind="stable")
    tokens, starts = np.unique(ids[order], return_index=True)
    total = np.zeros((n_vocab, rows.shape[1]), rows.dtype)
    if len(tokens):
        total[tokens] = np.add.reduceat(rows[order], starts, axis=0)
    return total


def add_up_few(ids, rows, n_vocab):  # (n,), (n, d) -> (n_vocab, d)
    """Add up the rows of each token by a product with one-hot rows: quicker where there are few tokens."""
    one_hot = np.eye(n_vocab, dtype=rows.dtype).take(ids, axis=0)  # (n, n_vocab)
    return one_hot.T @ rows
