"""RMS norm: a row by hand, rows of zeros, gradients."""

import numpy as np
import pytest

from core.blocks.rms_norm import rms_norm, rms_norm_backward
from tests.core.gradient_check import check_direction, check_gradients


def test_hand_worked_row():
    # (1, 7): mean square (1 + 49) / 2 = 25; eps 11 makes the root 6.
    out, _ = rms_norm([1.0, 7.0], [6, 12], eps=11)
    np.testing.assert_allclose(out, [1, 14], rtol=1e-15)


@pytest.mark.parametrize("gamma", [True, False])
def test_gradients(gamma):
    rng = np.random.default_rng(79)
    inputs = [rng.normal(1, 2, (2, 3, 5)), rng.normal(1, 1, 5) if gamma else None]
    check_gradients(rms_norm, rms_norm_backward, inputs, rng)
    check_direction(rms_norm, rms_norm_backward, [rng.normal(1, 2, (11, 13, 31)), rng.normal(1, 1, 31)], rng)


def test_a_row_of_zeros_stays_zero_and_its_gradient_finite():
    out, cache = rms_norm(np.zeros((1, 2)), eps=1e-4)
    np.testing.assert_array_equal(out, 0)
    dx, dgamma = rms_norm_backward(np.array([[1.0, -2.0]]), cache)
    np.testing.assert_allclose(dx, [[100, -200]], rtol=1e-12)  # 1 / sqrt(1e-4) = 100
    assert dgamma is None


def test_kinds_and_shapes():
    assert rms_norm(np.ones(3, np.float32))[0].dtype == np.float32
    assert rms_norm(np.ones(3, np.float16))[0].dtype == np.float64
    with pytest.raises(ValueError, match=r"x \(2, 3\), gamma \(5,\)"):
        rms_norm(np.ones((2, 3)), np.ones(5))
