"""Lists to look things up in: the right answer is right, guessing gets as far as is computed, no shortcut."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from core.learning.dictionary import (
    BLANK,
    N_KEYS,
    N_VALUES,
    N_VOCAB,
    VALUE,
    ask,
    blind_guess,
    distinct_keys,
    every_question,
    guess_from_last,
    guess_from_list,
    lookups,
)


def test_the_vocabulary_has_49_words_without_a_gap():
    assert (VALUE, BLANK, N_VOCAB) == (N_KEYS, N_KEYS + N_VALUES, N_KEYS + N_VALUES + 1) == (32, 48, 49)


def test_a_list_written_out_by_hand():
    """Key 5 has value 2, key 3 value 0; asked for key 3, which stands in place 1."""
    one = ask(np.array([[5, 3]]), np.array([[2, 0]]), np.array([1]))
    assert one.ids.tolist() == [[[5, 34], [3, 32], [3, 48]]]
    assert (one.answer.tolist(), one.targets.tolist(), one.rows.tolist()) == ([1], [0], [[2]])


@pytest.mark.parametrize("n", [1, 2, 8, 32])
def test_the_entry_asked_for_is_there_once_and_has_the_value(n):
    drawn = lookups(np.random.default_rng(n), 151, n)
    assert drawn.ids.shape == (151, n + 1, 2)
    for entries, row, target in zip(drawn.ids.tolist(), drawn.rows, drawn.targets, strict=True):
        *entries, (key, blank) = entries
        assert row == [n] and blank == BLANK
        stored = dict(entries)
        assert len(stored) == n, "keys differ"
        assert stored[key] == VALUE + target
        assert max(stored) < VALUE <= min(stored.values()) and max(stored.values()) < BLANK


def test_every_key_every_value_and_every_place_is_asked_for_equally_often():
    """12,000 questions; 5 standard deviations of the counts are 5 sqrt(12000 p (1 - p))."""
    drawn = lookups(np.random.default_rng(3), 12_000, 6)
    for asked, n in ((drawn.ids[:, -1, 0], N_KEYS), (drawn.targets, N_VALUES), (drawn.answer, 6)):
        counts = np.bincount(asked, minlength=n)
        assert len(counts) == n
        assert np.abs(counts - 12_000 / n).max() < 5 * np.sqrt(12_000 / n)


def test_a_key_has_no_value_of_its_own():
    """Each key meets each value: 20,000 lists of 8 give each of 512 pairs 312 times, +- 5 sd."""
    drawn = lookups(np.random.default_rng(5), 20_000, 8)
    keys, values = drawn.ids[:, :-1, 0].ravel(), drawn.ids[:, :-1, 1].ravel() - VALUE
    counts = np.bincount(keys * N_VALUES + values, minlength=N_KEYS * N_VALUES)
    assert np.abs(counts - 312.5).max() < 5 * np.sqrt(312.5)


def test_all_questions_of_one_list():
    every = every_question(np.array([7, 1, 9]), np.array([4, 4, 0]))
    assert (every.ids[:, :-1] == every.ids[0, :-1]).all()
    assert every.ids[:, -1, 0].tolist() == [7, 1, 9]
    assert (every.answer.tolist(), every.targets.tolist()) == ([0, 1, 2], [4, 4, 0])


@pytest.mark.parametrize("n", [0, 33])
def test_a_list_that_cannot_be_is_refused(n):
    with pytest.raises(ValueError, match=f"1 to 32 entries; got {n}"):
        distinct_keys(np.random.default_rng(0), 3, n)


def test_the_same_seed_draws_the_same_lists():
    one, other = (lookups(np.random.default_rng(23), 31, 8) for _ in range(2))
    np.testing.assert_array_equal(one.ids, other.ids)
    assert (one.ids != lookups(np.random.default_rng(29), 31, 8).ids).any()


@pytest.mark.parametrize(("n", "n_values"), [(1, 3), (2, 2), (3, 2), (4, 3), (5, 4), (3, 1)])
def test_the_best_guess_counted_out(n, n_values):
    """Of two coins the commoner side makes up 1, 1/2, 1/2 and 1: three quarters in the mean."""
    lists = [max(Counter(drawn).values()) / n for drawn in product(range(n_values), repeat=n)]
    assert guess_from_list(n, n_values) == pytest.approx(np.mean(lists), abs=1e-14)
    assert guess_from_list(2, 2) == 0.75


@pytest.mark.parametrize("n", [8, 32])
def test_who_knows_the_list_but_not_the_key_gets_that_far(n):
    """The commonest value of each of 6,000 lists, within 5 standard deviations of a share of 6,000."""
    drawn = lookups(np.random.default_rng(7), 6000, n)
    guesses = [Counter(row).most_common(1)[0][0] for row in (drawn.ids[:, :-1, 1] - VALUE).tolist()]
    share, due = np.mean(drawn.targets == guesses), guess_from_list(n)
    assert abs(share - due) < 5 * np.sqrt(due * (1 - due) / 6000)
    assert blind_guess() == 1 / 16 < due


def test_who_sees_only_the_last_entries():
    """Two of eight seen: a quarter is known, a sixteenth of the rest guessed: 1/4 + 3/64."""
    assert guess_from_last(8, 2) == pytest.approx(0.296875)
    assert (guess_from_last(2, 2), guess_from_last(1, 2), guess_from_last(5, 0)) == (1, 1, 1 / 16)
