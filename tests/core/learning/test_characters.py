"""Characters: split, vocabulary and windows by hand; nothing that is held out is ever learned from."""

import math
from itertools import islice

import numpy as np
import pytest

from core.learning.characters import (
    UNKNOWN,
    Characters,
    as_characters,
    guess_loss,
    held_out,
    held_out_windows,
    numbers,
    pair_loss,
    random_windows,
    starts,
    unknown_signs,
)

CONTEXT = 32


def numbered(n):
    """A text of n characters that are all different: each stands for its own place."""
    return Characters(tuple(map(chr, range(n))), np.arange(n), held_out(n))


def test_of_every_500_characters_the_last_50_are_held_out():
    hidden = held_out(1230)
    assert np.flatnonzero(hidden).tolist() == [*range(450, 500), *range(950, 1000)]
    assert held_out(470).sum() == 20


def test_the_vocabulary_begins_with_the_unknown_sign_and_then_the_most_frequent():
    found = as_characters("abcbbca", most=4)
    assert found.signs == (UNKNOWN, "b", "a", "c")  # a and c twice each: a comes first
    assert found.ids.tolist() == [2, 1, 3, 1, 1, 3, 2]
    assert not found.is_held_out.any()


def test_what_is_too_rare_becomes_unknown():
    found = as_characters("aaabbc", most=3)
    assert found.signs == (UNKNOWN, "a", "b")
    assert found.ids.tolist() == [1, 1, 1, 2, 2, 0]
    assert numbers("cab", found.signs).tolist() == [0, 1, 2]
    assert unknown_signs("xaxyb", found.signs) == ["x", "y"]


def test_the_vocabulary_knows_nothing_of_what_is_held_out():
    text = "a" * 450 + "b" * 50
    found = as_characters(text)
    assert found.signs == (UNKNOWN, "a")
    assert found.ids[450:].tolist() == [0] * 50


def test_no_character_is_taken_for_the_unknown_sign():
    found = as_characters("a□\ufffd\0a")
    assert found.signs == (UNKNOWN, "a", "□", "\ufffd", "\0")
    assert found.ids.tolist() == [1, 2, 3, 4, 1]


def test_no_window_holds_a_character_that_is_held_out():
    hidden = held_out(1100)
    found = starts(hidden, CONTEXT)
    due = [i for i in range(1100 - CONTEXT) if not hidden[i : i + CONTEXT + 1].any()]
    assert found.tolist() == due
    assert len(due) == 2 * (450 - CONTEXT) + 100 - CONTEXT


def test_a_batch_asks_for_the_next_character_and_leaves_out_what_is_held_out():
    text = numbered(1230)
    batches = list(random_windows(np.random.default_rng(0), text, CONTEXT, 64, 20))
    assert len(batches) == 20
    for ids, targets in batches:
        assert ids.shape == targets.shape == (64, CONTEXT)
        np.testing.assert_array_equal(targets, ids + 1)
        assert not text.is_held_out[ids].any() and not text.is_held_out[targets].any()
    assert (batches[0][0] != batches[1][0]).any()


@pytest.mark.parametrize("n", [470, 500, 1230, 1960])
@pytest.mark.parametrize("context", [32, 33, 64])
def test_each_held_out_character_is_asked_for_once_with_half_a_window_before_it(n, context):
    text = numbered(n)
    asked = held_out_windows(text, context)
    np.testing.assert_array_equal(asked.targets, asked.ids + 1)
    assert sorted(asked.targets[asked.is_asked]) == np.flatnonzero(text.is_held_out).tolist()
    places = np.nonzero(asked.is_asked)[1]
    assert places.min() >= context // 2  # so many characters are read before, the one at the place among them


# --- how far guessing gets ---


def test_who_knows_shares_pays_their_logarithm():
    """Trained on are 300 a and 150 b; each counts once more, the unknown sign once: 301, 151, 1 of 453."""
    text = as_characters("aab" * 150 + "ab" * 25)
    due = -(25 * math.log(301 / 453) + 25 * math.log(151 / 453)) / 50
    assert guess_loss(text) == pytest.approx(due, rel=1e-12)


def test_who_has_counted_pairs_knows_what_follows():
    """Trained on are ab 225 times and ba 224 times, held out are ba and ab, 25 times each.

    Shares: a 226, b 226, unknown 1, of 453. The smoothing 0.5 is the best of those tried.
    """
    text = as_characters("ab" * 250)
    share = 226 / 453
    a_to_b, b_to_a = (225 + 0.5 * share) / 225.5, (224 + 0.5 * share) / 224.5
    assert pair_loss(text) == pytest.approx(-(math.log(a_to_b) + math.log(b_to_a)) / 2, rel=1e-12)
    assert pair_loss(text) < 0.01 < guess_loss(text)


def test_pairs_tell_nothing_about_a_text_of_chance():
    rng = np.random.default_rng(5)
    text = as_characters("".join(rng.choice(list("abcdefgh"), 20_000)))
    assert guess_loss(text) == pytest.approx(math.log(8), abs=0.01)
    assert pair_loss(text) == pytest.approx(guess_loss(text), abs=0.01)


def test_pairs_are_not_counted_where_one_is_held_out():
    """Trained on are 224 times cc, once cd, 224 times dd. Held out are dc and cd, 25 times each.

    The smoothing 32 suits it best of those tried, for nearly nothing that was counted comes true.
    """
    text = as_characters("c" * 225 + "d" * 225 + "cd" * 25)
    share = 226 / 453
    d_to_c, c_to_d = 32 * share / (224 + 32), (1 + 32 * share) / (225 + 32)
    assert pair_loss(text) == pytest.approx(-(math.log(d_to_c) + math.log(c_to_d)) / 2, rel=1e-12)
    assert guess_loss(text) == pytest.approx(-math.log(share), rel=1e-12)


def test_batches_of_one_seed_are_equal():
    text = as_characters("the quick brown fox " * 40)
    one, same, other = (
        next(iter(islice(random_windows(np.random.default_rng(seed), text, 16, 8, 1), 1)))[0]
        for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
