"""A shuffle moves outputs along; and without positions nobody learns who chases."""

import math
from functools import lru_cache
from itertools import islice

import numpy as np
import pytest

from core.experiments.word_order import (
    EVERY,
    N_PARAMS,
    N_STEPS,
    answers,
    learn_order,
    order_model,
    shuffle,
)
from core.learning.models import count_parameters, init_model


@lru_cache(maxsize=6)
def whole_run(seed, positions):
    """All snapshots of a run; only to be looked at."""
    return tuple(learn_order(seed, positions))


@pytest.mark.parametrize("n", [1, 2, 7, 64])
@pytest.mark.parametrize("seed", [0, 5])
def test_a_shuffle_moves_outputs_along_and_changes_none(n, seed):
    did = shuffle([f"w{i % 11}" for i in range(n)], seed)
    assert sorted(did.order) == list(range(n))
    assert did.changes.shape == (n,)
    assert did.changes.max() < 1e-13
    np.testing.assert_allclose(did.after, did.before[did.order], rtol=0, atol=1e-13)


@pytest.mark.parametrize("options", [{"causal": True}, {"positions": True}])
def test_a_mask_or_positions_let_order_in(options):
    did = shuffle(("the", "cat", "chased", "the", "dog"), 0, **options)
    assert did.changes.max() > 0.1
    assert did.changes.max() == pytest.approx(np.abs(did.after - did.before[did.order]).max())


def test_causal_words_with_the_same_words_before_them_do_not_change():
    seed = next(s for s in range(20) if list(np.random.default_rng(s).permutation(3)) == [1, 0, 2])
    did = shuffle(("a", "b", "c"), seed, causal=True)
    assert did.changes[2] < 1e-13  # c sees a, b and itself, before and after
    assert did.changes[:2].min() > 1e-3


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_with_positions_it_learns_pairs_it_never_saw(seed):
    *_, last = whole_run(seed, True)
    assert last.step == N_STEPS
    assert last.accuracy >= 0.95
    assert last.loss < 0.05
    assert last.probe[0] > 0.9 > 0.1 > last.probe[1]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_without_positions_it_tosses_a_coin(seed):
    """Both orders of a pair get the same logits: half right at best, and never less surprise than ln 2."""
    snapshots = whole_run(seed, False)
    assert 0.4 < snapshots[-1].accuracy <= 0.5
    assert max(snapshot.seen_accuracy for snapshot in snapshots) <= 0.5
    assert min(snapshot.loss for snapshot in snapshots) > math.log(2) - 1e-6
    np.testing.assert_allclose(snapshots[-1].probe[0], snapshots[-1].probe[1], rtol=1e-4)


def test_same_seed_same_run_to_the_last_bit():
    first, other = whole_run(0, True)[:9], whole_run(1, True)[8]
    second = list(islice(learn_order(0, True), 9))
    assert [s.step for s in first] == [EVERY * i for i in range(9)]
    for a, b in zip(first, second, strict=True):
        assert a[:4] == b[:4]
        assert a.probe.tobytes() == b.probe.tobytes()
    assert other.loss != first[-1].loss


def test_positions_make_the_difference_and_nothing_else():
    """Lecture's pair in float64, untrained: equal to 1e-12 without positions, apart with them."""
    ids = [[0, 1, 11, 2], [0, 2, 11, 1]]
    for positions, low, high in ((False, 0, 1e-12), (True, 1e-2, 10)):
        model = order_model(positions)
        assert count_parameters(model) == N_PARAMS
        params = init_model(np.random.default_rng(0), model, np.float64)
        logits = answers(ids, params, model)
        assert low <= np.abs(logits[0] - logits[1]).max() <= high
