"""Recall: keys and values by turns, then the keys again in another order - which value stood behind each?

k1 v1 k2 v2 ... kn vn | q1 ... qn. Key and value are words of their own here, so one look is not enough: each
value must first find out which key it stands behind. The model reads from left to right (a causal mask), and
every question is answered where it stands.
"""

from typing import NamedTuple

import numpy as np

from core.learning.dictionary import N_KEYS, N_VALUES, VALUE, distinct_keys, guess_from_list

N_VOCAB = N_KEYS + N_VALUES


class Recalls(NamedTuple):
    """Sequences of one length, and where the value that each question asks for stands."""

    ids: np.ndarray  # (n_lists, 3 n)
    answer: np.ndarray  # (n_lists, n), places of the values, in the order of the questions
    targets: np.ndarray  # (n_lists, n), these values, 0 to 15

    @property
    def rows(self):  # -> (n_lists, n)
        """Give the places of the questions: the last third."""
        n = self.targets.shape[1]
        return np.tile(np.arange(2 * n, 3 * n), (len(self.ids), 1))


def recalls(rng, n_lists, n):
    """Draw lists of n keys, 32 at most, with their values, and ask for all keys in another order."""
    keys, values = distinct_keys(rng, n_lists, n), rng.integers(N_VALUES, size=(n_lists, n))
    return write(keys, values, rng.random((n_lists, n)).argsort(axis=1))


def write(keys, values, order):
    """Write lists, (n_lists, n) of keys and of values, and their questions: entry order[0] first."""
    pairs = np.stack([keys, VALUE + values], axis=2).reshape(len(keys), -1)
    questions, targets = (np.take_along_axis(one, order, axis=1) for one in (keys, values))
    return Recalls(np.concatenate([pairs, questions], axis=1), 2 * order + 1, targets)


def chance(n):
    """Share that is right, at best, of who knows the values of a list but not which key each belongs to."""
    return guess_from_list(n)
