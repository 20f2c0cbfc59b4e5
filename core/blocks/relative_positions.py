"""Where a token stands, told by a number for each distance, which is added to the scores and learned.

Every head has its own row of numbers. How far apart two tokens stand counts, not where.
"""

import numpy as np

from core.blocks.arrays import as_float, check_shapes


def relative_bias(table, n):  # (n_heads, 2 n_max - 1) -> (n_heads, n, n)
    """Lay out the number of every distance as what is added to the scores of n tokens.

    Parameters
    ----------
    table : (n_heads, 2 n_max - 1) array_like
        Column ``n_max - 1 + t`` belongs to keys that stand t places after the query.
    n : int
        Number of tokens, at most `n_max`.

    Returns
    -------
    bias : (n_heads, n, n) ndarray
        Entry (h, i, j) depends on h and j - i alone. For `mask` of the attention.
    table_shape : tuple
        For `relative_bias_backward`.

    Raises
    ------
    ValueError
        If the table does not reach so far.

    References
    ----------
    Raffel et al., "Exploring the Limits of Transfer Learning" (2020), section 2.1; without their buckets.
    """
    table = as_float(table)
    check_shapes(table.ndim == 2 and table.shape[1] >= 2 * n - 1, f"{2 * n - 1} columns", table=table)
    return table[:, distances(n, table.shape[1])], table.shape


def relative_bias_backward(dbias, table_shape):  # (..., n_heads, n, n) -> (n_heads, 2 n_max - 1)
    """Add up the gradients of all pairs, and of all sentences, that share a distance."""
    n_heads, n_columns = table_shape
    n = dbias.shape[-1]
    total = dbias.reshape(-1, n_heads, n, n).sum(axis=0)
    dtable = np.zeros(table_shape, dbias.dtype)
    np.add.at(dtable, (slice(None), distances(n, n_columns)), total)
    return dtable


def distances(n, n_columns):  # -> (n, n)
    """Tell which column belongs to query i and key j."""
    places = np.arange(n)
    return places - places[:, None] + n_columns // 2
