"""Questions next door and far away: laid out as told, drawn evenly, and what a short window can know."""

import numpy as np
import pytest

from core.learning.ask import (
    ASK_A,
    ASK_B,
    ASK_LOCAL,
    FILLER,
    N_WORDS,
    NOUN_A,
    NOUN_B,
    AskQuestions,
    ask_questions,
    at_distance,
    ceiling,
)


def test_answers_by_hand():
    """Filler 3, noun A with value 2, the question, noun B with value 1: one answer for each question word."""
    a, b = NOUN_A + 2, NOUN_B + 1
    ids = np.array([[3, a, question, b] for question in (ASK_LOCAL, ASK_A, ASK_B)])
    drawn = AskQuestions(ids, np.array([2, 2, 2]), np.array([1, 1, 3]))
    assert drawn.targets.tolist() == [2, 2, 1]
    assert drawn.far.tolist() == [False, True, True]


@pytest.mark.parametrize("far_share", [0.0, 0.5, 1.0])
def test_every_sentence_holds_one_noun_of_each_kind_and_one_question(far_share):
    drawn = ask_questions(np.random.default_rng(3), 3000, far_share)
    every = np.arange(3000)
    counted = [
        ((drawn.ids >= first) & (drawn.ids < end)).sum(axis=1)
        for first, end in ((FILLER, NOUN_A), (NOUN_A, NOUN_B), (NOUN_B, ASK_LOCAL), (ASK_LOCAL, 15))
    ]
    assert [set(count) for count in counted] == [{N_WORDS - 3}, {1}, {1}, {1}]
    assert drawn.ids[every, drawn.asks].min() >= ASK_LOCAL and drawn.asks.min() == 1
    local = ~drawn.far
    np.testing.assert_array_equal(drawn.looks[local], drawn.asks[local] - 1)
    wanted = np.where(drawn.ids[every, drawn.asks] == ASK_A, NOUN_A, NOUN_B)
    found = drawn.ids[every, drawn.looks]
    assert np.all((found - wanted >= 0) & (found - wanted < 4) | local)
    assert drawn.far.mean() == pytest.approx(far_share, abs=0.05)


def test_values_places_and_kinds_are_drawn_evenly():
    """Of 12,000 draws: answers 3,000 each, places of the question 1,091 each, +- 5 sd."""
    drawn = ask_questions(np.random.default_rng(5), 12_000, 1.0)
    assert np.abs(np.bincount(drawn.targets, minlength=4) - 3000).max() < 240
    assert np.abs(np.bincount(drawn.asks)[1:] - 12_000 / 11).max() < 160
    asked = drawn.ids[np.arange(12_000), drawn.asks]
    assert np.abs(np.bincount(asked)[ASK_A:] - 6000).max() < 275
    # A noun stands at each of the places that the question leaves, so at place 0 once in eleven.
    assert (drawn.looks == 0).mean() == pytest.approx(1 / 11, abs=0.013)


def test_a_few_at_the_largest_distance():
    """From one end to the other; the question never stands first."""
    drawn = at_distance(np.random.default_rng(0), 3, 11)
    assert (drawn.asks.tolist(), drawn.looks.tolist()) == ([11, 11, 11], [0, 0, 0])


@pytest.mark.parametrize("distance", range(1, N_WORDS))
def test_at_a_distance(distance):
    drawn = at_distance(np.random.default_rng(7), 200, distance)
    assert drawn.ids.shape == (200, N_WORDS) and drawn.far.all()
    np.testing.assert_array_equal(np.abs(drawn.asks - drawn.looks), distance)
    for first in (NOUN_A, NOUN_B):
        assert set(((drawn.ids >= first) & (drawn.ids < first + 4)).sum(axis=1)) == {1}
    wants_a = drawn.ids[np.arange(200), drawn.looks] < NOUN_B
    others = [row[row >= (NOUN_B if a else NOUN_A)].min() for row, a in zip(drawn.ids, wants_a, strict=True)]
    places = np.argmax(drawn.ids == np.array(others)[:, None], axis=1)
    assert len(set(places)) > 7  # the noun that is not asked about moves about


def test_the_ceiling_of_a_window_by_hand():
    """Places 1 to 10 have two neighbours among eleven others, place 11 has one: 21 of 121 nouns are seen."""
    assert ceiling(1.0, 1) == pytest.approx(21 / 121 + 100 / 121 / 4)
    assert [round(ceiling(1.0, reach), 3) for reach in (1, 2, 3, 5)] == [0.38, 0.498, 0.603, 0.777]
    assert ceiling(1.0, 11) == 1 and ceiling(0.0, 1) == 1
    assert ceiling(0.5, 1) == pytest.approx(0.690, abs=5e-4)


def test_who_guesses_beyond_three_words_gets_what_the_ceiling_says():
    """Right within the window and one in four beyond it, on 40,000 questions: three standard deviations."""
    rng = np.random.default_rng(11)
    drawn = ask_questions(rng, 40_000, 1.0)
    seen = np.abs(drawn.asks - drawn.looks) <= 1
    guessed = np.where(seen, drawn.targets, rng.integers(4, size=40_000))
    assert (guessed == drawn.targets).mean() == pytest.approx(ceiling(1.0, 1), abs=0.008)
