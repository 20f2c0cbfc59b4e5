"""Interleaved recall: each question's answer stands right behind its key, and the fitting model learns it."""

import numpy as np
import pytest

from core.learning.dictionary import guess_from_list
from core.learning.mixers.attention import Attention
from core.learning.models import Model, count_parameters, read
from core.learning.recall import N_KEYS, N_VALUES, N_VOCAB, VALUE, chance, recalls, write
from tests.core.learning.learns import trained


def test_a_sequence_written_out_by_hand():
    """5 2 3 0 | 3 5: key 5 has value 2 (word 34), key 3 value 0 (word 32)."""
    one = write(np.array([[5, 3]]), np.array([[2, 0]]), np.array([[1, 0]]))
    assert one.ids.tolist() == [[5, 34, 3, 32, 3, 5]]
    assert (one.answer.tolist(), one.targets.tolist(), one.rows.tolist()) == ([[3, 1]], [[0, 2]], [[4, 5]])


@pytest.mark.parametrize("n", [1, 4, 32])
def test_every_key_is_asked_for_once_and_the_answer_stands_behind_it(n):
    drawn = recalls(np.random.default_rng(n), 97, n)
    assert drawn.ids.shape == (97, 3 * n)
    for ids, rows, answer, targets in zip(
        drawn.ids.tolist(), drawn.rows, drawn.answer, drawn.targets, strict=True
    ):
        questions = ids[2 * n :]
        assert [ids[row] for row in rows] == questions
        assert sorted(questions) == sorted(ids[0 : 2 * n : 2]) and len(set(questions)) == n
        assert max(questions) < VALUE
        for question, place, target in zip(questions, answer, targets, strict=True):
            assert (ids[place - 1], ids[place]) == (question, VALUE + target)


def test_values_and_orders_are_drawn_evenly():
    """4,000 lists of 3: each value in each place 250 times, each order of questions 667 times, +- 5 sd."""
    drawn = recalls(np.random.default_rng(3), 4000, 3)
    for place in range(3):
        assert np.abs(np.bincount(drawn.targets[:, place], minlength=N_VALUES) - 250).max() < 80
    orders = np.unique(drawn.answer, axis=0, return_counts=True)[1]
    assert len(orders) == 6
    assert np.abs(orders - 4000 / 6).max() < 130
    assert np.bincount(drawn.ids[:, 0], minlength=N_KEYS).min() > 125 - 56


def test_chance_is_that_of_the_list_without_its_keys():
    assert chance(4) == guess_from_list(4) == pytest.approx(0.3372, abs=1e-4)


@pytest.mark.parametrize("seed", [0, 1])
def test_two_causal_layers_learn_it(seed):
    model = Model(N_VOCAB, N_VALUES, Attention(n_heads=1, causal=True))
    assert count_parameters(model) == 18_896

    def draw(rng):
        drawn = recalls(rng, 32, 4)
        return drawn.ids, drawn.rows, drawn.targets

    params = trained(model, draw, 300, seed, max_norm=1.0)
    test = recalls(np.random.default_rng(97), 128, 4)
    logits, cache = read(test.ids, params, model, test.rows)
    assert (logits.argmax(axis=-1) == test.targets).mean() > 0.95
    weights = cache.mixer.blocks[1].attention.attention.weights[:, 0]  # (128, 4, 12)
    assert np.take_along_axis(weights, test.answer[:, :, None], axis=2).mean() > 0.85  # looked at the value
