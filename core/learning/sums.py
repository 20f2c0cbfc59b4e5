"""Sums of neighbours: at every place, add the word and the one before it, modulo 5.

Attention has to fetch the word before, so it has to know where that is; the sum itself is no linear matter.
The first word has none before it, and is its own answer.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

N_WORDS, LENGTH = 5, 8


class SumTask(NamedTuple):
    """Sentences to train on, and others to be tested with; no sentence is in both."""

    train: np.ndarray  # (n_train, LENGTH)
    test: np.ndarray  # (n_test, LENGTH)


def sum_task(rng, n_train, n_test):
    """Draw sentences of numbers 0 to 4, all different.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_train, n_test : int
        How many; together 5^8 = 390,625 at most.

    Returns
    -------
    SumTask
    """
    drawn = rng.choice(N_WORDS**LENGTH, n_train + n_test, replace=False)
    ids = drawn[:, None] // N_WORDS ** np.arange(LENGTH) % N_WORDS  # (n_train + n_test, LENGTH)
    return SumTask(ids[:n_train], ids[n_train:])


def sums(ids):  # (..., n) -> (..., n)
    """Answer at every place: the word, plus the one before it, modulo 5."""
    answers = np.array(ids)
    answers[..., 1:] += answers[..., :-1].copy()
    return answers % N_WORDS


class OrderBlind(NamedTuple):
    """The best that can be done without knowing the order."""

    accuracy: float  # share of right answers, at most
    loss: float  # nats, at least


@lru_cache(maxsize=8)
def order_blind(length=LENGTH):
    """Find the best that a model can do which sees the words of a sentence, but not their order.

    Such a model knows its own word, and how often each word is in the sentence. It may stand first, with
    probability 1 / n, and then its own word is the answer, as if a 0 stood before it; else each of the other
    n - 1 words is equally likely to be the one before. So the chance of "u stands before me" is the number of
    u's among the other words, one more for u = 0, divided by n. The best guess is the largest of these
    chances, the least loss is their entropy; both are averaged over all counts that a sentence can have.

    Parameters
    ----------
    length : int
        Words in a sentence, n; each of the 5 is equally likely at every place.

    Returns
    -------
    OrderBlind
    """
    accuracy = loss = 0.0
    for counts in all_counts(length, N_WORDS):
        ways = math.factorial(length) / math.prod(map(math.factorial, counts))
        for own, n_own in enumerate(counts):
            share = ways / N_WORDS**length * n_own / length  # how often a word meets this
            before = np.array(counts) - (np.arange(N_WORDS) == own) * (n_own > 0)
            before[0] += 1
            chances = before[before > 0] / length
            accuracy += share * chances.max()
            loss -= share * (chances * np.log(chances)).sum()
    return OrderBlind(float(accuracy), float(loss))


def all_counts(n, n_kinds):
    """List all ways in which n things can be of n_kinds kinds, as counts of each kind."""
    if n_kinds == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in all_counts(n - first, n_kinds - 1):
            yield first, *rest


def chance():
    """Share that is right of who answers blindly: the answers are evenly spread."""
    return 1 / N_WORDS
