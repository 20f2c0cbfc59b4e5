"""Optimisers: steps by hand, work in place, clipping that keeps the direction."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.learning.optimisers import Adam, AdamW, Sgd, clip_grad_norm

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)
OPTIMISERS = {
    "Adam": lambda: Adam(lr=0.1),
    "Adam with decay": lambda: Adam(lr=0.1, weight_decay=0.1),
    "AdamW": lambda: AdamW(lr=0.1, weight_decay=0.1),
    "Sgd": lambda: Sgd(lr=0.1),
    "Sgd Nesterov": lambda: Sgd(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
}


def test_adam_by_hand():
    # Step 1: m = 0.5 * 2 = 1, v = 0.25 * 4 = 1; corrected m = 1 / 0.5 = 2, v = 1 / 0.25 = 4; 0.1 * 2 / (2 +
    # 0.5).
    params, adam = np.array([10.0]), Adam(lr=0.1, betas=(0.5, 0.75), eps=0.5)
    adam.step(params, np.array([2.0]))
    np.testing.assert_allclose(params, [10 - 0.08], rtol=1e-15)
    # Step 2, gradient -1: m = 0.5 - 0.5 = 0: no move. v = 0.75 + 0.25 = 1.
    adam.step(params, np.array([-1.0]))
    np.testing.assert_allclose(params, [10 - 0.08], rtol=1e-15)
    np.testing.assert_allclose([adam.m[0], adam.v[0], adam.t], [0, 1, 2], atol=1e-16)


def test_adam_without_correction_by_hand():
    # m = 1, v = 1 as above, used as they are: 0.1 * 1 / (1 + 0.5)
    params = np.array([10.0])
    Adam(lr=0.1, betas=(0.5, 0.75), eps=0.5, bias_correction=False).step(params, np.array([2.0]))
    np.testing.assert_allclose(params, [10 - 0.1 / 1.5], rtol=1e-15)


def test_first_step_of_adam_has_the_length_of_the_learning_rate():
    params = np.zeros(3)
    Adam(lr=0.1, eps=0).step(params, np.array([3.0, -1e-9, 1e9]))
    np.testing.assert_allclose(params, [-0.1, 0.1, -0.1], rtol=1e-12)


def test_decay_in_the_gradient_and_beside_it():
    # Adam: the gradient is 0 + 0.5 * 20, and a first step is 0.1 whatever its size. AdamW: 20 * (1 - 0.1 *
    # 0.5).
    for optimiser, wanted in (
        (Adam(lr=0.1, weight_decay=0.5), 19.9),
        (AdamW(lr=0.1, weight_decay=0.5), 19.0),
    ):
        params = np.array([20.0])
        optimiser.step(params, np.zeros(1))
        np.testing.assert_allclose(params, [wanted], rtol=1e-9)


def test_sgd_by_hand():
    plain, momentum, nesterov, damped = np.zeros((4, 1))
    steps = {
        # gradient 1 twice; velocity 1, then 0.9 + 1 = 1.9
        "plain": (Sgd(0.1), plain, [-0.1, -0.2]),
        "momentum": (Sgd(0.1, momentum=0.9), momentum, [-0.1, -0.29]),
        # moves 1 + 0.9 * 1 = 1.9 and 1 + 0.9 * 1.9 = 2.71
        "nesterov": (Sgd(0.1, momentum=0.9, nesterov=True), nesterov, [-0.19, -0.461]),
        # velocity 1 (the first gradient counts in full), then 0.9 + 0.5
        "damped": (Sgd(0.1, momentum=0.9, dampening=0.5), damped, [-0.1, -0.24]),
    }
    for sgd, params, path in steps.values():
        for wanted in path:
            sgd.step(params, np.ones(1))
            np.testing.assert_allclose(params, [wanted], rtol=1e-14)


@pytest.mark.parametrize("name", OPTIMISERS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_works_in_place_in_the_kind_of_the_parameters(name, kind):
    optimiser, params, grads = OPTIMISERS[name](), np.ones(5, kind), np.arange(5, dtype=kind)
    window = params[2:]
    for _ in range(3):
        optimiser.step(params, grads)
    assert params.dtype == kind
    assert np.shares_memory(window, params)
    assert np.all(window < 1)
    np.testing.assert_array_equal(grads, np.arange(5))
    with pytest.raises(ValueError, match=r"params \(5,\), grads \(1,\)"):
        optimiser.step(params, grads[:1])


@pytest.mark.parametrize("name", OPTIMISERS)
def test_finds_the_bottom_of_a_bowl(name):
    # loss sum(a (p - 3)^2) / 2; with decay 0.1 the bottom of Sgd and Adam moves to 3 a / (a + 0.1)
    optimiser, params, steepness = OPTIMISERS[name](), np.zeros(2), np.array([1.0, 4.0])
    for step in range(2000):
        optimiser.lr = 0.1 * 0.995**step
        optimiser.step(params, steepness * (params - 3))
    decay = 0.1 if name in ("Adam with decay", "Sgd Nesterov") else 0.0
    allowed = 1e-3 if name != "AdamW" else 0.35  # its decay does not belong to any loss
    np.testing.assert_allclose(params, 3 * steepness / (steepness + decay), atol=allowed)


def test_fault_31_clipping_keeps_the_direction():
    grads = np.array([3.0, 4.0])
    assert clip_grad_norm(grads, max_norm=1) == 5
    np.testing.assert_allclose(grads, [0.6, 0.8], atol=1e-6)


def test_clipping_leaves_short_gradients_alone_and_knows_the_largest_entry():
    grads = np.array([3.0, 4.0])
    assert clip_grad_norm(grads, max_norm=5.1) == 5
    np.testing.assert_array_equal(grads, [3, 4])
    assert clip_grad_norm(grads, max_norm=2, order=math.inf) == 4
    np.testing.assert_allclose(grads, [1.5, 2], rtol=1e-6)


def test_clipping_far_numbers():
    grads = np.array([3e30, 4e30], np.float32)  # their squares leave float32
    np.testing.assert_allclose(clip_grad_norm(grads, max_norm=1), 5e30, rtol=1e-6)
    np.testing.assert_allclose(grads, [0.6, 0.8], rtol=1e-5)
    assert grads.dtype == np.float32
    grads = np.array([np.inf, 1.0])
    assert clip_grad_norm(grads, max_norm=1) == np.inf
    np.testing.assert_array_equal(grads, [np.inf, 1])


@SETTINGS
@given(arrays(np.float64, 7, elements=st.floats(-1e6, 1e6)), st.floats(1e-3, 1e3))
def test_clipped_norm_is_at_most_the_limit(grads, max_norm):
    before = grads.copy()
    norm = clip_grad_norm(grads, max_norm)
    assert np.linalg.norm(grads) <= max_norm * (1 + 1e-12)
    np.testing.assert_allclose(grads * norm, before * np.linalg.norm(grads), rtol=1e-9, atol=1e-9)
