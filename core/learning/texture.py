"""Texture: a second local task, in which there is no question. Was this sentence made to go up or down?

Twelve numbers on a ring of six. From each to the next it goes one step in the direction of the sentence half
of the time, and anywhere else; so every single number is as likely as the others, and only neighbours tell.
"""

from math import comb
from typing import NamedTuple

import numpy as np

N_WORDS, N_VOCAB, N_CLASSES = 12, 6, 2
STEADY = 0.5  # share of steps that are not drawn by chance


class TextureQuestions(NamedTuple):
    """Sentences as numbers of words, and the direction: 0 is down, 1 is up."""

    ids: np.ndarray  # (n, 12)
    targets: np.ndarray  # (n,)


def texture_questions(rng, n):
    """Draw n sentences, about half of them upwards."""
    targets = rng.integers(N_CLASSES, size=n)
    steps = rng.integers(N_VOCAB, size=(n, N_WORDS))
    steady = rng.random((n, N_WORDS)) < STEADY
    steady[:, 0] = False  # the first word has nothing before it
    steps = np.where(steady, np.where(targets == 1, 1, -1)[:, None], steps)
    return TextureQuestions(steps.cumsum(axis=1) % N_VOCAB, targets)


def ceiling():
    """Best share of right answers there can be: who counts steps up and steps down, and guesses at a tie.

    Nothing else tells the two directions apart, so the larger count is the likelier direction.
    """
    n = N_WORDS - 1
    along, against = STEADY + (1 - STEADY) / N_VOCAB, (1 - STEADY) / N_VOCAB
    right = 0.0
    for a in range(n + 1):
        for b in range(n + 1 - a):
            chance = (
                comb(n, a) * comb(n - a, b) * along**a * against**b * (1 - along - against) ** (n - a - b)
            )
            right += chance * (a > b) + chance / 2 * (a == b)
    return right
