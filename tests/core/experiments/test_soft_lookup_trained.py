"""Attention learns to look up and the others do not in the time they get; what they reach is a good guess."""

import math
import pickle
from functools import lru_cache
from itertools import islice

import numpy as np
import pytest

from core.blocks.softmax import softmax
from core.experiments import recorded
from core.experiments import soft_lookup_trained as trained
from core.experiments.soft_lookup_trained import (
    EVERY,
    MIXERS,
    N_STEPS,
    N_STEPS_OTHERS,
    N_TRIED,
    LookupSnapshot,
    guesses,
    look_up,
    model_of,
    n_parameters,
    n_steps,
    run,
)
from core.learning.dictionary import VALUE, guess_from_list, lookups
from core.learning.models import init_model, read
from core.learning.parameters import flatten


@lru_cache(maxsize=8)
def whole_run(name, n, seed):
    """All snapshots of a run; only to be looked at."""
    return tuple(run(name, n, seed))


def test_four_models_of_about_one_size():
    """49 words, mixer, 16 answers; by hand."""
    by_hand = {
        "attention": 49 * 32 + 4 * (32 * 32 + 32) + 32 * 16 + 16,
        "gru": 49 * 32 + 3 * 25 * (32 + 25 + 1) + 25 * 16 + 16,
        "rnn": 49 * 32 + 48 * (32 + 48 + 1) + 48 * 16 + 16,
        "conv": 49 * 27 + 2 * (3 * 27 * 27 + 27) + 27 * 16 + 16,
    }
    assert {name: n_parameters(name) for name in MIXERS} == by_hand
    assert max(by_hand.values()) < 1.03 * min(by_hand.values())


@pytest.mark.parametrize("seed", [0, 1])
def test_attention_learns_it_and_rests_on_the_right_entry_at_every_size(seed):
    first, *_, last = whole_run("attention", 8, seed)
    assert first.accuracy < 0.25 and first.weight < 0.25
    assert last.step == last.end == N_STEPS
    assert last.accuracy > 0.99 and last.weight > 0.9
    assert last.loss < 0.05 < math.log(16) < first.loss
    assert last.at_sizes.min() > 0.97 and last.weight_at_sizes.min() > 0.8
    assert np.isnan(first.at_sizes).all() and np.isnan(first.weight_at_sizes).all()


@pytest.mark.parametrize("name", ["gru", "rnn", "conv"])
def test_the_others_only_guess_well_in_that_time(name):
    """On 512 lists the best guess of who knows the list gives 0.258, with a standard deviation of 0.019."""
    *_, last = whole_run(name, 8, 0)
    assert last.step == N_STEPS_OTHERS > N_STEPS
    due = guess_from_list(8)
    assert 1 / 16 < last.accuracy < due + 3 * math.sqrt(due * (1 - due) / N_TRIED)
    assert math.isnan(last.weight) and np.isnan(last.weight_at_sizes).all()
    assert last.flat.size == 0
    assert np.diff(last.at_sizes).max() < 0.05  # the longer the list, the poorer the guess


@pytest.mark.parametrize("name", MIXERS)
def test_a_run_looks_every_few_steps_and_is_the_same_for_the_same_seed(name):
    one, same, other = (list(islice(run(name, 8, seed), 3)) for seed in (3, 3, 4))
    assert [(shot.step, shot.end) for shot in one] == [(EVERY * i, n_steps(name)) for i in range(3)]
    for a, b in zip(one, same, strict=True):
        assert pickle.dumps(a) == pickle.dumps(b)
    assert one[-1].loss != other[-1].loss
    for fields in zip(*one, strict=True):
        assert len({np.shape(field) for field in fields}) == 1


def test_longer_is_for_the_others():
    assert n_steps("attention", 4) == N_STEPS
    assert n_steps("gru", 4) == 4 * N_STEPS_OTHERS
    assert next(run("rnn", 8, 0, 4)).end == 4 * N_STEPS_OTHERS


