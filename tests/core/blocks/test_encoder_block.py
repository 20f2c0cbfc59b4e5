"""The block and the stack: the stages that ran, both orders of the norm, gradients of every wiring."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.blocks.encoder_block import BlockParams, encoder_block, encoder_block_backward, init_block
from core.blocks.encoder_stack import StackParams, encoder_stack, encoder_stack_backward
from core.blocks.masks import causal_mask, padding_mask
from core.blocks.mlp import mlp
from core.blocks.multi_head import AttentionParams, self_attention, self_attention_backward
from core.blocks.norms import layer_norm
from core.blocks.sublayer import NormParams
from tests.core.gradient_check import check_direction, check_gradients, leaves

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)


def rng_of(word):
    return np.random.default_rng(sum(map(ord, word)))


def draw_params(rng, d_model, n_heads, d_ff, bias=True):
    """Draw a block whose gains and shifts are away from 1 and 0, where a wrong backward pass could hide."""
    params = init_block(rng, d_model, n_heads, d_ff, bias=bias)

    def moved(tree):
        if isinstance(tree, tuple):
            return type(tree)(*map(moved, tree))
        return None if tree is None else tree + rng.uniform(0.2, 0.6, tree.shape)

    return moved(params)


def names(cache):
    return [stage.name for stage in cache.stages]


STAGES = {
    ("pre", True, True): ["input", "norm_1", "attention", "add_1", "norm_2", "mlp", "add_2"],
    ("post", True, True): ["input", "attention", "add_1", "norm_1", "mlp", "add_2", "norm_2"],
    ("off", True, True): ["input", "attention", "add_1", "mlp", "add_2"],
    ("pre", False, True): ["input", "norm_1", "attention", "norm_2", "mlp"],
    ("post", False, True): ["input", "attention", "norm_1", "mlp", "norm_2"],
    ("off", False, True): ["input", "attention", "mlp"],
    ("pre", True, False): ["input", "norm_1", "attention", "add_1"],
    ("post", True, False): ["input", "attention", "add_1", "norm_1"],
    ("off", True, False): ["input", "attention", "add_1"],
    ("pre", False, False): ["input", "norm_1", "attention"],
    ("post", False, False): ["input", "attention", "norm_1"],
    ("off", False, False): ["input", "attention"],
}


@pytest.mark.parametrize(("wiring", "wanted"), STAGES.items(), ids=str)
def test_stages_are_what_ran(wiring, wanted):
    norm, residual, use_mlp = wiring
    rng = rng_of("stages")
    x, params = rng.normal(size=(2, 5, 6)), draw_params(rng, 6, 3, 7)
    out, cache = encoder_block(x, params, 3, norm=norm, residual=residual, use_mlp=use_mlp)
    assert names(cache) == wanted
    np.testing.assert_array_equal(cache.stages[0].array, x)
    np.testing.assert_array_equal(cache.stages[-1].array, out)
    assert {stage.array.shape for stage in cache.stages} == {x.shape}
    assert (cache.mlp is None) is not use_mlp
    assert cache.attention.attention.weights.shape == (2, 3, 5, 5)


def test_both_orders_of_the_norm_written_out():
    rng = rng_of("orders")
    x, params = rng.normal(size=(5, 6)), draw_params(rng, 6, 2, 7)

    def attend(y):
        return self_attention(y, params.attention, 2)[0]

    def work(y):
        return mlp(y, params.mlp)[0]

    def ln(y, gain_and_shift):
        return layer_norm(y, *gain_and_shift)[0]

    middle = x + attend(ln(x, params.norm_1))
    pre = middle + work(ln(middle, params.norm_2))
    middle = ln(x + attend(x), params.norm_1)
    post = ln(middle + work(middle), params.norm_2)
    np.testing.assert_allclose(encoder_block(x, params, 2, norm="pre")[0], pre, rtol=1e-13)
    np.testing.assert_allclose(encoder_block(x, params, 2, norm="post")[0], post, rtol=1e-13)
    bare = work(attend(x))
    np.testing.assert_allclose(encoder_block(x, params, 2, norm="off", residual=False)[0], bare, rtol=1e-13)


def test_activation_and_eps_reach_the_parts():
    rng = rng_of("options")
    x, params = rng.normal(size=(5, 6)), draw_params(rng, 6, 2, 7)
    out, cache = encoder_block(x, params, 2, activation="gelu", eps=0.5)
    stages = {stage.name: stage.array for stage in cache.stages}
    np.testing.assert_allclose(stages["norm_1"], layer_norm(x, *params.norm_1, 0.5)[0], rtol=1e-13)
    np.testing.assert_allclose(
        stages["norm_2"], layer_norm(stages["add_1"], *params.norm_2, 0.5)[0], rtol=1e-13
    )
    np.testing.assert_allclose(stages["mlp"], mlp(stages["norm_2"], params.mlp, "gelu")[0], rtol=1e-13)
    stacked, _ = encoder_stack(x, StackParams((params,), params.norm_1), 2, activation="gelu", eps=0.5)
    np.testing.assert_allclose(stacked, layer_norm(out, *params.norm_1, 0.5)[0], rtol=1e-13)


def test_hand_worked_block():
    # One word (1, 3), attention and MLP give 0 (w_o = 0, w_2 = 0): "off" hands the word on, "post" norms it
    # twice: (1, 3) -> (-1, 1) up to eps, and again (-1, 1). "pre" adds nothing to the word.
    one, none = np.eye(2), np.zeros((2, 2))
    norm = NormParams(np.ones(2), np.zeros(2))
    attention = AttentionParams(one, None, one, None, one, None, none, None)
    params = BlockParams(norm, attention, norm, init_block(rng_of("hand"), 2, 1, 2).mlp._replace(w_2=none))
    x = np.array([[1.0, 3.0]])
    np.testing.assert_array_equal(encoder_block(x, params, 1, norm="off")[0], x)
    np.testing.assert_array_equal(encoder_block(x, params, 1, norm="pre")[0], x)
    np.testing.assert_allclose(encoder_block(x, params, 1, norm="post")[0], [[-1, 1]], rtol=2e-5)


@pytest.mark.parametrize("wiring", STAGES, ids=str)
def test_gradients(wiring):
    norm, residual, use_mlp = wiring

    def forward(x, params):
        return encoder_block(x, params, 2, norm=norm, residual=residual, use_mlp=use_mlp, activation="gelu")

    rng = rng_of("block")
    inputs = [rng.normal(size=(2, 3, 4)), draw_params(rng, 4, 2, 5)]
    check_gradients(forward, encoder_block_backward, inputs, rng)


def test_gradients_without_shifts_and_with_a_mask():
    def forward(x, params):
        return encoder_block(x, params, 2, mask=padding_mask([3, 1], 3), scale=False, activation="gelu_tanh")

    rng = rng_of("no shifts")
    inputs = [rng.normal(size=(2, 3, 4)), draw_params(rng, 4, 2, 5, bias=False)]
    check_gradients(forward, encoder_block_backward, inputs, rng)


def test_gradients_of_self_attention():
    rng = rng_of("self")
    inputs = [rng.normal(size=(2, 3, 4)), draw_params(rng, 4, 2, 5).attention]
    check_gradients(lambda x, params: self_attention(x, params, 2), self_attention_backward, inputs, rng)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("final_norm", [True, False])
def test_gradients_of_a_stack(norm, final_norm):
    def forward(x, params):
        return encoder_stack(x, params, 5, norm=norm, mask=causal_mask(7), activation="gelu")

    rng = rng_of("stack")
    blocks = tuple(draw_params(rng, 10, 5, 13) for _ in range(3))
    last = NormParams(rng.normal(size=10), rng.normal(size=10)) if final_norm else None
    check_direction(
        forward, encoder_stack_backward, [rng.normal(size=(2, 7, 10)), StackParams(blocks, last)], rng
    )


def test_stack_is_one_block_after_the_other():
    rng = rng_of("tower")
    x, blocks = rng.normal(size=(5, 6)), tuple(draw_params(rng, 6, 2, 7) for _ in range(2))
    out, cache = encoder_stack(x, StackParams(blocks), 2)
    middle, _ = encoder_block(x, blocks[0], 2)
    np.testing.assert_array_equal(out, encoder_block(middle, blocks[1], 2)[0])
    np.testing.assert_array_equal(cache.blocks[1].stages[0].array, middle)


def test_parts_that_did_not_run_get_gradient_zero():
    rng = rng_of("off")
    x, params = rng.normal(size=(5, 6)), draw_params(rng, 6, 2, 7)
    out, cache = encoder_block(x, params, 2, norm="off", use_mlp=False)
    _, dparams = encoder_block_backward(out, cache)
    for (path, grad), (_, part) in zip(leaves(dparams), leaves(params), strict=True):
        assert grad.shape == part.shape
        if not path.startswith("attention"):
            np.testing.assert_array_equal(grad, 0, err_msg=path)
        elif path == "attention.b_k":  # the same shift for all keys changes no weight: 0 up to rounding
            np.testing.assert_allclose(grad, 0, atol=1e-12)
        else:
            assert np.abs(grad).max() > 1e-6, path


def test_fault_07_head_width_sets_the_scale():
    x, params = np.ones((3, 16)), init_block(rng_of("sixteen"), 16, 4, 5)
    assert encoder_block(x, params, 4)[1].attention.attention.scale == 1 / 2  # sqrt(16 / 4), not sqrt(16)
    assert encoder_block(x, params, 4, scale=False)[1].attention.attention.scale == 1


def test_fault_26_relu_block_away_from_its_corner():
    rng = rng_of("relu")
    inputs = [rng.normal(size=(2, 3, 4)), draw_params(rng, 4, 2, 5)]
    _, cache = encoder_block(*inputs, 2)
    hidden = cache.mlp.layer_1.x @ inputs[1].mlp.w_1 + inputs[1].mlp.b_1
    assert np.abs(hidden).min() > 1e-4  # ten steps of the difference at least
    check_gradients(lambda x, params: encoder_block(x, params, 2), encoder_block_backward, inputs, rng)


@SETTINGS
@given(arrays(np.float64, (5, 6), elements=st.floats(-10, 10)), st.permutations(range(5)))
def test_shuffled_words_give_shuffled_outputs(x, order):
    params = draw_params(rng_of("order"), 6, 2, 7)
    out, _ = encoder_block(x, params, 2)
    np.testing.assert_allclose(encoder_block(x[order], params, 2)[0], out[order], rtol=1e-9, atol=1e-9)


@SETTINGS
@given(arrays(np.float64, (2, 5, 6), elements=st.floats(-10, 10)), st.integers(1, 4))
def test_future_words_change_nothing_to_the_last_bit(pair, now):
    params = StackParams(tuple(draw_params(rng_of("future"), 6, 2, 7) for _ in range(2)))
    x, other = pair
    changed = np.concatenate([x[:now], other[now:]])
    out, _ = encoder_stack(x, params, 2, mask=causal_mask(5))
    out_changed, _ = encoder_stack(changed, params, 2, mask=causal_mask(5))
    np.testing.assert_array_equal(out_changed[:now], out[:now])


def test_init_keeps_the_spread_and_counts_right():
    params = init_block(rng_of("init"), 64, 4, 256)
    # N(0, 1 / fan-in): 1 / 8 for the projections, 1 / 16 behind the wide layer; 4096 draws are good to 5 %.
    assert params.attention.w_q.std() == pytest.approx(1 / 8, rel=0.05)
    assert params.mlp.w_2.std() == pytest.approx(1 / 16, rel=0.05)
    # 4 (64 * 64 + 64) + 64 * 256 + 256 + 256 * 64 + 64 + 2 * 2 * 64 = 49984.
    assert sum(array.size for _, array in leaves(params)) == 49984
    halved = init_block(rng_of("init"), 64, 4, 256, gain=0.5)
    np.testing.assert_array_equal(halved.mlp.w_1, params.mlp.w_1 / 2)
    bare = init_block(rng_of("init"), 64, 4, 256, bias=False)
    assert not any("b_" in path or "beta" in path for path, _ in leaves(bare))


def test_float32_stays_float32():
    params = init_block(rng_of("32"), 6, 2, 7, dtype=np.float32)
    x = np.ones((2, 5, 6), dtype=np.float32)
    for norm in ("pre", "post", "off"):
        out, cache = encoder_block(x, params, 2, norm=norm, mask=causal_mask(5), activation="gelu")
        dx, dparams = encoder_block_backward(out, cache)
        kinds = {a.dtype for a in (out, dx)} | {a.dtype for _, a in leaves(dparams)}
        assert kinds == {np.dtype(np.float32)}


def test_wrong_choices_and_shapes_are_said():
    x, params = np.ones((5, 6)), init_block(rng_of("wrong"), 6, 2, 7)
    with pytest.raises(ValueError, match="'both'"):
        encoder_block(x, params, 2, norm="both")
    with pytest.raises(ValueError, match="d_model 6, n_heads 4"):
        init_block(rng_of("wrong"), 6, 4, 7)
    with pytest.raises(ValueError, match=r"multiple of 4 heads.*\(5, 6\)"):
        encoder_block(x, params, 4)
    with pytest.raises(ValueError, match=r"x \(6,\)"):
        encoder_block(x[0], params, 2)


@pytest.mark.parametrize("n", [0, 1])
def test_fault_29_no_words_or_one(n):
    params = init_block(rng_of("few"), 6, 2, 7)
    out, cache = encoder_block(np.ones((2, n, 6)), params, 2)
    dx, _ = encoder_block_backward(out, cache)
    assert out.shape == dx.shape == (2, n, 6)
    np.testing.assert_array_equal(cache.attention.attention.weights, np.ones((2, 2, n, n)))
