"""SiLU, SwiGLU and softplus: values by hand, far tails, gradients."""

import math

import numpy as np
import pytest

from core.blocks.gated import silu, silu_backward, softplus, softplus_backward, swiglu, swiglu_backward
from tests.core.gradient_check import check_gradients


@pytest.mark.parametrize("sharpness", [1.0, 1.7])
def test_gradients(sharpness):
    rng = np.random.default_rng(83)
    x, b = rng.standard_normal((2, 2, 3, 5))
    check_gradients(lambda x: silu(x, alpha=sharpness), silu_backward, [x], rng)
    check_gradients(lambda x: softplus(x, beta=sharpness), softplus_backward, [x], rng)
    check_gradients(lambda a, b: swiglu(a, b, alpha=sharpness), swiglu_backward, [x, b], rng)


def test_by_hand():
    # sigmoid(ln 3) = 3/4 and sigmoid(2 * ln 3) = 9/10; softplus(ln 3) = ln(1 + 3); with beta 2: ln(1 + 9) / 2
    x = math.log(3)
    np.testing.assert_allclose([silu(x)[0], silu(x, alpha=2)[0]], [0.75 * x, 0.9 * x], rtol=1e-15)
    np.testing.assert_allclose(swiglu(x, -2.0)[0], -1.5 * x, rtol=1e-15)
    np.testing.assert_allclose([softplus(x)[0], softplus(x, beta=2)[0]], [math.log(4), math.log(10) / 2])


def test_far_tails():
    far = np.array([-1e300, -1e4, 1e4, 1e300])
    for forward, backward in ((silu, silu_backward), (softplus, softplus_backward)):
        out, cache = forward(far)
        np.testing.assert_array_equal(out, [0, 0, 1e4, 1e300])
        np.testing.assert_array_equal(backward(np.ones(4), cache), [0, 0, 1, 1])


def test_swiglu_needs_equal_shapes():
    with pytest.raises(ValueError, match=r"a \(2,\), b \(3,\)"):
        swiglu(np.ones(2), np.ones(3))
