"""Page 4: how words learn where they stand, and what a dot product makes of it.

Two positions are compared by a dot product, as attention compares a query with a key. Does the result depend
on anything but how far apart the two stand?
"""

from typing import NamedTuple

import numpy as np

from core.blocks.positions import sinusoidal_positions
from core.blocks.rotary import rotary, rotary_angles


class Compared(NamedTuple):
    """Rows for `n` positions, and the dot product of every row with every row."""

    rows: np.ndarray  # (n, d)
    products: np.ndarray  # (n, n)


def added_waves(n, d, base):  # -> Compared
    """Compare the sinusoids that are added to words. Any width will do, odd ones and 1 too."""
    rows = sinusoidal_positions(n, d, base)  # (n, d)
    return Compared(rows, rows @ rows.T)


def turned_pairs(n, d, base, seed=0):  # -> Compared
    """Compare one query and one key, both random, turned by every position: the rows are those of the query.

    Parameters
    ----------
    n, d : int
        Number of positions; width. The last number of an odd width has no partner and is left as it is.
    base : float
    seed : int
        Of the query and the key.

    Returns
    -------
    Compared
        ``products[i, j]`` is the query at position i times the key at position j. Their numbers are drawn
        from N(0, 1 / d), so that their lengths are about 1.
    """
    in_pairs = d - d % 2
    angles = rotary_angles(np.arange(n), in_pairs, base)
    both = np.random.default_rng(seed).normal(0, 1 / np.sqrt(d), (2, 1, d)).repeat(n, axis=1)  # (2, n, d)
    both[..., :in_pairs], _ = rotary(both[..., :in_pairs], *angles, interleaved=True)
    queries, keys = both
    return Compared(queries, queries @ keys.T)


class Distances(NamedTuple):
    """The dot products of all pairs that stand equally far apart; each array is (2n - 1,)."""

    distance: np.ndarray  # of the second from the first, -(n - 1) ... n - 1
    least: np.ndarray
    mean: np.ndarray
    most: np.ndarray


def by_distance(products):  # (n, n) -> Distances
    """Sort the products of all pairs (i, j) by j - i: each diagonal of the matrix holds one distance."""
    n = len(products)
    distance = np.arange(1 - n, n)
    diagonals = [products.diagonal(t) for t in distance]
    measured = [[pairs.min(), pairs.mean(), pairs.max()] for pairs in diagonals]
    return Distances(distance, *np.transpose(measured))


def deviation(distances):  # Distances -> float
    """The most by which two pairs of equal distance differ: 0 if the distance alone decides."""
    return float((distances.most - distances.least).max())
