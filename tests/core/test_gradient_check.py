"""The checker itself: it must pass what is right, and above all fail what is wrong."""

from typing import NamedTuple

import numpy as np
import pytest

from tests.core.gradient_check import check_direction, check_gradients, numeric_gradient


class Pair(NamedTuple):
    w: np.ndarray
    b: np.ndarray | None


def affine(x, params):
    out = x @ params.w if params.b is None else x @ params.w + params.b
    return out, (x, params)


def affine_backward(dout, cache):
    x, params = cache
    return dout @ params.w.T, Pair(x.T @ dout, None if params.b is None else dout.sum(axis=0))


def draw(seed, bias=True):
    rng = np.random.default_rng(seed)
    params = Pair(rng.standard_normal((3, 5)), rng.standard_normal(5) if bias else None)
    return rng, (rng.standard_normal((2, 3)), params)


@pytest.mark.parametrize("check", [check_gradients, check_direction])
@pytest.mark.parametrize("bias", [True, False])
def test_right_gradients_pass(check, bias):
    rng, inputs = draw(11, bias)
    assert check(affine, affine_backward, inputs, rng) < 1e-9


@pytest.mark.parametrize("check", [check_gradients, check_direction])
def test_one_wrong_entry_fails(check):
    def wrong(dout, cache):
        dx, dparams = affine_backward(dout, cache)
        dx[1, 2] *= 1.001
        return dx, dparams

    rng, inputs = draw(13)
    with pytest.raises(AssertionError, match="by difference"):
        check(affine, wrong, inputs, rng)


def test_wrong_shape_wrong_order_and_writing_fail():
    rng, inputs = draw(17)
    with pytest.raises(AssertionError, match=r"gradient of 0: \(3, 2\), input \(2, 3\)"):
        check_gradients(
            affine, lambda d, c: (affine_backward(d, c)[0].T, affine_backward(d, c)[1]), inputs, rng
        )

    def writes(dout, cache):
        grads = affine_backward(dout, cache)
        dout *= 2
        return grads

    with pytest.raises(AssertionError, match="was written to"):
        check_gradients(affine, writes, inputs, rng)


def test_float32_inputs_are_checked_in_float64():
    """Fault 25: in float32 the error is about 5e-6 at the best step; the checker must not fall for it."""
    rng, (x, params) = draw(19)
    inputs = (x.astype(np.float32), Pair(params.w.astype(np.float32), params.b.astype(np.float32)))
    assert check_gradients(affine, affine_backward, inputs, rng) < 1e-9


def test_difference_at_a_corner_is_half_the_slope():
    """Fault 26: at the corner of max(x, 0) the difference is (h - 0) / 2h = 0.5, whatever the code says."""
    x = np.array([0.0, 1.0, -1.0])
    numeric = numeric_gradient(lambda: float(np.maximum(x, 0).sum()), x)
    np.testing.assert_allclose(numeric, [0.5, 1.0, 0.0], atol=1e-10)
