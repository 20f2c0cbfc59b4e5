"""Multi-head attention: every head by itself gives the same, and the gradients of all its parts."""

import math

import numpy as np
import pytest

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.masks import causal_mask, padding_mask
from core.blocks.multi_head import (
    AttentionParams,
    multi_head_attention,
    multi_head_attention_backward,
    self_attention,
    self_attention_backward,
)
from tests.core.gradient_check import check_direction, check_gradients


def rng_of(word):
    return np.random.default_rng(sum(map(ord, word)))


def draw_params(rng, d_q, d_kv, n_heads, d_k, d_v, d_out, bias=True):
    """Draw parameters of distinct widths, so that no two can be mistaken for each other."""
    shapes = [(d_q, n_heads * d_k), (d_kv, n_heads * d_k), (d_kv, n_heads * d_v), (n_heads * d_v, d_out)]
    parts = [(rng.normal(size=s) / math.sqrt(s[0]), rng.normal(size=s[1]) if bias else None) for s in shapes]
    return AttentionParams(*(array for pair in parts for array in pair))


def test_each_head_by_itself_gives_the_same():
    rng = rng_of("head by head")
    params = draw_params(rng, 7, 11, 3, 2, 5, 13)
    x_q, x_kv = rng.normal(size=(5, 7)), rng.normal(size=(4, 11))
    mask = causal_mask(5, 4)
    out, cache = multi_head_attention(x_q, x_kv, x_kv, params, 3, mask)
    wanted = params.b_o.copy()
    for head in range(3):
        narrow, wide = slice(2 * head, 2 * head + 2), slice(5 * head, 5 * head + 5)
        q = x_q @ params.w_q[:, narrow] + params.b_q[narrow]
        k = x_kv @ params.w_k[:, narrow] + params.b_k[narrow]
        v = x_kv @ params.w_v[:, wide] + params.b_v[wide]
        blend, alone = scaled_dot_product_attention(q, k, v, mask)
        np.testing.assert_allclose(cache.attention.weights[head], alone.weights, rtol=1e-12)
        wanted = wanted + blend @ params.w_o[wide]
    np.testing.assert_allclose(out, wanted, rtol=1e-12)


def test_fault_07_four_heads_of_a_model_16_wide_divide_by_two():
    # The first head sees the query (4, 0, 0, 0), the keys (1, 0, 0, 0) and 0: products (4, 0), d_k = 16 / 4,
    # scores (2, 0), first weight 1 / (1 + exp(-2)). Without the division: 1 / (1 + exp(-4)) = 0.9820137900.
    one = np.eye(16)
    params = AttentionParams(one, None, one, None, one, None, one, None)
    x_q, x_k = 4 * one[:1], np.stack([one[0], np.zeros(16)])
    _, cache = multi_head_attention(x_q, x_k, x_k, params, 4)
    np.testing.assert_allclose(cache.attention.weights[0], [[0.8807970780, 0.1192029220]], rtol=0, atol=5e-11)
    np.testing.assert_array_equal(cache.attention.weights[1:], np.full((3, 1, 2), 0.5))
    _, cache = multi_head_attention(x_q, x_k, x_k, params, 4, scale=False)
    np.testing.assert_allclose(cache.attention.weights[0, 0, 0], 0.9820137900, rtol=0, atol=5e-11)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("mask", [None, padding_mask([3, 1], 3)], ids=["open", "padding"])
def test_gradients(bias, mask):
    def forward(x_q, x_k, x_v, params):
        return multi_head_attention(x_q, x_k, x_v, params, 2, mask)

    rng = rng_of("multi-head")
    params = draw_params(rng, 5, 7, 2, 3, 1, 11, bias)
    inputs = [rng.normal(size=(2, 5, 5)), rng.normal(size=(2, 3, 7)), rng.normal(size=(2, 3, 7)), params]
    check_gradients(forward, multi_head_attention_backward, inputs, rng)


