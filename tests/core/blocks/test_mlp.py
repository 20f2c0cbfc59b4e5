"""The MLP of a block: a hand-worked row, every word by itself, gradients for each activation."""

import numpy as np
import pytest

from core.blocks.activations import gelu
from core.blocks.mlp import MLPParams, mlp, mlp_backward
from tests.core.gradient_check import check_direction, check_gradients


def rng_of(word):
    return np.random.default_rng(sum(map(ord, word)))


def draw_params(rng, d_model, d_ff, bias=True):
    b_1, b_2 = (rng.normal(size=d_ff), rng.normal(size=d_model)) if bias else (None, None)
    return MLPParams(rng.normal(size=(d_model, d_ff)), b_1, rng.normal(size=(d_ff, d_model)), b_2)


def test_hand_worked_row():
    # hidden = (1 * 2 + 1, 1 * -3 + 1) = (3, -2), bent = (3, 0), out = 3 * 5 + 0 * 7 + 4 = 19.
    # dout = 1: dw_2 = (3, 0), db_2 = 1, dhidden = (5, 0), dw_1 = (5, 0), db_1 = (5, 0), dx = 5 * 2 = 10.
    params = MLPParams(*map(np.array, ([[2.0, -3.0]], [1.0, 1.0], [[5.0], [7.0]], [4.0])))
    out, cache = mlp([[1.0]], params)
    np.testing.assert_array_equal(out, [[19]])
    np.testing.assert_array_equal(cache.layer_2.x, [[3, 0]])
    dx, dparams = mlp_backward(np.array([[1.0]]), cache)
    np.testing.assert_array_equal(dx, [[10]])
    for got, want in zip(dparams, ([[5, 0]], [5, 0], [[3], [0]], [1]), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(("activation", "form"), [("gelu", "exact"), ("gelu_tanh", "tanh")])
def test_name_of_the_activation_picks_its_form(activation, form):
    rng = rng_of("form")
    x, params = rng.normal(size=(3, 5)), draw_params(rng, 5, 7)
    wanted = gelu(x @ params.w_1 + params.b_1, form)[0] @ params.w_2 + params.b_2
    np.testing.assert_allclose(mlp(x, params, activation)[0], wanted, rtol=1e-12)


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh"])
@pytest.mark.parametrize("bias", [True, False])
def test_gradients(activation, bias):
    rng = rng_of("mlp")
    inputs = [rng.normal(size=(2, 3, 5)), draw_params(rng, 5, 7, bias)]
    hidden = mlp(*inputs)[1].layer_1.x @ inputs[1].w_1 + (inputs[1].b_1 if bias else 0)
    assert np.abs(hidden).min() > 1e-4  # fault 26: at a corner of ReLU the difference sees half of each slope
    check_gradients(lambda x, params: mlp(x, params, activation), mlp_backward, inputs, rng)


def test_gradients_of_a_larger_mlp():
    rng = rng_of("larger")
    inputs = [rng.normal(size=(31, 29)), draw_params(rng, 29, 37)]
    check_direction(lambda x, params: mlp(x, params, "gelu"), mlp_backward, inputs, rng)


def test_every_word_is_worked_on_by_itself():
    rng = rng_of("alone")
    x, params = rng.normal(size=(5, 3)), draw_params(rng, 3, 7)
    out, _ = mlp(x, params)
    for i in range(5):
        np.testing.assert_allclose(mlp(x[i : i + 1], params)[0], out[i : i + 1], rtol=1e-12)


def test_unknown_activation_and_wrong_width_are_said():
    params = draw_params(rng_of("wrong"), 5, 7)
    with pytest.raises(ValueError, match="'swish'"):
        mlp(np.zeros((3, 5)), params, "swish")
    with pytest.raises(ValueError, match=r"x \(3, 4\), w \(5, 7\)"):
        mlp(np.zeros((3, 4)), params)
