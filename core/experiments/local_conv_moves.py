"""Page 1: the wanted word moves with the meaning of the sentence, so no fixed place can be right.

Sentences about two nouns, and rules that go by place alone: look k words back; take the nearest noun.
"""

from typing import NamedTuple

import numpy as np

from core.learning.pronoun import (
    TWO_NOUNS,
    PronounSentences,
    two_noun_sentences,
    with_other_reasons,
    write_two_nouns,
)

NEAREST_TO_FURTHEST = TWO_NOUNS - 2  # steps from the pronoun back to the first noun, without fillers
CAT, DOG, CHASED, FIRST_REASON = 0, 1, 0, 0  # the lecture's sentence


def furthest_noun(n_fillers):  # -> int
    """How many steps back a noun can stand at most: all fillers lie between it and the pronoun."""
    return NEAREST_TO_FURTHEST + n_fillers


def both_readings(sentences):  # n sentences -> 2 n sentences
    """Minimal pairs: every sentence, followed by itself with the reason that fits the other noun."""
    parts = zip(sentences, with_other_reasons(sentences), strict=True)
    return PronounSentences(*(np.stack(pair, axis=1).reshape(-1, *pair[0].shape[1:]) for pair in parts))


def lecture_pair(seed, n_fillers):  # -> 2 sentences
    """The lecture's sentence in its two readings, with the same fillers in the same places."""
    nouns, reasons = np.array([[DOG, CAT]]), np.array([FIRST_REASON])
    rng = np.random.default_rng(seed)
    return both_readings(write_two_nouns(rng, nouns, np.array([CHASED]), reasons, TWO_NOUNS + n_fillers))


def draw(seed, n, n_fillers, pairs=False):  # -> n sentences
    """Draw sentences about two nouns; as minimal pairs, n must be even."""
    if pairs and n % 2:
        raise ValueError(f"minimal pairs make an even number of sentences, got n = {n}")
    rng = np.random.default_rng(seed)
    sentences = two_noun_sentences(rng, n // 2 if pairs else n, TWO_NOUNS + n_fillers)
    return both_readings(sentences) if pairs else sentences


class ByOffset(NamedTuple):
    """In how many sentences something holds for k = 1, 2, ..., furthest; all arrays are (furthest,)."""

    fixed: np.ndarray  # the word k places back is the noun that is meant
    nearest: np.ndarray  # the nearest noun among the k words before the pronoun is the one that is meant
    both: np.ndarray  # both nouns are among the k words before the pronoun


def count_by_offset(sentences, furthest):  # -> ByOffset
    """Try every k on every sentence."""
    back = sentences.asks[:, None] - sentences.nouns  # (n, 2), steps back to each noun
    wanted = sentences.asks - sentences.answer  # (n,)
    near, far = back.min(axis=1), back.max(axis=1)
    k = np.arange(1, furthest + 1)[:, None]  # (furthest, 1)
    found = (k == wanted, (k >= near) & (near == wanted), k >= far)  # (furthest, n) each
    return ByOffset(*(counted.sum(axis=1) for counted in found))