def test_gradients_of_a_larger_self_attention():
    def forward(x, params):
        return multi_head_attention(x, x, x, params, 5, causal_mask(17), scale=False)

    def backward(dout, cache):
        *dx, dparams = multi_head_attention_backward(dout, cache)
        return sum(dx), dparams

    rng = rng_of("larger")
    inputs = [rng.normal(size=(3, 17, 23)), draw_params(rng, 23, 23, 5, 7, 7, 23)]
    check_direction(forward, backward, inputs, rng)


@pytest.mark.parametrize("kind", ["i8", "f4"])
@pytest.mark.parametrize("rows", [None, [[1], [0]]])
def test_the_gradient_of_a_model_in_float64_stays_in_float64(kind, rows):
    rng = rng_of("kinds")
    x, params = rng.normal(size=(2, 3, 6)), draw_params(rng, 6, 6, 2, 3, 3, 6)
    out, cache = self_attention(x, params, 2, rows=rows)
    dout = rng.integers(-3, 4, out.shape)  # whole numbers: exact in every kind
    dx, dparams = self_attention_backward(dout.astype(kind), cache)
    wanted_dx, wanted = self_attention_backward(dout.astype("f8"), cache)
    np.testing.assert_allclose(dx, wanted_dx, rtol=1e-14)
    for got, want in zip(dparams, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-14)


def test_padded_words_change_nothing_for_the_others():
    rng = rng_of("padding")
    params = draw_params(rng, 7, 7, 2, 3, 3, 7)
    x = rng.normal(size=(2, 5, 7))
    other = x.copy()
    other[0, 3:] = 99.0
    mask = padding_mask([3, 5], 5)
    out, _ = multi_head_attention(x, x, x, params, 2, mask)
    changed, _ = multi_head_attention(other, other, other, params, 2, mask)
    np.testing.assert_array_equal(changed[0, :3], out[0, :3])
    np.testing.assert_array_equal(changed[1], out[1])


def test_wrong_widths_are_quoted():
    rng = rng_of("wrong")
    with pytest.raises(ValueError, match=r"x \(4, 6\), w \(7, 6\)"):
        multi_head_attention(*[np.zeros((4, 6))] * 3, draw_params(rng, 7, 7, 2, 3, 3, 7), 2)


def test_fault_28_mask_of_a_batch_needs_the_axis_of_the_heads():
    rng = rng_of("heads")
    x, params = rng.normal(size=(2, 3, 4)), draw_params(rng, 4, 4, 2, 2, 2, 4)
    with pytest.raises(ValueError, match=r"mask \(2, 3, 3\), scores \(2, 2, 3, 3\)"):
        multi_head_attention(x, x, x, params, 2, np.ones((2, 3, 3), dtype=bool))


@pytest.mark.parametrize("n", [0, 1])
def test_fault_29_no_words_or_one(n):
    params = draw_params(rng_of("few"), 7, 7, 2, 3, 3, 7)
    x = np.ones((2, n, 7))
    out, cache = multi_head_attention(x, x, x, params, 2)
    assert out.shape == (2, n, 7)
    np.testing.assert_array_equal(cache.attention.weights, np.ones((2, 2, n, n)))
    dx_q, dx_k, _, dparams = multi_head_attention_backward(out, cache)
    np.testing.assert_array_equal(dx_q, np.zeros(x.shape))  # a single word has no choice
    np.testing.assert_array_equal(dparams.w_q, np.zeros(params.w_q.shape))
    assert dx_k.shape == x.shape


def test_float32_stays_float32():
    params = AttentionParams(*(a.astype(np.float32) for a in draw_params(rng_of("32"), 7, 7, 2, 3, 3, 7)))
    x = np.ones((2, 5, 7), dtype=np.float32)
    out, cache = multi_head_attention(x, x, x, params, 2)
    *dx, dparams = multi_head_attention_backward(out, cache)
    assert {a.dtype for a in (out, *dx, *dparams)} == {np.dtype(np.float32)}
