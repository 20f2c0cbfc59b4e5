"""No fixed place is right in more than half of the minimal pairs; the counts, by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.experiments.local_conv_moves import (
    both_readings,
    count_by_offset,
    draw,
    furthest_noun,
    lecture_pair,
)
from core.learning.pronoun import IT, PronounSentences

seeds, sizes, fillers = st.integers(0, 10**6), st.sampled_from([2, 14, 46]), st.integers(0, 19)


def test_counts_by_hand():
    """The pronoun at 7: nouns 7 and 3 back, the far one meant; at 6: 5 and 3 back, the near one meant; at 9:
    6 and 4 back, the far one meant."""
    ids = np.zeros((3, 11), dtype=int)
    nouns = np.array([[0, 4], [1, 3], [3, 5]])
    sentences = PronounSentences(ids, np.array([7, 6, 9]), nouns, np.array([0, 3, 3]))
    counts = count_by_offset(sentences, 8)
    assert counts.fixed.tolist() == [0, 0, 1, 0, 0, 1, 1, 0]
    assert counts.nearest.tolist() == [0, 0, 1, 1, 1, 1, 1, 1]  # right in the second sentence alone
    assert counts.both.tolist() == [0, 0, 0, 0, 1, 2, 3, 3]


def test_without_fillers_two_places_share_all_sentences():
    """The nouns stand 5 and 3 back: whoever is not at the one place is at the other."""
    counts = count_by_offset(draw(3, 101, 0), furthest_noun(0))
    assert counts.fixed[[0, 1, 3]].tolist() == [0, 0, 0]
    assert counts.fixed[2] + counts.fixed[4] == 101
    assert counts.both.tolist() == [0, 0, 0, 0, 101]


@settings(deadline=None, max_examples=40, derandomize=True)
@given(seeds, sizes, fillers)
def test_no_fixed_place_is_right_in_more_than_half_of_minimal_pairs(seed, n, n_fillers):
    furthest = furthest_noun(n_fillers)
    counts = count_by_offset(draw(seed, n, n_fillers, pairs=True), furthest)
    assert counts.fixed.max() <= n // 2
    assert counts.fixed.sum() == n  # each sentence has one right place
    assert counts.nearest[-1] == n // 2  # the nearest noun is the right one in one of each pair
    assert counts.both[-1] == n


@settings(deadline=None, max_examples=40, derandomize=True)
@given(seeds, fillers)
def test_the_lecture_pair_differs_in_its_reason_alone(seed, n_fillers):
    pair = lecture_pair(seed, n_fillers)
    assert pair.ids.shape == (2, 7 + n_fillers)
    np.testing.assert_array_equal(np.flatnonzero(pair.ids[0] != pair.ids[1]), pair.asks[:1] + 1)
    assert (pair.ids[[0, 1], pair.asks] == IT).all()
    assert pair.targets.tolist() == [1, 0]  # the dog, then the cat


def test_readings_stand_next_to_each_other():
    sentences = draw(5, 3, 2)
    pairs = both_readings(sentences)
    np.testing.assert_array_equal(pairs.ids[::2], sentences.ids)
    np.testing.assert_array_equal(pairs.nouns[1::2], sentences.nouns)
    assert (pairs.answer[::2] != pairs.answer[1::2]).all()


def test_pairs_need_an_even_number():
    with pytest.raises(ValueError, match="even number of sentences, got n = 7"):
        draw(0, 7, 1, pairs=True)


@pytest.mark.parametrize("n_fillers", [0, 7])
def test_the_nearest_noun_is_right_in_one_half_on_average(n_fillers):
    # n draws of chance 1/2 have standard deviation sqrt(n) / 2 = 50; five of them are 250 sentences
    counts = count_by_offset(draw(3, 10_000, n_fillers), furthest_noun(n_fillers))
    assert abs(int(counts.nearest[-1]) - 5_000) < 250
