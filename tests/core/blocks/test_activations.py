"""Activations: known values, far tails without a warning, gradients away from corners."""

import math

import numpy as np
import pytest

from core.blocks.activations import (
    erf,
    gelu,
    gelu_backward,
    relu,
    relu_backward,
    sigmoid,
    sigmoid_backward,
    tanh,
    tanh_backward,
)
from tests.core.gradient_check import check_direction, check_gradients

PAIRS = {
    "relu": (relu, relu_backward),
    "sigmoid": (sigmoid, sigmoid_backward),
    "tanh": (tanh, tanh_backward),
    "gelu exact": (gelu, gelu_backward),
    "gelu tanh": (lambda x: gelu(x, form="tanh"), gelu_backward),
}
FAR = np.array([-np.inf, -1e300, -1e4, 1e4, 1e300, np.inf])


def away_from_the_corner(rng, shape):
    """Fault 26: at least 10 h = 1e-4 from 0, where the slope of ReLU jumps."""
    return rng.uniform(0.1, 3, shape) * rng.choice([-1, 1], shape)


@pytest.mark.parametrize("name", PAIRS)
def test_gradients(name):
    rng = np.random.default_rng(sum(map(ord, name)))
    check_gradients(*PAIRS[name], [away_from_the_corner(rng, (2, 3, 5))], rng)
    check_direction(*PAIRS[name], [away_from_the_corner(rng, (11, 13, 31))], rng)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(("kind", "kept"), [("f4", "f4"), ("f8", "f8"), ("f2", "f8"), ("i8", "f8")])
def test_kinds_and_shapes_are_kept(name, kind, kept):
    forward, backward = PAIRS[name]
    for shape in ((), (0, 3), (2, 3)):
        out, cache = forward(np.ones(shape, kind))
        assert out.shape == backward(np.ones(shape, kept), cache).shape == shape
        assert out.dtype == backward(np.ones(shape, kept), cache).dtype == kept


@pytest.mark.parametrize(
    ("name", "values", "slopes"),
    [
        ("relu", [0, 0, 0, 1e4, 1e300, np.inf], [0, 0, 0, 1, 1, 1]),
        ("sigmoid", [0, 0, 0, 1, 1, 1], [0] * 6),
        ("tanh", [-1, -1, -1, 1, 1, 1], [0] * 6),
        ("gelu exact", [0, 0, 0, 1e4, 1e300, np.inf], [0, 0, 0, 1, 1, 1]),
        ("gelu tanh", [0, 0, 0, 1e4, 1e300, np.inf], [0, 0, 0, 1, 1, 1]),
    ],
)
def test_far_values(name, values, slopes):
    forward, backward = PAIRS[name]
    out, cache = forward(FAR)
    np.testing.assert_array_equal(out, values)
    np.testing.assert_array_equal(backward(np.ones(6), cache), slopes)


def test_relu_at_the_corner():
    """Fault 26: the slope at 0 is 0 by definition, where a central difference would say 0.5."""
    out, cache = relu([-2.0, 0.0, 3.0])
    np.testing.assert_array_equal(out, [0, 0, 3])
    np.testing.assert_array_equal(relu_backward(np.array([5.0, 5.0, 5.0]), cache), [0, 0, 5])


def test_sigmoid_by_hand():
    # x = ln 3: 1 / (1 + 1/3) = 3/4, slope 3/4 * 1/4; x = -700: exp(-700), which 1 - sigmoid(700) would lose
    out, cache = sigmoid([math.log(3), -700.0])
    np.testing.assert_allclose(out, [3 / 4, math.exp(-700)], rtol=1e-14)
    np.testing.assert_allclose(sigmoid_backward(np.ones(2), cache), [3 / 16, math.exp(-700)], rtol=1e-14)


def test_tanh_by_hand():
    # x = ln 2: (2 - 1/2) / (2 + 1/2) = 3/5, slope 1 - 9/25
    out, cache = tanh(math.log(2))
    np.testing.assert_allclose([out, tanh_backward(1.0, cache)], [3 / 5, 16 / 25], rtol=1e-15)


def test_fault_20_the_two_forms_of_gelu():
    exact, _ = gelu([1.0, -1.0, 2.0], form="exact")
    bent, _ = gelu([1.0, -1.0, 2.0], form="tanh")
    np.testing.assert_allclose(exact, [0.8413447461, -0.1586552539, 1.9544997361], atol=1e-10)
    np.testing.assert_allclose(bent, [0.8411919906, -0.1588080094, 1.9545976941], atol=1e-10)
    x = np.linspace(0, 6, 6001)
    gap = np.abs(gelu(x, form="exact")[0] - gelu(x, form="tanh")[0])
    np.testing.assert_allclose([gap.max(), x[gap.argmax()]], [4.7324e-4, 2.699], rtol=1e-4)
    with pytest.raises(ValueError, match="'fast'"):
        gelu(1.0, form="fast")


def test_erf_at_full_precision():
    # Abramowitz and Stegun, table 7.1: erf(0.5), erf(1), erf(2)
    np.testing.assert_allclose(erf([0.5, 1, 2]), [0.5204998778, 0.8427007929, 0.9953222650], atol=1e-10)
    np.testing.assert_allclose(erf(1e-9), 2e-9 / math.sqrt(math.pi), rtol=1e-15)
