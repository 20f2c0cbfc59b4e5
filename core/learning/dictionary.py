"""Look it up: lists of keys with their values, drawn anew each time, and a question for one of the keys.

An entry is one word of two parts, its key and its value; the question is a word too: the key that is asked
for, and a blank in place of the value. Keys of a list differ, values are drawn evenly and may repeat. Every
list is new, so nothing can be learned by heart: who wants to be right has to match keys.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

N_KEYS, N_VALUES = 32, 16
VALUE = N_KEYS  # keys come first, then the values, then the blank
BLANK = N_KEYS + N_VALUES
N_VOCAB = BLANK + 1


class Lookups(NamedTuple):
    """Lists of one length, a question to each, and where its answer stands."""

    ids: np.ndarray  # (n_lists, n + 1, 2), key and value of each entry, then the question
    answer: np.ndarray  # (n_lists,), the place of the entry that is asked for
    targets: np.ndarray  # (n_lists,), its value, 0 to 15

    @property
    def rows(self):  # -> (n_lists, 1)
        """Give the place where the answer is read: the question, which stands last."""
        return np.full((len(self.ids), 1), self.ids.shape[1] - 1)


def distinct_keys(rng, n_lists, n):  # -> (n_lists, n)
    """Draw the keys of each list, every set and order with the same chance.

    Raises
    ------
    ValueError
        If a list is to hold no entry, or more than there are keys.
    """
    if not 1 <= n <= N_KEYS:
        raise ValueError(f"a list holds 1 to {N_KEYS} entries; got {n}")
    return rng.random((n_lists, N_KEYS)).argsort(axis=1)[:, :n]


def lookups(rng, n_lists, n):
    """Draw lists and ask each for one of its keys.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_lists : int
    n : int
        Entries of a list, 32 at most.

    Returns
    -------
    Lookups
    """
    keys, values = distinct_keys(rng, n_lists, n), rng.integers(N_VALUES, size=(n_lists, n))
    return ask(keys, values, rng.integers(n, size=n_lists))


def every_question(keys, values):
    """Ask one list for each of its keys in turn: (n,), (n,) -> n lookups."""
    n = len(keys)
    return ask(np.tile(keys, (n, 1)), np.tile(values, (n, 1)), np.arange(n))


def ask(keys, values, answer):
    """Write lists, (n_lists, n) of keys and of values, and the question for the entry at `answer`."""
    every = np.arange(len(keys))
    entries = np.stack([keys, VALUE + values], axis=2)
    question = np.column_stack([keys[every, answer], np.full(len(keys), BLANK)])
    return Lookups(np.concatenate([entries, question[:, None]], axis=1), answer, values[every, answer])


# --- how far guessing gets ---


def blind_guess(n_values=N_VALUES):
    """Share that is right of who does not even read the list."""
    return 1 / n_values


@lru_cache(maxsize=64)
def guess_from_list(n, n_values=N_VALUES):
    """Share that is right, at best, of who knows all values of a list but not which of them is asked for.

    The best guess is the value that occurs most often, so the share is the mean of its number, over n.

    Parameters
    ----------
    n : int
        Entries of a list.
    n_values : int
        Values to draw from.
    """
    below = (ways(n, n_values, most) / n_values**n for most in range(n))  # P(no value more than `most` times)
    return sum(1 - share for share in below) / n


def guess_from_last(n, n_seen, n_values=N_VALUES):
    """Share that is right, at best, of who sees only the last entries and guesses the others' values."""
    share = min(n_seen, n) / n
    return share + (1 - share) / n_values


def ways(n, n_values, most):
    """Count the lists of n values in which no value occurs more than `most` times."""
    counts = [1] + [0] * n  # counts[i]: lists of i values, of the kinds of value gone through so far
    for _ in range(n_values):
        counts = [sum(math.comb(i, j) * counts[i - j] for j in range(min(most, i) + 1)) for i in range(n + 1)]
    return counts[n]
