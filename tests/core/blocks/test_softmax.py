"""Softmax and log-softmax: hand-worked rows, properties, gradients, and the faults that others reported."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.blocks.softmax import log_softmax, log_softmax_backward, softmax, softmax_backward
from tests.core.gradient_check import check_direction, check_gradients

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)
ROWS = arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 7)), elements=st.floats(-1e4, 1e4))


def rng_of(word):
    return np.random.default_rng(sum(map(ord, word)))


def test_hand_worked_row():
    # exp(0) = 1, exp(ln 2) = 2, exp(ln 5) = 5; the sum is 8.
    weights, _ = softmax([0.0, np.log(2), np.log(5)])
    np.testing.assert_allclose(weights, [1 / 8, 2 / 8, 5 / 8], rtol=1e-15)
    log_weights, _ = log_softmax([0.0, np.log(2), np.log(5)])
    np.testing.assert_allclose(log_weights, np.log([1 / 8, 2 / 8, 5 / 8]), rtol=1e-15)


def test_hand_worked_gradient():
    # Weights (1/4, 3/4), upstream (1, 0): the weighted mean is 1/4, so dx = (1/4 * 3/4, 3/4 * -1/4).
    _, cache = softmax([0.0, np.log(3)])
    np.testing.assert_allclose(softmax_backward(np.array([1.0, 0.0]), cache), [3 / 16, -3 / 16], rtol=1e-15)
    # log-softmax: dx = upstream - weights * sum of upstream = (1, 0) - (1/4, 3/4).
    _, cache = log_softmax([0.0, np.log(3)])
    np.testing.assert_allclose(log_softmax_backward(np.array([1.0, 0.0]), cache), [3 / 4, -3 / 4], rtol=1e-15)


@pytest.mark.parametrize("pair", [(softmax, softmax_backward), (log_softmax, log_softmax_backward)])
def test_gradients(pair):
    rng = rng_of("softmax")
    check_gradients(*pair, [rng.normal(size=(2, 3, 5))], rng)
    check_direction(*pair, [rng.normal(size=(11, 67))], rng)


def test_fault_01_large_scores_stay_finite():
    wanted = [0.0900305732, 0.2447284711, 0.6652409558]
    np.testing.assert_allclose(softmax([1000.0, 1001.0, 1002.0])[0], wanted, rtol=0, atol=5e-11)
    np.testing.assert_allclose(
        softmax(np.array([1000, 1001, 1002], np.float32))[0], wanted, rtol=0, atol=1e-7
    )
    np.testing.assert_allclose(np.exp(log_softmax([1000.0, 1001.0, 1002.0])[0]), wanted, rtol=0, atol=5e-11)


def test_fault_04_maximum_has_no_floor():
    wanted = [0.7310585786, 0.2689414214]
    np.testing.assert_allclose(softmax([-20000.0, -20001.0])[0], wanted, rtol=0, atol=5e-11)
    np.testing.assert_allclose(softmax([-1e300, -1e300])[0], [0.5, 0.5], rtol=0, atol=0)


def test_fault_05_rows_sum_to_one_and_columns_do_not():
    weights, _ = softmax([[0.0, 1.0], [2.0, 5.0]])
    wanted = [[0.2689414214, 0.7310585786], [0.0474258732, 0.9525741268]]
    np.testing.assert_allclose(weights, wanted, rtol=0, atol=5e-11)
    np.testing.assert_allclose(weights.sum(axis=0), [0.3164, 1.6836], rtol=0, atol=5e-5)


def test_fault_19_half_precision_is_widened():
    scores = np.array([1, 2, 3], dtype=np.float16)
    weights, _ = softmax(scores)
    assert weights.dtype == np.float64
    np.testing.assert_array_equal(weights, softmax([1.0, 2.0, 3.0])[0])


def test_fault_22_blocked_class_costs_nothing():
    # Logits (0, -inf), true class 1: weights (1, 0), loss -log 1 = 0, gradient weights - one-hot = (0, 0).
    log_weights, cache = log_softmax([0.0, -np.inf])
    np.testing.assert_array_equal(log_weights, [0.0, -np.inf])
    np.testing.assert_array_equal(log_softmax_backward(np.array([-1.0, 0.0]), cache), [0.0, 0.0])


def test_fault_25_float32_is_what_fails_a_gradient_check():
    """Loss -log w_1 of 5 scores: a step of 1e-8 in float32 says nothing, one of 1e-5 in float64 does."""
    scores = rng_of("cross-entropy").normal(size=5)
    _, cache = log_softmax(scores)
    by_hand = log_softmax_backward(np.array([-1.0, 0, 0, 0, 0]), cache)

    def error(kind, h):
        start = scores.astype(kind)
        steps = np.eye(5, dtype=kind) * kind(h)
        losses = [-log_softmax(start + sign * step)[0][0] for step in steps for sign in (1, -1)]
        slopes = np.subtract(losses[::2], losses[1::2]).astype(np.float64) / (2 * h)
        return np.abs(slopes - by_hand).max() / np.abs(by_hand).max()

    assert error(np.float64, 1e-5) < 1e-9
    assert error(np.float32, 1e-8) > 0.5


FAR_APART = [[0, 1, 3], [80, 79, 77], [-80, -79, -81], [1000, 999, 998], [-24, -23, -90], [45, 47, -300]]


@pytest.mark.parametrize(("kind", "close"), [(np.float32, 2e-6), (np.float64, 1e-14)])
def test_every_row_is_right_whether_it_was_shifted_or_not(kind, close):
    rows = np.array(FAR_APART, kind)
    weights, _ = softmax(rows)
    for row, got in zip(FAR_APART, weights, strict=True):
        exact = [1 / math.fsum(math.exp(other - score) for other in row) for score in row]
        np.testing.assert_allclose(got, exact, rtol=close, atol=1e-30)  # float32 ends at about 1e-38
        np.testing.assert_allclose(softmax(np.array(row, kind))[0], got, rtol=close)  # the same on its own


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("scores", "wanted"), [([1e4, 0.0], [1, 0]), ([-1e4, -1e4], [0.5, 0.5]), ([3e38, -3e38], [1, 0])]
)
def test_powers_that_leave_the_range_warn_nobody(scores, wanted, kind):
    np.testing.assert_array_equal(softmax(np.array(scores, kind))[0], wanted)  # a warning would be an error


def test_row_that_is_blocked_throughout():
    scores = np.array([[-np.inf, -np.inf, -np.inf], [0.0, np.log(3), -np.inf]])
    weights, cache = softmax(scores)
    np.testing.assert_allclose(weights, [[0, 0, 0], [1 / 4, 3 / 4, 0]], rtol=1e-15, atol=0)
    dx = softmax_backward(np.array([[1.0, 2.0, 3.0], [1.0, 0.0, 7.0]]), cache)
    np.testing.assert_allclose(dx, [[0, 0, 0], [3 / 16, -3 / 16, 0]], rtol=1e-15, atol=0)
    np.testing.assert_array_equal(log_softmax(scores)[0][0], [-np.inf] * 3)


def test_scores_further_apart_than_the_largest_float():
    np.testing.assert_array_equal(softmax([1.5e308, -1.5e308])[0], [1.0, 0.0])
    np.testing.assert_array_equal(log_softmax([1.5e308, -1.5e308])[0], [0.0, -np.inf])


def test_log_softmax_keeps_what_softmax_rounds_away():
    # exp(-1000) is 0 in float64, its logarithm is -1000 exactly.
    np.testing.assert_array_equal(log_softmax([0.0, -1000.0])[0], [0.0, -1000.0])


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_empty_rows(shape):
    for forward, backward in ((softmax, softmax_backward), (log_softmax, log_softmax_backward)):
        out, cache = forward(np.zeros(shape))
        assert out.shape == shape
        assert backward(np.zeros(shape), cache).shape == shape


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_kind_of_float_is_kept(kind):
    for forward, backward in ((softmax, softmax_backward), (log_softmax, log_softmax_backward)):
        out, cache = forward(np.ones((2, 3), dtype=kind))
        assert out.dtype == backward(np.ones((2, 3), dtype=kind), cache).dtype == kind


@SETTINGS
@given(ROWS)
def test_rows_sum_to_one(scores):
    weights, cache = softmax(scores)
    assert np.all(weights >= 0)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=0, atol=1e-12)
    # The shares keep their sum, so a gradient that is the same for all of them moves nothing.
    np.testing.assert_allclose(softmax_backward(np.ones(scores.shape), cache), 0, rtol=0, atol=1e-12)


@SETTINGS
@given(arrays(np.float64, (3, 5), elements=st.integers(-50, 50)), st.integers(-(2**40), 2**40))
def test_adding_a_constant_changes_nothing(scores, constant):
    # Whole numbers below 2^53 are added without rounding, so only the last digits of the powers may differ.
    np.testing.assert_allclose(softmax(scores + constant)[0], softmax(scores)[0], rtol=1e-14)


@SETTINGS
@given(ROWS)
def test_order_of_shares_is_the_order_of_scores(scores):
    weights, _ = softmax(scores)
    for row, shares in zip(scores, weights, strict=True):
        assert np.all(np.diff(shares[np.argsort(row)]) >= 0)
