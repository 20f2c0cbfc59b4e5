"""Cross-entropy: values by hand, what counts and what does not, gradients, faults that others reported."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.blocks.losses import (
    cross_entropy,
    cross_entropy_backward,
    negative_log_likelihood,
    negative_log_likelihood_backward,
)
from tests.core.gradient_check import check_direction, check_gradients

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)
OPTIONS = [
    {},
    {"reduction": "sum"},
    {"reduction": "none"},
    {"smoothing": 0.1},
    {"ignore": 2},
    {"ignore": 2, "smoothing": 0.3, "class_weights": [0.5, 1.5, 2, 3, 0.1]},
    {"class_weights": [0.5, 1.5, 2, 3, 0.1], "reduction": "none"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_gradients(options):
    rng = np.random.default_rng(101)
    targets = np.array([[0, 2, 4], [3, 2, 1]])
    for forward, backward in (
        (cross_entropy, cross_entropy_backward),
        (negative_log_likelihood, negative_log_likelihood_backward),
    ):
        logits = rng.standard_normal((2, 3, 5))
        check_gradients(lambda x, f=forward: f(x, targets, **options), backward, [logits], rng)


def test_gradient_along_a_direction_at_size():
    rng = np.random.default_rng(103)
    targets = rng.integers(0, 31, (11, 13))
    logits = rng.standard_normal((11, 13, 31))
    check_direction(lambda x: cross_entropy(x, targets, smoothing=0.2), cross_entropy_backward, [logits], rng)


def test_fault_25_the_check_in_float64_is_sharp():
    rng = np.random.default_rng(107)
    for kind in (np.float64, np.float32):  # the checker widens float32, in which the check itself would fail
        logits = rng.standard_normal(5).astype(kind)
        assert check_gradients(lambda x: cross_entropy(x, 3), cross_entropy_backward, [logits], rng) < 1e-9


def test_hand_worked_row():
    # Scores (0, ln 3) mean probabilities (1/4, 3/4); right class 1: loss -ln(3/4), gradient (1/4, 3/4 - 1).
    loss, cache = cross_entropy([[0.0, math.log(3)]], [1])
    np.testing.assert_allclose(loss, -math.log(0.75), rtol=1e-15)
    np.testing.assert_allclose(cross_entropy_backward(1.0, cache), [[0.25, -0.25]], rtol=1e-15)
    np.testing.assert_allclose(np.exp(cache.log_softmax.log_weights), [[0.25, 0.75]], rtol=1e-15)


def test_guessing_among_ten_costs_ln_10():
    loss, _ = cross_entropy(np.zeros((7, 10)), np.arange(7))
    np.testing.assert_allclose(loss, math.log(10), rtol=1e-15)


def test_fault_22_zero_times_minus_infinity_is_zero():
    loss, cache = cross_entropy([0.0, -np.inf], 0)
    assert loss == 0
    np.testing.assert_array_equal(cross_entropy_backward(1.0, cache), [0, 0])
    # the ruled-out class itself is infinitely surprising, and pulls with -1
    loss, cache = cross_entropy([0.0, -np.inf], 1)
    assert loss == np.inf
    np.testing.assert_array_equal(cross_entropy_backward(1.0, cache), [1, -1])


def test_fault_23_smoothing_spreads_over_all_classes():
    # Even scores predict 0.2 each, so the gradient shows the target: 0.2 - (0.02, 0.02, 0.92, 0.02, 0.02).
    _, cache = cross_entropy(np.zeros(5), 2, smoothing=0.1)
    target = 0.2 - cross_entropy_backward(1.0, cache)
    np.testing.assert_allclose(target, [0.02, 0.02, 0.92, 0.02, 0.02], rtol=1e-14)
    np.testing.assert_allclose(target.sum(), 1, rtol=1e-15)
    # scores (1000, -1000, ...): the right class costs 0, each of the four others 2000 * 0.02
    loss, _ = cross_entropy([1000.0, -1000, -1000, -1000, -1000], 0, smoothing=0.1)
    np.testing.assert_allclose(loss, 160, rtol=1e-14)


def test_ignored_targets_do_not_count_in_the_mean():
    logits = np.array([[0.0, math.log(3)], [5.0, -5.0], [0.0, 0.0]])
    loss, cache = cross_entropy(logits, [1, -100, 0], ignore=-100)
    np.testing.assert_allclose(loss, (-math.log(0.75) + math.log(2)) / 2, rtol=1e-15)
    np.testing.assert_allclose(cross_entropy_backward(1.0, cache), [[0.125, -0.125], [0, 0], [-0.25, 0.25]])


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize(("logits", "targets"), [(np.ones((2, 3)), [-1, -1]), (np.ones((0, 3)), [])])
def test_nothing_to_score_costs_nothing(reduction, logits, targets):
    loss, cache = cross_entropy(logits, np.array(targets, int), ignore=-1, reduction=reduction)
    assert loss == 0
    np.testing.assert_array_equal(cross_entropy_backward(1.0, cache), np.zeros(logits.shape))


def test_class_weights_by_hand():
    # Two even rows cost ln 2 each; weights 1 and 3: mean (1 ln 2 + 3 ln 2) / (1 + 3).
    loss, cache = cross_entropy(np.zeros((2, 2)), [0, 1], class_weights=[1, 3])
    np.testing.assert_allclose(loss, math.log(2), rtol=1e-15)
    # gradient of a row: weight / 4 * (1/2 - target)
    np.testing.assert_allclose(cross_entropy_backward(1.0, cache), [[-1 / 8, 1 / 8], [3 / 8, -3 / 8]])
    loss, _ = cross_entropy(np.zeros((2, 2)), [0, 1], class_weights=[1, 3], reduction="none")
    np.testing.assert_allclose(loss, [math.log(2), 3 * math.log(2)])


def test_shares_as_targets():
    # 1/4 of -ln(1/4) and 3/4 of -ln(3/4): the entropy of the target itself, where the gradient is 0
    loss, cache = cross_entropy([[0.0, math.log(3)]], [[0.25, 0.75]])
    np.testing.assert_allclose(loss, 0.25 * math.log(4) + 0.75 * math.log(4 / 3), rtol=1e-15)
    np.testing.assert_allclose(cross_entropy_backward(1.0, cache), 0, atol=1e-15)


@SETTINGS
@given(arrays(np.float64, (3, 5), elements=st.floats(-700, 700)), st.floats(0, 1), st.floats(-1e3, 1e3))
def test_properties(logits, smoothing, constant):
    loss, cache = cross_entropy(logits, [0, 4, 2], smoothing=smoothing)
    assert 0 <= loss < np.inf
    dlogits = cross_entropy_backward(1.0, cache)
    np.testing.assert_allclose(dlogits.sum(axis=-1), 0, atol=1e-15)  # what one class gains the others lose
    shifted, _ = cross_entropy(logits + constant, [0, 4, 2], smoothing=smoothing)
    np.testing.assert_allclose(shifted, loss, atol=1e-9)


@pytest.mark.parametrize(("kind", "kept"), [("f4", "f4"), ("f8", "f8"), ("f2", "f8"), ("i8", "f8")])
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_kinds_of_numbers(kind, kept, reduction):
    weights = np.ones(3)
    loss, cache = cross_entropy(
        np.ones((2, 3), kind), [0, 1], smoothing=0.1, class_weights=weights, reduction=reduction
    )
    assert loss.dtype == cross_entropy_backward(loss, cache).dtype == kept


@pytest.mark.parametrize(
    ("targets", "options", "message"),
    [
        ([0], {}, r"targets \(1,\), scores \(2, 3\)"),
        ([0, 3], {}, "from 0 to 2; got 3"),
        ([-1, 0], {}, "from 0 to 2; got -1"),
        ([-1, 3], {"ignore": -1}, "from 0 to 2; got 3"),
        (np.ones((2, 2)), {}, r"targets \(2, 2\), scores \(2, 3\)"),
        ([0, 1], {"class_weights": [1, 1]}, r"class_weights \(2,\)"),
        ([0, 1], {"reduction": "median"}, "'median'"),
        ([0, 1], {"smoothing": 1.5}, "1.5"),
    ],
)
def test_errors_quote_what_is_wrong(targets, options, message):
    with pytest.raises(ValueError, match=message):
        cross_entropy(np.ones((2, 3)), targets, **options)
