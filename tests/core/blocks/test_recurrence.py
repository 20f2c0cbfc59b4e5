"""The recurrent network: states by hand, how far a gradient carries, gradients through time."""

import math

import numpy as np
import pytest

from core.blocks.recurrence import rnn, rnn_backward
from tests.core.gradient_check import check_direction, check_gradients


def draw(rng, leading=(2,), n=5):
    shapes = (*leading, n, 3), (3, 7), (7, 7), (7,), (*leading, 7)
    return [rng.normal(0, 0.5, shape) for shape in shapes]


def test_hand_worked_steps():
    # tanh(ln 2) = 3/5. First token ln 2 enters with weight 1; the second is 0, the state enters with u = ln
    # 2 / 0.6.
    u = math.log(2) / 0.6
    out, cache = rnn([[math.log(2)], [0.0]], [[1.0]], [[u]])
    np.testing.assert_allclose(out, [[0.6], [0.6]], rtol=1e-15)
    # slope of tanh there: 1 - 9/25 = 0.64; the second state hears the first token through u and twice the
    # slope
    dx, dw_x, dw_h, db, dh0 = rnn_backward(np.array([[0.0], [1.0]]), cache)
    np.testing.assert_allclose(dx, [[0.64 * u * 0.64], [0.64]], rtol=1e-15)
    np.testing.assert_allclose(dw_x, [[0.64 * u * 0.64 * math.log(2)]], rtol=1e-15)
    np.testing.assert_allclose(dw_h, [[0.64 * 0.6]], rtol=1e-15)
    np.testing.assert_allclose(dh0, [u * 0.64 * u * 0.64], rtol=1e-15)
    assert db is None


@pytest.mark.parametrize(
    ("factor", "wanted"), [(0.9, 0.00515378), (1.0, 1.0), (1.1, 117.390853), (1.5, 6.376215e8)]
)
def test_fault_31_a_factor_to_the_power_of_the_distance(factor, wanted):
    out, cache = rnn(np.zeros((50, 1)), [[1.0]], [[factor]], h0=[1.0], activation="linear")
    np.testing.assert_allclose(out[-1], [wanted], rtol=1e-6)
    dout = np.zeros((50, 1))
    dout[-1] = 1
    *_, dh0 = rnn_backward(dout, cache)
    np.testing.assert_allclose(dh0, [wanted], rtol=1e-6)


@pytest.mark.parametrize("activation", ["tanh", "relu", "linear"])
@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_gradients(activation, leading):
    rng = np.random.default_rng(139)
    inputs = draw(rng, leading)
    if activation == "relu":  # fault 26: no sum within 10 h of the corner
        x, w_x, w_h, b, h0 = inputs
        out, _ = rnn(*inputs, activation="relu")
        before = np.concatenate([h0[..., None, :], out[..., :-1, :]], axis=-2)
        assert np.abs(x @ w_x + before @ w_h + b).min() > 1e-4
    check_gradients(lambda *i: rnn(*i, activation=activation), rnn_backward, inputs, rng)


def test_gradients_without_shift_and_along_a_direction():
    rng = np.random.default_rng(149)
    x, w_x, w_h, _, h0 = draw(rng)
    check_gradients(rnn, rnn_backward, [x, w_x, w_h, None, h0], rng)
    check_direction(rnn, rnn_backward, draw(rng, (11,), n=31), rng)


def test_equals_one_step_after_the_other():
    x, w_x, w_h, b, h0 = draw(np.random.default_rng(151))
    out, _ = rnn(x, w_x, w_h, b, h0)
    h = h0
    for t in range(5):
        h, _ = rnn(x[:, t : t + 1], w_x, w_h, b, h)
        h = h[:, 0]
        np.testing.assert_allclose(out[:, t], h, atol=1e-15)


def test_a_later_token_changes_no_earlier_state():
    x, *weights = draw(np.random.default_rng(157))
    changed = x.copy()
    changed[:, 3] += 1
    before, after = rnn(x, *weights)[0], rnn(changed, *weights)[0]
    np.testing.assert_array_equal(before[:, :3], after[:, :3])
    assert np.all(before[:, 3] != after[:, 3])


def test_no_tokens_and_kinds_of_numbers():
    x, *weights = draw(np.random.default_rng(163), n=0)
    out, cache = rnn(x, *weights)
    assert out.shape == (2, 0, 7)
    np.testing.assert_array_equal(rnn_backward(out, cache)[4], np.zeros((2, 7)))
    for kind, kept in (("f4", "f4"), ("f8", "f8"), ("f2", "f8")):
        out, cache = rnn(*[part.astype(kind) for part in draw(np.random.default_rng(167))])
        assert {out.dtype, *(grad.dtype for grad in rnn_backward(out, cache))} == {np.dtype(kept)}


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((5, 3), (2, 7), (7, 7)), r"x \(5, .*w \(2, 7\)"),
        (((5, 3), (3, 7), (7, 5)), r"w_x \(3, 7\), w_h \(7, 5\)"),
        (((5, 3), (3, 5), (7, 7)), r"w_x \(3, 5\), w_h \(7, 7\)"),
        (((5, 3), (3, 7), (7, 7), (5,)), r"b \(5,\)"),
        (((5, 3), (3, 7), (7, 7), (7,), (2, 7)), r"x \(5, 3\), h0 \(2, 7\)"),
        (((3,), (3, 7), (7, 7)), r"x \(3,\)"),
    ],
)
def test_wrong_shapes_are_quoted(shapes, message):
    with pytest.raises(ValueError, match=message):
        rnn(*[np.ones(shape) for shape in shapes])


def test_unknown_activation():
    with pytest.raises(ValueError, match="'step'"):
        rnn(np.ones((2, 3)), np.ones((3, 5)), np.ones((5, 5)), activation="step")