def test_all_four_see_the_same_lists(monkeypatch):
    def lists_of(name):
        seen = []
        monkeypatch.setattr(trained, "lookups", lambda *args: seen.append(lookups(*args)) or seen[-1])
        list(islice(run(name, 8, 5), 2))
        return [one.ids for one in seen]

    every = [lists_of(name) for name in MIXERS]
    assert [len(lists) for lists in every] == [1 + EVERY] * 4
    for other in every[1:]:
        np.testing.assert_array_equal(np.concatenate(every[0][1:]), np.concatenate(other[1:]))
        np.testing.assert_array_equal(every[0][0], other[0])
    assert (every[0][1] != every[0][2]).any()


# --- at work ---


def test_a_trained_dictionary_answers_a_list_it_never_saw():
    found = look_up(whole_run("attention", 8, 0)[-1].flat, 8, list_seed=11)
    assert found.weights.shape == (8, 9) and found.chances.shape == (8, 16)
    np.testing.assert_allclose(found.weights.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(found.chances.sum(axis=1), 1, atol=1e-5)
    assert np.diag(found.weights).min() > 0.8
    np.testing.assert_array_equal(found.chances.argmax(axis=1), found.values)
    assert len(set(found.keys.tolist())) == 8


def test_what_it_finds_follows_from_the_parameters():
    """Scores by the formula, from the untrained parameters in float64; the residual hands the question on."""
    model = model_of("attention")
    flat, params = flatten(init_model(np.random.default_rng(2), model, np.float64))
    found = look_up(flat, 5, list_seed=3)
    words = params.table[np.stack([found.keys, VALUE + found.values], axis=1)].sum(axis=1)  # (5, 32)
    w_q, b_q, w_k, b_k, w_v, b_v, w_o, b_o = params.mixer.blocks[0].attention
    for key, weights, chances in zip(found.keys, found.weights, found.chances, strict=True):
        question = params.table[key] + params.table[-1]
        x = np.vstack([words, question])
        due, _ = softmax((question @ w_q + b_q) @ (x @ w_k + b_k).T / math.sqrt(32))
        np.testing.assert_allclose(weights, due, atol=1e-5)
        out = question + (due @ (x @ w_v + b_v)) @ w_o + b_o
        np.testing.assert_allclose(chances, softmax(out @ params.w + params.b)[0], atol=1e-5)


def test_the_convolution_cannot_see_more_than_the_last_two_entries():
    model, lists = model_of("conv"), lookups(np.random.default_rng(7), 5, 8)
    params = init_model(np.random.default_rng(8), model)
    before, _ = read(lists.ids, params, model, lists.rows)
    for place in range(8):
        changed = lists.ids.copy()
        changed[:, place, 0] = (changed[:, place, 0] + 1) % 32
        after, _ = read(changed, params, model, lists.rows)
        assert np.array_equal(after, before) == (place < 6)
    assert guesses(8) == pytest.approx((1 / 16, 0.257865, 2 / 8 + 6 / 8 / 16), abs=1e-6)


# --- recorded runs ---


def recorded_run(name, n):
    return recorded.load(f"soft_lookup_trained_{name}_{n}", LookupSnapshot)


@pytest.mark.parametrize("n", [8, 16, 32])
@pytest.mark.parametrize("name", MIXERS)
def test_a_recorded_run_begins_as_it_does_here(name, n):
    seen, meta = recorded_run(name, n)
    assert meta["settings"] == [name, n, 0, 1]
    assert [shot.step for shot in seen] == list(range(0, n_steps(name) + 1, EVERY))
    for there, here in zip(seen, islice(run(name, n, 0), 3), strict=False):
        assert there.loss == pytest.approx(here.loss, abs=1e-5)
        assert there.accuracy == pytest.approx(here.accuracy, abs=1.5 / N_TRIED)
        assert np.shape(there.flat) == np.shape(here.flat)
        if there.step == 0:  # kept in half precision: 11 bits
            np.testing.assert_allclose(there.flat, here.flat, rtol=2**-11, atol=1e-7)


@pytest.mark.parametrize("name", MIXERS)
def test_a_recorded_run_ends_as_it_does_here(name):
    *_, there = recorded_run(name, 8).seen
    *_, here = whole_run(name, 8, 0)
    assert there.accuracy == pytest.approx(here.accuracy, abs=0.06)  # 3 standard deviations of a guess
    if name == "attention":
        assert min(there.accuracy, here.accuracy) > 0.99
        assert there.weight == pytest.approx(here.weight, abs=0.02)
