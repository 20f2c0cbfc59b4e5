"""Ask: one kind of sentence and two kinds of questions, about the word next door or about a word far away.

Twelve words: fillers, a noun of kind A, a noun of kind B, and a question, each at a random place, the
question never first. Every word but the question carries a value from 0 to 3. The question wants either the
value of its left neighbour (local), or that of noun A or of noun B, wherever it stands (far).
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

N_WORDS, N_VALUES = 12, 4
FILLER, NOUN_A, NOUN_B = 0, 4, 8  # the first of the four numbers of each kind of word
ASK_LOCAL, ASK_A, ASK_B = 12, 13, 14
N_VOCAB = 15


class AskQuestions(NamedTuple):
    """Sentences as numbers of words, and what is asked."""

    ids: np.ndarray  # (n, 12)
    asks: np.ndarray  # (n,), the place of the question
    looks: np.ndarray  # (n,), the place of the word that it asks about

    @property
    def targets(self):  # -> (n,)
        """Give the right answers: values from 0 to 3."""
        return np.take_along_axis(self.ids, self.looks[:, None], axis=1)[:, 0] % N_VALUES

    @property
    def far(self):  # -> (n,) of bool
        """Tell which questions are about a noun."""
        return np.take_along_axis(self.ids, self.asks[:, None], axis=1)[:, 0] != ASK_LOCAL


def ask_questions(rng, n, far_share):
    """Draw n questions, of which this share, on average, is about a noun.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int
    far_share : float
        From 0, all about the left neighbour, to 1, all about a noun.
    """
    asks = rng.integers(1, N_WORDS, size=n)
    others = rng.random((n, N_WORDS - 1)).argsort(axis=1)[:, :2]  # two of the places that are left
    nouns = others + (others >= asks[:, None])
    return write(rng, asks, nouns, kinds(rng, n, far_share))


def at_distance(rng, n, distance):
    """Draw n questions about a noun that stands exactly so many places away, on either side."""
    # All pairs of places that lie so far apart, each with the same chance.
    pairs = [
        (ask, ask + t) for ask in range(1, N_WORDS) for t in (-distance, distance) if 0 <= ask + t < N_WORDS
    ]
    asks, wanted = np.array(pairs)[rng.integers(len(pairs), size=n)].T
    taken = np.sort(np.column_stack([asks, wanted]), axis=1)
    other = rng.integers(N_WORDS - 2, size=n)
    for place in taken.T:  # the smaller first: step over both
        other = other + (other >= place)
    kind = kinds(rng, n, 1.0)
    nouns = np.where(
        (kind == ASK_A)[:, None], np.column_stack([wanted, other]), np.column_stack([other, wanted])
    )
    return write(rng, asks, nouns, kind)


def kinds(rng, n, far_share):  # -> (n,)
    """Draw what is asked: the numbers of question words."""
    which = rng.integers(ASK_A, ASK_B + 1, size=n)
    return np.where(rng.random(n) < far_share, which, ASK_LOCAL)


def write(rng, asks, nouns, kind):  # (n,), (n, 2) of places of A and B, (n,) -> AskQuestions
    """Write the sentences; all values are drawn evenly."""
    n = len(asks)
    ids = FILLER + rng.integers(N_VALUES, size=(n, N_WORDS))
    values = rng.integers(N_VALUES, size=(n, 2))
    np.put_along_axis(ids, nouns, np.array([NOUN_A, NOUN_B]) + values, axis=1)
    np.put_along_axis(ids, asks[:, None], kind[:, None], axis=1)
    looks = np.select([kind == ASK_LOCAL, kind == ASK_A], [asks - 1, nouns[:, 0]], nouns[:, 1])
    return AskQuestions(ids, asks, looks)


def ceiling(far_share, reach):
    """Best share of right answers of who sees only so many words to each side of the question.

    Local questions are answered by who sees one word to the left. A noun within reach is found; for one
    outside, each value is as likely as the others. The places are counted one by one.

    Parameters
    ----------
    far_share : float
    reach : int
        Words to each side, at least 1.

    Returns
    -------
    float
    """
    pairs = [(ask, noun) for ask in range(1, N_WORDS) for noun in range(N_WORDS) if noun != ask]
    within = Fraction(sum(abs(ask - noun) <= reach for ask, noun in pairs), len(pairs))
    far = within + (1 - within) / N_VALUES
    return (1 - far_share) + far_share * float(far)
