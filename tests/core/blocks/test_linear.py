"""The linear layer: a product by hand, kinds of numbers, shapes, gradients."""

import numpy as np
import pytest

from core.blocks.linear import linear, linear_backward
from tests.core.gradient_check import check_direction, check_gradients


def test_hand_worked_product_and_gradients():
    # out = (1*3 + 2*5 + 10, 1*4 + 2*6 + 20)
    out, cache = linear([1.0, 2.0], [[3.0, 4.0], [5.0, 6.0]], [10.0, 20.0])
    np.testing.assert_array_equal(out, [23, 36])
    # upstream (1, -1): dx = (3 - 4, 5 - 6); dw_ij = x_i dout_j; db = dout
    dx, dw, db = linear_backward(np.array([1.0, -1.0]), cache)
    np.testing.assert_array_equal(dx, [-1, -1])
    np.testing.assert_array_equal(dw, [[1, -1], [2, -2]])
    np.testing.assert_array_equal(db, [1, -1])


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (0,)])
@pytest.mark.parametrize("bias", [True, False])
def test_gradients(leading, bias):
    rng = np.random.default_rng(61)
    inputs = [rng.standard_normal((*leading, 5)), rng.standard_normal((5, 7))]
    inputs += [rng.standard_normal(7)] if bias else [None]
    check_gradients(linear, linear_backward, inputs, rng)


def test_gradient_along_a_direction_at_size():
    rng = np.random.default_rng(67)
    inputs = [rng.standard_normal(shape) for shape in ((11, 13, 31), (31, 37), (37,))]
    check_direction(linear, linear_backward, inputs, rng)


def test_without_shift_there_is_no_gradient_of_one():
    out, cache = linear(np.ones((2, 3)), np.ones((3, 5)))
    assert linear_backward(out, cache)[2] is None


@pytest.mark.parametrize(
    ("kind", "kept"), [("f4", "f4"), ("f8", "f8"), ("f2", "f8"), ("i8", "f8"), ("?", "f8")]
)
def test_kinds_of_numbers(kind, kept):
    out, cache = linear(np.ones((2, 3), kind), np.ones((3, 5), kind), np.ones(5, kind))
    assert out.dtype == kept
    assert {grad.dtype for grad in linear_backward(out, cache)} == {np.dtype(kept)}


def test_fault_19_half_precision_does_not_overflow():
    # 512 * 12 * 12 = 73728, above the largest float16 number 65504
    out, _ = linear(np.full(512, 12, np.float16), np.full((512, 1), 12, np.float16))
    np.testing.assert_array_equal(out, [73728.0])
    assert out.dtype == np.float64


@pytest.mark.parametrize(
    ("x", "w", "b", "message"),
    [
        ((2, 3), (5, 7), None, r"x \(2, 3\), w \(5, 7\)"),
        ((), (5, 7), None, r"x \(\), w \(5, 7\)"),
        ((2, 3), (3,), None, r"x \(2, 3\), w \(3,\)"),
        ((2, 3), (3, 7), (3,), r"b \(3,\), w \(3, 7\)"),
        ((2, 3), (3, 7), (2, 7), r"b \(2, 7\), w \(3, 7\)"),
    ],
)
def test_wrong_shapes_are_quoted(x, w, b, message):
    with pytest.raises(ValueError, match=message):
        linear(np.ones(x), np.ones(w), None if b is None else np.ones(b))
