"""Far copy: a lone noun is to be said again at the pronoun, however many fillers stand in between.

The sentences are those about one noun of `core.learning.pronoun`, up to 60 words long. There is nothing to
choose, only a distance to bridge.
"""

import numpy as np

from core.learning.pronoun import N_NOUNS, one_noun_sentences

LENGTHS = (8, 60)
BINS = ((4, 5), (6, 10), (11, 15), (16, 20), (21, 30), (31, 40), (41, 58))  # distances, ends included


def far_sentences(rng, n):
    """Draw n sentences about one noun, all of one length, which is drawn too.

    Returns
    -------
    PronounSentences
    """
    return one_noun_sentences(rng, n, int(rng.integers(LENGTHS[0], LENGTHS[1] + 1)))


def distances(sentences):  # -> (n_sentences,)
    """Count the places from the noun to the pronoun."""
    return sentences.asks - sentences.answer


def right_by_distance(right, distance):  # (n,), (n,) -> (n_bins,)
    """Share of right answers in each of BINS; not a number where no sentence falls."""
    inside = [(low <= distance) & (distance <= high) for low, high in BINS]
    return np.array([right[one].mean() if one.any() else np.nan for one in inside])


def chance():
    """Share that is right of who cannot see the noun: they are drawn evenly."""
    return 1 / N_NOUNS
