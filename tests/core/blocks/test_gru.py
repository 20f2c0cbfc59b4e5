"""The GRU: gates by hand, a shut gate passes everything on, gradients through time in both forms."""

import math

import numpy as np
import pytest

from core.blocks.gru import gru, gru_backward
from tests.core.gradient_check import check_direction, check_gradients


def draw(rng, leading=(2,), n=5):
    shapes = (*leading, n, 3), (3, 21), (7, 21), (21,), (21,), (*leading, 7)
    return [rng.normal(0, 0.5, shape) for shape in shapes]


def one_step(w_candidate=0.0, b_candidate=0.0, reset_after=True):
    """Step from state 1 with reset gate 3/4 and update gate 1/4: sigmoid(ln 3) = 3/4."""
    b_x, b_h = [math.log(3), -math.log(3), 0], [0, 0, b_candidate]
    w_h = [[0, 0, w_candidate]]
    return gru([[0.0]], np.zeros((1, 3)), w_h, b_x, b_h, h0=[1.0], reset_after=reset_after)[0][0, 0]


def test_hand_worked_step():
    # no weights at all: both gates 1/2, candidate tanh(0) = 0, so the state halves
    out, _ = gru(np.zeros((2, 1)), np.zeros((1, 3)), np.zeros((1, 3)), h0=[1.0])
    np.testing.assert_allclose(out, [[0.5], [0.25]], rtol=1e-15)
    # candidate tanh(3/4 * 1 * u) = tanh(ln 2) = 3/5; state 3/4 * 3/5 + 1/4 * 1 = 0.7
    for reset_after in (True, False):
        u = math.log(2) / 0.75
        np.testing.assert_allclose(one_step(w_candidate=u, reset_after=reset_after), 0.7, rtol=1e-15)
    # a shift of what is recalled is reset too only if the gate acts after the product
    np.testing.assert_allclose(one_step(b_candidate=math.log(2) / 0.75), 0.7, rtol=1e-15)
    np.testing.assert_allclose(one_step(b_candidate=math.log(2), reset_after=False), 0.7, rtol=1e-15)


def test_a_shut_gate_passes_state_and_gradient_on_unchanged():
    rng = np.random.default_rng(173)
    x, w_x, w_h, b_x, b_h, h0 = draw(rng, n=31)
    b_x[7:14] = 1000  # update gate exactly 1
    out, cache = gru(x, w_x, w_h, b_x, b_h, h0)
    np.testing.assert_array_equal(out[:, -1], h0)
    dout = np.zeros_like(out)
    dout[:, -1] = rng.standard_normal((2, 7))
    *_, dh0 = gru_backward(dout, cache)
    np.testing.assert_array_equal(dh0, dout[:, -1])


@pytest.mark.parametrize("reset_after", [True, False])
@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_gradients(reset_after, leading):
    rng = np.random.default_rng(179)
    check_gradients(lambda *i: gru(*i, reset_after=reset_after), gru_backward, draw(rng, leading, n=3), rng)


@pytest.mark.parametrize("reset_after", [True, False])
def test_gradients_without_shifts_and_along_a_direction(reset_after):
    rng = np.random.default_rng(181)
    x, w_x, w_h, _, _, h0 = draw(rng, n=3)

    def forward(*inputs):
        return gru(*inputs, reset_after=reset_after)

    check_gradients(forward, gru_backward, [x, w_x, w_h, None, None, h0], rng)
    check_direction(forward, gru_backward, draw(rng, (11,), n=31), rng)


def test_a_later_token_changes_no_earlier_state():
    x, *weights = draw(np.random.default_rng(191))
    changed = x.copy()
    changed[:, 3] += 1
    before, after = gru(x, *weights)[0], gru(changed, *weights)[0]
    np.testing.assert_array_equal(before[:, :3], after[:, :3])
    assert np.all(before[:, 3] != after[:, 3])


def test_no_tokens_and_kinds_of_numbers():
    out, cache = gru(*draw(np.random.default_rng(193), n=0))
    assert out.shape == (2, 0, 7)
    assert [grad.shape for grad in gru_backward(out, cache)] == [
        (2, 0, 3),
        (3, 21),
        (7, 21),
        (21,),
        (21,),
        (2, 7),
    ]
    for kind, kept in (("f4", "f4"), ("f8", "f8"), ("f2", "f8")):
        out, cache = gru(*[part.astype(kind) for part in draw(np.random.default_rng(197))])
        assert {out.dtype, *(grad.dtype for grad in gru_backward(out, cache))} == {np.dtype(kept)}


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((5, 3), (3, 20), (7, 21)), r"w_x \(3, 20\), w_h \(7, 21\)"),
        (((5, 3), (3, 21), (7, 7)), r"w_x \(3, 21\), w_h \(7, 7\)"),
        (((5, 2), (3, 21), (7, 21)), r"w \(3, 21\)"),
        (((5, 3), (3, 21), (7, 21), (7,)), r"b \(7,\)"),
        (((5, 3), (3, 21), (7, 21), (21,), (7,)), r"b_h \(7,\)"),
        (((5, 3), (3, 21), (7, 21), (21,), (21,), (2, 7)), r"x \(5, 3\), h0 \(2, 7\)"),
    ],
)
def test_wrong_shapes_are_quoted(shapes, message):
    with pytest.raises(ValueError, match=message):
        gru(*[np.ones(shape) for shape in shapes])
