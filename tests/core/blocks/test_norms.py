"""Layer norm: rows by hand, what leaves it unchanged, gradients, and the faults that others reported."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.blocks.norms import layer_norm, layer_norm_backward
from tests.core.gradient_check import check_direction, check_gradients

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)


def test_hand_worked_row():
    # (1, 3, 5, 7): mean 4, deviations (-3, -1, 1, 3), variance (9 + 1 + 1 + 9) / 4 = 5; eps 4 makes the
    # root 3.
    out, cache = layer_norm([1.0, 3.0, 5.0, 7.0], [1, 1, 1, 6], [0, 0, 10, 0], eps=4)
    np.testing.assert_allclose(out, [-1, -1 / 3, 10 + 1 / 3, 6], rtol=1e-15)
    np.testing.assert_allclose([cache.mean[0], cache.inverse_std[0]], [4, 1 / 3], rtol=1e-15)


@pytest.mark.parametrize("gamma", [True, False])
@pytest.mark.parametrize("beta", [True, False])
def test_gradients(gamma, beta):
    rng = np.random.default_rng(71)
    inputs = [rng.normal(3, 2, (2, 3, 5)), rng.normal(1, 1, 5) if gamma else None]
    check_gradients(layer_norm, layer_norm_backward, [*inputs, rng.normal(size=5) if beta else None], rng)


def test_gradient_along_a_direction_at_size():
    rng = np.random.default_rng(73)
    inputs = [rng.normal(3, 2, (11, 13, 31)), rng.normal(1, 1, 31), rng.normal(size=31)]
    check_direction(layer_norm, layer_norm_backward, inputs, rng)


def test_fault_16_biased_variance_and_eps_inside_the_root():
    out, _ = layer_norm([[4.0, 0, 0, 0], [1, 2, 3, 4]])
    np.testing.assert_allclose(out[0], [1.7320479208, *[-0.5773493069] * 3], atol=1e-10)
    np.testing.assert_allclose(out[1], [-1.3416354200, -0.4472118067, 0.4472118067, 1.3416354200], atol=1e-10)


def test_fault_17_constant_row_is_finite():
    out, cache = layer_norm([7.0, 7, 7, 7])
    np.testing.assert_array_equal(out, 0)
    dx, _, _ = layer_norm_backward(np.array([1.0, 0, 0, 0]), cache)
    # (1 - 1/4, -1/4, -1/4, -1/4) / sqrt(1e-5)
    np.testing.assert_allclose(dx, [237.17082451, *[-79.05694150] * 3], atol=1e-8)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("value", [0.1, 1 / 3, -7e5])
def test_fault_17_constant_row_gives_exactly_the_shift(kind, value):
    beta = np.array([0.0, 0.3, -5.0], kind)
    out, _ = layer_norm(np.full((2, 3), value, kind), np.full(3, 1e6, kind), beta)
    np.testing.assert_array_equal(out, [beta, beta])


def test_fault_17_width_one():
    beta = np.array([0.25])
    out, cache = layer_norm([[5.0], [-3.0]], [2.0], beta)
    np.testing.assert_array_equal(out, [beta, beta])
    dx, dgamma, dbeta = layer_norm_backward(np.array([[1.5], [2.5]]), cache)
    np.testing.assert_array_equal(dx, 0)
    np.testing.assert_array_equal(dgamma, [0])
    np.testing.assert_array_equal(dbeta, [4])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_fault_35_large_offset(kind):
    out, _ = layer_norm(np.array([90000, 90001, 90002, 90003], kind))
    np.testing.assert_allclose(out, [-1.3416354200, -0.4472118067, 0.4472118067, 1.3416354200], rtol=1e-6)
    # The variance of n consecutive whole numbers is (n^2 - 1) / 12 = 833.25 for n = 100.
    _, cache = layer_norm(np.arange(1000000, 1000100, dtype=kind), eps=0)
    np.testing.assert_allclose(cache.inverse_std[0] ** -2, 833.25, rtol=1e-6)


@SETTINGS
@given(arrays(np.float64, (3, 5), elements=st.floats(-100, 100)), st.floats(-100, 100))
def test_adding_a_constant_to_a_row_changes_nothing(x, constant):
    # eps 1 keeps the slope below 1, so that the rounding of x + constant stays small
    np.testing.assert_allclose(layer_norm(x + constant, eps=1)[0], layer_norm(x, eps=1)[0], atol=1e-11)


@pytest.mark.parametrize(("kind", "kept"), [("f4", "f4"), ("f8", "f8"), ("f2", "f8"), ("i8", "f8")])
def test_kinds_of_numbers(kind, kept):
    out, cache = layer_norm(np.arange(6).reshape(2, 3).astype(kind), np.ones(3, kind), np.ones(3, kind))
    assert out.dtype == kept
    assert {grad.dtype for grad in layer_norm_backward(out, cache)} == {np.dtype(kept)}


def test_no_rows_and_wrong_shapes():
    assert layer_norm(np.ones((0, 3)))[0].shape == (0, 3)
    with pytest.raises(ValueError, match=r"x \(2, 0\)"):
        layer_norm(np.ones((2, 0)))
    with pytest.raises(ValueError, match=r"x \(2, 3\), gamma \(2,\)"):
        layer_norm(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match=r"x \(2, 3\), beta \(1,\)"):
        layer_norm(np.ones((2, 3)), None, np.ones(1))
