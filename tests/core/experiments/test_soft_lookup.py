"""A small dictionary worked out by hand, its limits, the figures behind sqrt(d), and the walk downhill."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.attention import scaled_dot_product_attention
from core.experiments.soft_lookup import (
    TAUS,
    entropy,
    favourites,
    hard_loss,
    jacobian_norm,
    look_up,
    query_at,
    soften,
    spread_by_width,
    steps,
    sweep,
    walk,
)

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)
LN2, LN5 = math.log(2), math.log(5)
# Width 4, so the root is 2: products 2 ln 2, 0, 2 ln 5; scores ln 2, 0, ln 5; weights 2 : 1 : 5.
QUERY = np.array([2.0, 0, 0, 0])
KEYS = np.array([[LN2, 7, 0, 0], [0, 0, -3, 1], [LN5, 0, 0, 2]])
VALUES = np.array([[8.0, 0], [16, 8], [0, -8]])


def random_dictionary(seed, n=5, d_k=3, d_v=2):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(d_k), rng.standard_normal((n, d_k)), rng.standard_normal((n, d_v))


def test_a_query_on_the_circle():
    np.testing.assert_allclose(query_at(90, 3), [0, 3], atol=1e-15)
    np.testing.assert_allclose(query_at(-60, 2), [1, -math.sqrt(3)], atol=1e-15)
    np.testing.assert_array_equal(query_at(45, 0), [0, 0])


def test_every_step_by_hand():
    did = steps(QUERY, KEYS, VALUES)
    np.testing.assert_allclose(did.products, [2 * LN2, 0, 2 * LN5], rtol=1e-15)
    np.testing.assert_allclose(did.scores, [LN2, 0, LN5], rtol=1e-15)
    np.testing.assert_allclose(did.powers, [2 / 5, 1 / 5, 1], rtol=1e-15)
    np.testing.assert_allclose(did.weights, [2 / 8, 1 / 8, 5 / 8], rtol=1e-15)
    np.testing.assert_allclose(did.parts, [[2, 0], [2, 1], [0, -5]], atol=1e-15)
    np.testing.assert_allclose(did.out, [4, -4], rtol=1e-15)


@SETTINGS
@given(st.integers(0, 10**6), st.integers(1, 13), st.integers(1, 7))
def test_the_three_old_parts_are_the_attention_of_the_core(seed, n, d_k):
    query, keys, values = random_dictionary(seed, n, d_k)
    out, cache = scaled_dot_product_attention(query[None], keys, values)
    did = steps(query, keys, values)
    np.testing.assert_allclose(did.out, out[0], atol=1e-12)
    np.testing.assert_allclose(did.weights, cache.weights[0], atol=1e-12)


@pytest.mark.parametrize("shift", [100, -100, 1e4])
def test_a_common_shift_changes_no_weight(shift):
    query, keys, values = random_dictionary(3)
    plain, moved = steps(query, keys, values), steps(query, keys, values, shift)
    np.testing.assert_allclose(moved.scores, plain.scores + shift)
    np.testing.assert_allclose(moved.weights, plain.weights, atol=1e-11)


def test_hard_and_soft_answer_the_same_question():
    keys, values = np.array([[2.0, 0], [1.41, 1.41], [2, 0]]), np.eye(3)
    found = look_up(query_at(0, 2), keys, values)
    assert found.hit == 0  # of equal keys the first
    # products 4, 2.82, 4 over the root of 2; out = the weights, since the values are the unit vectors
    powers = np.exp(np.array([4, 2.82, 4]) / math.sqrt(2))
    np.testing.assert_allclose(found.out, powers / powers.sum(), rtol=1e-14)
    np.testing.assert_array_equal(found.out, found.weights)
    np.testing.assert_allclose(found.products, [4, 2.82, 4], rtol=1e-15)
    np.testing.assert_array_equal(found.best, [0, 2])
    assert look_up(query_at(45, 2), keys, values).hit == 1  # 1.41421... is 1.41 on the table
    assert look_up(query_at(5, 2), keys, values).hit is None
    assert look_up(np.array([0.0, -0.001]), np.array([[0.0, 0.0]]), np.eye(1)).hit == 0  # -0.00 is 0.00


def test_temperature_from_the_hard_dictionary_to_the_mean():
    scores = np.array([LN2, 0, LN5])
    np.testing.assert_allclose(soften(scores, 1), [2 / 8, 1 / 8, 5 / 8], rtol=1e-15)
    np.testing.assert_allclose(soften(scores, 0.5), [4 / 30, 1 / 30, 25 / 30], rtol=1e-15)  # 2, 1, 5 squared
    np.testing.assert_array_equal(soften(scores, 0), [0, 0, 1])
    np.testing.assert_allclose(soften(scores, 1e-3), [0, 0, 1], atol=1e-300)
    np.testing.assert_allclose(soften(scores, 1e9), np.full(3, 1 / 3), atol=1e-9)


def test_a_sweep_is_every_temperature_by_itself():
    scores = np.array([LN2, 0, LN5])
    swept = sweep(scores, np.array([0.5, 1]))
    np.testing.assert_allclose(swept, [[4 / 30, 1 / 30, 25 / 30], [2 / 8, 1 / 8, 5 / 8]], rtol=1e-14)
    assert (TAUS[0], TAUS[-1]) == pytest.approx((0.01, 100))


def test_favourites_are_one_several_or_all():
    np.testing.assert_array_equal(favourites(np.array([0.1, 0.7, 0.2])), [1])
    np.testing.assert_array_equal(favourites(np.array([0.4, 0.2, 0.4])), [0, 2])
    np.testing.assert_array_equal(favourites(np.full(3, 1 / 3)), [0, 1, 2])


def test_a_query_of_length_0_prefers_nothing():
    _, keys, values = random_dictionary(2, n=5, d_k=2)
    found = look_up(query_at(20, 0), keys, values)
    np.testing.assert_array_equal(found.best, np.arange(5))
    np.testing.assert_allclose(found.weights, np.full(5, 0.2), rtol=1e-14)


def test_ties_are_shared():
    np.testing.assert_array_equal(soften(np.array([3.0, 1, 3, 3, 3]), 0), [0.25, 0, 0.25, 0.25, 0.25])
    np.testing.assert_allclose(soften(np.array([3.0, 1, 3]), 1e-3), [0.5, 0, 0.5], atol=1e-300)


def test_entropy():
    """Fault 22: 0 log 0 counts as 0."""
    assert entropy(np.array([0.0, 1.0])) == 0.0
    assert math.copysign(1, entropy(np.array([0.0, 1.0]))) == 1  # and is not printed as -0.000
    assert entropy(np.full(7, 1 / 7)) == pytest.approx(math.log(7), rel=1e-14)
    # 1/2 ln 2 + 2 * 1/4 ln 4 = 1.5 ln 2
    assert entropy(np.array([0.5, 0, 0.25, 0.25])) == pytest.approx(1.5 * LN2, rel=1e-14)


@SETTINGS
@given(st.integers(0, 10**6), st.integers(1, 11))
def test_jacobian_norm_equals_the_explicit_matrix(seed, n):
    weights = np.random.default_rng(seed).dirichlet(np.full(n, 0.3), size=2)
    explicit = [np.linalg.norm(np.diag(w) - np.outer(w, w)) for w in weights]
    np.testing.assert_allclose(jacobian_norm(weights), explicit, atol=1e-7)


def test_jacobian_norm_by_hand():
    # (1/2, 1/2): the matrix is 1/4 (1, -1; -1, 1), its norm 1/2; one that takes all passes nothing on
    assert jacobian_norm(np.array([0.5, 0.5])) == pytest.approx(0.5, rel=1e-15)
    assert jacobian_norm(np.array([0.0, 1.0, 0.0])) == 0


def test_spread_by_width():
    """The figures of a separate run (32 keys, 200 draws), within the error of 200 draws.

    Width: spread of the scores without the division, mean largest weight without and with it. (That run
    took the spread within each draw, which lies a little below the root of d at small widths.)
    """
    reference = {
        4: (1.9, 0.35, 0.157),
        16: (3.9, 0.61, 0.170),
        64: (7.8, 0.81, 0.160),
        256: (15.8, 0.90, 0.159),
        1024: (31.5, 0.952, 0.166),
    }
    plain, scaled = spread_by_width(seed=11, widths=tuple(reference))
    spreads, plain_largest, scaled_largest = zip(*reference.values(), strict=True)
    assert list(plain.widths) == list(scaled.widths) == list(reference)
    np.testing.assert_allclose(plain.score_sd, spreads, rtol=0.1)
    np.testing.assert_allclose(plain.largest, plain_largest, atol=0.06)
    np.testing.assert_allclose(scaled.largest, scaled_largest, atol=0.03)
    np.testing.assert_allclose(scaled.slope, [0.22, 0.23, 0.235, 0.234, 0.239], atol=0.02)
    np.testing.assert_allclose(plain.slope[:3], [0.30, 0.34, 0.16], atol=0.07)
    assert 2e-3 < plain.slope[3] < 3e-2  # reference 7.6e-3
    assert 1e-5 < plain.slope[4] < 1e-2  # reference 3.7e-4; a median over a range of many decades
    assert plain.slope[1] > scaled.slope[1]  # at small widths leaving the division out does no harm


def test_spread_is_theory_and_repeats():
    # q and k of N(0, 1): the variance of q . k is d
    plain, scaled = spread_by_width(seed=5, widths=(1, 13, 101), n_keys=7, n_draws=400)
    np.testing.assert_allclose(plain.score_sd, np.sqrt([1, 13, 101]), rtol=0.1)
    np.testing.assert_allclose(scaled.score_sd * np.sqrt([1, 13, 101]), plain.score_sd, rtol=1e-6)
    again, _ = spread_by_width(seed=5, widths=(1, 13, 101), n_keys=7, n_draws=400)
    for one, other in zip(plain, again, strict=True):
        np.testing.assert_array_equal(one, other)


def loss_at(query, keys, values, target):
    return float(((steps(query, keys, values).out - target) ** 2).sum() / 2)


def test_the_first_step_follows_the_slope():
    query, keys, values = random_dictionary(7)
    target, h, rate = np.array([0.3, -1.1]), 1e-5, 0.25
    way = walk(query, keys, values, target, rate, 1)
    slope = [
        (loss_at(query + e, keys, values, target) - loss_at(query - e, keys, values, target)) / (2 * h)
        for e in h * np.eye(3)
    ]
    np.testing.assert_allclose(way.queries[1], query - rate * np.array(slope), atol=1e-9)
    np.testing.assert_array_equal(way.queries[0], query)
    assert way.slopes[0] == pytest.approx(math.hypot(*slope), rel=1e-6)


def test_the_walk_goes_down_and_keeps_its_books():
    query, keys, values = random_dictionary(13)
    target = np.full(5, 0.2) @ values  # the mean of the values: within reach
    way = walk(query, keys, values, target, 0.2, 60)
    assert way.queries.shape == (61, 3)
    assert way.outs.shape == (61, 2)
    assert (np.diff(way.losses) < 0).all()
    for i in (0, 17, 60):
        assert way.losses[i] == pytest.approx(loss_at(way.queries[i], keys, values, target), rel=1e-12)
        np.testing.assert_allclose(way.outs[i], steps(way.queries[i], keys, values).out, rtol=1e-12)
    assert len(walk(query, keys, values, target, 0.2, 0).losses) == 1
    shorter = walk(query, keys, values, target, 0.2, 23)
    np.testing.assert_array_equal(shorter.losses, way.losses[:24])  # a longer walk starts like a shorter one


def test_the_hard_dictionary_has_no_slope():
    # products of (1, 0) with the keys: 2 and 1, so it hands over (3, 1); the target is (0, 0): (9 + 1) / 2
    keys, values = np.array([[2.0, 0], [1, 5]]), np.array([[3.0, 1], [0, 0]])
    assert hard_loss(np.array([1.0, 0.0]), keys, values, np.zeros(2)) == 5
    for moved in ([1.0, 1e-3], [1.0, -1e-3], [1.001, 0]):
        assert hard_loss(np.array(moved), keys, values, np.zeros(2)) == 5
