"""Heads: the width of every word cut into pieces that attend on their own, and laid together again."""

import numpy as np

from core.blocks.arrays import as_float, check_shapes


def split_heads(x, n_heads):  # (..., n, n_heads * d) -> (..., n_heads, n, d)
    """Cut every row into one piece for each head. `merge_heads` undoes it, so it is also its backward pass.

    Raises
    ------
    ValueError
        If the width of `x` cannot be cut into that many equal pieces.
    """
    fits = x.ndim >= 2 and n_heads > 0 and x.shape[-1] % n_heads == 0
    check_shapes(fits, f"the rows of x must be a multiple of {n_heads} heads wide", x=x)
    pieces = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)  # (..., n, n_heads, d)
    return pieces.swapaxes(-3, -2)


def merge_heads(x):  # (..., n_heads, n, d) -> (..., n, n_heads * d)
    """Lay the pieces of every row side by side again. `split_heads` undoes it.

    The heads have to be brought next to the width first: reshaping alone would mix the words.
    """
    check_shapes(x.ndim >= 3, "x must be (..., n_heads, n, d)", x=x)
    *leading, n_heads, n, d = x.shape
    return x.swapaxes(-3, -2).reshape(*leading, n, n_heads * d)


def repeat_heads(x, n_heads):  # (..., n_kv_heads, n, d) -> (..., n_heads, n, d)
    """Let neighbouring query heads share: query head h uses key head ``h // (n_heads / n_kv_heads)``.

    Parameters
    ----------
    x : (..., n_kv_heads, n, d) array_like
        Keys or values.
    n_heads : int
        Number of query heads, a multiple of `n_kv_heads`.

    Returns
    -------
    out : (..., n_heads, n, d) ndarray
    n_kv_heads : int
        For `repeat_heads_backward`.

    Raises
    ------
    ValueError
        If the heads cannot be shared out evenly.

    References
    ----------
    Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models" (2023), section 2.2.
    """
    x = as_float(x)
    fits = x.ndim >= 3 and x.shape[-3] > 0 and n_heads % x.shape[-3] == 0
    check_shapes(
        fits, f"{n_heads} query heads must be a multiple of the heads of x (..., n_heads, n, d)", x=x
    )
    n_kv_heads = x.shape[-3]
    return np.repeat(x, n_heads // n_kv_heads, axis=-3), n_kv_heads


def repeat_heads_backward(dout, n_kv_heads):  # (..., n_heads, n, d) -> (..., n_kv_heads, n, d)
    """Add up what the query heads that shared a head send back to it."""
    *leading, n_heads, n, d = dout.shape
    return dout.reshape(*leading, n_kv_heads, n_heads // n_kv_heads, n, d).sum(axis=-3)
