"""Which way does it go: single words tell nothing, steps do, and nobody can do better than counting them."""

import numpy as np
import pytest

from core.learning.texture import N_VOCAB, N_WORDS, ceiling, texture_questions


def steps(ids):
    return np.diff(ids, axis=1) % N_VOCAB


def test_single_words_tell_nothing():
    """12,000 sentences: every word in every place 2,000 times, whatever the direction, +- 5 sd."""
    drawn = texture_questions(np.random.default_rng(3), 12_000)
    assert drawn.ids.shape == (12_000, N_WORDS)
    for direction in (0, 1):
        ids = drawn.ids[drawn.targets == direction]
        for place in (0, 5, 11):
            counts = np.bincount(ids[:, place], minlength=N_VOCAB)
            assert np.abs(counts - len(ids) / N_VOCAB).max() < 5 * np.sqrt(len(ids) * 5 / 36)


def test_steps_go_the_way_of_the_sentence_seven_times_in_twelve():
    """Half of them do, and one in six of the other half: 1/2 + 1/12; against it 1/12."""
    drawn = texture_questions(np.random.default_rng(5), 8000)
    made = steps(drawn.ids)
    for direction, along, against in ((1, 1, N_VOCAB - 1), (0, N_VOCAB - 1, 1)):
        own = made[drawn.targets == direction]
        assert (own == along).mean() == pytest.approx(7 / 12, abs=0.01)
        assert (own == against).mean() == pytest.approx(1 / 12, abs=0.01)


def test_who_counts_steps_gets_what_the_ceiling_says():
    drawn = texture_questions(np.random.default_rng(7), 40_000)
    made = steps(drawn.ids)
    up, down = (made == 1).sum(axis=1), (made == N_VOCAB - 1).sum(axis=1)
    right = (up > down) == (drawn.targets == 1)
    assert np.where(up == down, 0.5, right).mean() == pytest.approx(ceiling(), abs=0.002)
    assert ceiling() == pytest.approx(0.9907, abs=5e-5)
