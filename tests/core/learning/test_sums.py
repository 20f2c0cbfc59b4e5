"""Sums of neighbours, and what is left of them for who does not know the order."""

from itertools import product

import numpy as np
import pytest

from core.learning.sums import LENGTH, all_counts, chance, order_blind, sum_task, sums


def test_the_answer_is_the_sum_with_the_word_before():
    ids = np.array([[3, 4, 4, 0, 2, 1, 1, 3], [0, 0, 1, 4, 0, 0, 0, 2]])
    np.testing.assert_array_equal(sums(ids), [[3, 2, 3, 4, 2, 3, 2, 4], [0, 0, 1, 0, 4, 0, 0, 2]])
    assert ids[0, 1] == 4  # what was given is left as it was


def test_no_sentence_is_drawn_twice_and_all_words_are_drawn_evenly():
    """36,864 words: 7,373 of each, 5 standard deviations are 384."""
    task = sum_task(np.random.default_rng(2), 4096, 512)
    ids = np.concatenate(task)
    assert task.train.shape == (4096, LENGTH) and task.test.shape == (512, LENGTH)
    assert len(np.unique(ids, axis=0)) == 4608
    counts = np.bincount(ids.ravel(), minlength=5)
    assert len(counts) == 5 and np.abs(counts - ids.size / 5).max() < 384
    every = sum_task(np.random.default_rng(2), 5**8 - 1, 1)  # all that there are
    assert len(np.unique(np.concatenate(every) @ 5 ** np.arange(8))) == 5**8
    answers = np.bincount(sums(ids).ravel(), minlength=5) / ids.size
    assert answers == pytest.approx(np.full(5, chance()), abs=0.011)


@pytest.mark.parametrize("n", [1, 2, 4, 5])
def test_the_order_blind_ceiling_against_all_sentences_one_by_one(n):
    """Who sees own word and counts gives one answer to all that look alike: the most frequent at best."""
    seen = {}
    for sentence in product(range(5), repeat=n):
        for place, own in enumerate(sentence):
            answer = (own + (sentence[place - 1] if place else 0)) % 5
            seen.setdefault((own, tuple(sorted(sentence))), []).append(answer)
    counts = [np.bincount(answers, minlength=5) for answers in seen.values()]
    total = n * 5**n
    found = order_blind(n)
    assert found.accuracy == pytest.approx(sum(one.max() for one in counts) / total, rel=1e-12)
    nats = -sum((one[one > 0] * np.log(one[one > 0] / one.sum())).sum() for one in counts) / total
    assert found.loss == pytest.approx(nats, rel=1e-12, abs=1e-12)


def test_the_order_blind_ceiling_of_eight_words():
    """A simulation of others gave .397; a loss between 0 and ln 5."""
    found = order_blind()
    assert found.accuracy == pytest.approx(0.397, abs=5e-4)
    assert 0 < found.loss < np.log(5)
    assert order_blind(1) == (1.0, 0.0)  # one word alone is its own answer


def test_counts_are_all_there_are():
    """Stars and bars: 12 over 4 ways to make 8 of 5 kinds."""
    found = list(all_counts(8, 5))
    assert len(found) == len(set(found)) == 495 and {sum(counts) for counts in found} == {8}
