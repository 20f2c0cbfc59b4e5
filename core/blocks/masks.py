"""Masks: who may look at whom. True = may look, rows are queries, columns are keys, everywhere.

In their attention GPT and BERT differ by one of these, the causal mask (lesson 41).
"""

import numpy as np


def relative_positions(n_q, n_k, offset=0):  # -> (n_q, n_k)
    """Return how far each key stands to the right of each query: 0 is its own place, -1 the one before.

    Parameters
    ----------
    n_q, n_k : int
        Numbers of queries and keys.
    offset : int or (batch, 1, 1, 1) ndarray of int, default 0
        Place of the first query in the sequence of keys. It is 0 where both start together, and the number of
        remembered keys where earlier keys were kept in a cache.

    Returns
    -------
    (n_q, n_k) or (batch, 1, n_q, n_k) ndarray of int
    """
    return np.arange(n_k) - (np.arange(n_q)[:, np.newaxis] + offset)


def causal_mask(n_q, n_k=None, offset=0):  # -> (n_q, n_k)
    """Let each query look at its own place and everything before it.

    Parameters
    ----------
    n_q : int
        Number of queries.
    n_k : int, optional
        Number of keys; as many as queries where left out. The triangle starts in the top left corner.
    offset : int or (batch, 1, 1, 1) ndarray of int, default 0
        Place of the first query, see `relative_positions`.

    Returns
    -------
    (n_q, n_k) or (batch, 1, n_q, n_k) ndarray of bool

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.3.
    """
    return relative_positions(n_q, n_q if n_k is None else n_k, offset) <= 0


def window_mask(n_q, n_k, left=None, right=None, offset=0):  # -> (n_q, n_k)
    """Let each query look at most `left` places back and `right` places ahead, as a convolution does.

    Parameters
    ----------
    n_q, n_k : int
        Numbers of queries and keys.
    left, right : int, optional
        Reach to either side; None does not limit that side.
    offset : int or (batch, 1, 1, 1) ndarray of int, default 0
        Place of the first query, see `relative_positions`.

    Returns
    -------
    (n_q, n_k) or (batch, 1, n_q, n_k) ndarray of bool

    References
    ----------
    Beltagy et al., "Longformer" (2020), section 3.1.
    """
    distance = relative_positions(n_q, n_k, offset)
    mask = np.ones(distance.shape, dtype=bool)
    if left is not None:
        mask &= distance >= -left
    if right is not None:
        mask &= distance <= right
    return mask


def padding_mask(lengths, n_k):  # (batch,) -> (batch, 1, 1, n_k)
    """Hide the filler that makes the sequences of a batch equally long.

    Parameters
    ----------
    lengths : (batch,) or (batch, n_q) array_like of int
        Number of keys that count, for a whole sequence or for each of its queries.
    n_k : int
        Number of keys, filler included.

    Returns
    -------
    (batch, 1, 1, n_k) or (batch, 1, n_q, n_k) ndarray of bool
        The axis after the batch is the heads': one mask serves them all.

    Raises
    ------
    ValueError
        If `lengths` has no batch axis, or more than two axes.
    """
    lengths = np.asarray(lengths)
    if lengths.ndim not in (1, 2):
        raise ValueError(f"lengths must be (batch,) or (batch, n_q); got {lengths.shape}")
    per_query = lengths.reshape(len(lengths), 1, -1, 1)  # (batch, 1, 1 or n_q, 1)
    return np.arange(n_k) < per_query
