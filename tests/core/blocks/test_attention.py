"""Scaled dot-product attention: hand-worked numbers, a plain double loop, properties, gradients, faults."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.blocks.arrays import sum_to_shape
from core.blocks.attention import (
    apply_mask,
    masked_backward,
    scaled_dot_product_attention,
    scaled_dot_product_attention_backward,
)
from core.blocks.masks import causal_mask, padding_mask
from tests.core.gradient_check import check_direction, check_gradients

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)
ENTRIES = st.floats(-30, 30)


def rng_of(word):
    return np.random.default_rng(sum(map(ord, word)))


def draw(word, *shapes):
    rng = rng_of(word)
    return [rng.normal(size=shape) for shape in shapes]


def double_loop(q, k, v, mask):
    """One query and one key at a time, as the lecture tells it."""
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        seen = [j for j in range(len(k)) if mask[i, j]]
        products = [sum(a * b for a, b in zip(q[i], k[j], strict=True)) for j in seen]
        shares = [math.exp(product / math.sqrt(len(q[i]))) for product in products]
        for j, share in zip(seen, shares, strict=True):
            out[i] += share / sum(shares) * v[j]
    return out


def test_hand_worked_lookup():
    # d_k = 4, so products are halved: q.k = (2 ln 3, 0), scores (ln 3, 0), shares 3 : 1, weights (3/4, 1/4),
    # out = 3/4 (8, 0) + 1/4 (0, 4) = (6, 1).
    q = [[2 * math.log(3), 0, 0, 0]]
    k = [[1.0, 0, 0, 0], [0, 1.0, 0, 0]]
    v = [[8.0, 0.0], [0.0, 4.0]]
    out, cache = scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(cache.scores, [[math.log(3), 0]], rtol=1e-15)
    np.testing.assert_allclose(cache.weights, [[3 / 4, 1 / 4]], rtol=1e-15)
    np.testing.assert_allclose(out, [[6, 1]], rtol=1e-15)


def test_hand_worked_gradient():
    # As above with dout = (1, 0). dv = weights * dout = (3/4, 0), (1/4, 0). dweights = dout.v = (8, 0), their
    # weighted mean is 6, so dscores = (3/4 * 2, 1/4 * -6) = (3/2, -3/2), halved by the scale: (3/4, -3/4).
    # dq = 3/4 k_1 - 3/4 k_2 = (3/4, -3/4, 0, 0); dk_1 = 3/4 q, dk_2 = -3/4 q.
    q = np.array([[2 * math.log(3), 0, 0, 0]])
    _, cache = scaled_dot_product_attention(q, [[1.0, 0, 0, 0], [0, 1.0, 0, 0]], [[8.0, 0], [0, 4.0]])
    dq, dk, dv = scaled_dot_product_attention_backward(np.array([[1.0, 0.0]]), cache)
    np.testing.assert_allclose(dv, [[3 / 4, 0], [1 / 4, 0]], rtol=1e-15)
    np.testing.assert_allclose(dq, [[3 / 4, -3 / 4, 0, 0]], rtol=1e-14)
    np.testing.assert_allclose(dk, [3 / 4 * q[0], -3 / 4 * q[0]], rtol=1e-14, atol=1e-15)


def test_double_loop_gives_the_same():
    q, k, v = draw("double loop", (2, 3, 5, 7), (2, 3, 11, 7), (2, 3, 11, 13))
    mask = rng_of("holes").random((2, 3, 5, 11)) < 0.6
    out, _ = scaled_dot_product_attention(q, k, v, mask)
    for place in np.ndindex(2, 3):
        wanted = double_loop(q[place], k[place], v[place], mask[place])
        np.testing.assert_allclose(out[place], wanted, rtol=1e-12, atol=1e-14)


MASKS = {
    "no mask": None,
    "causal": causal_mask(5, 7),
    "padding": padding_mask([7, 2], 7),
    "blind query": np.arange(5)[:, np.newaxis] != 3,
    "float": rng_of("float").normal(size=(1, 3, 5, 7)),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("options", [{}, {"scale": 0.3}, {"softcap": 2.0}], ids=str)
def test_gradients(mask, options):
    def forward(q, k, v):
        return scaled_dot_product_attention(q, k, v, mask, **options)

    inputs = draw("attention", (2, 3, 5, 2), (2, 3, 7, 2), (2, 3, 7, 3))
    check_gradients(forward, scaled_dot_product_attention_backward, inputs, rng_of("upstream"))


def test_gradients_of_a_larger_attention():
    def forward(q, k, v):
        return scaled_dot_product_attention(q, k, v, causal_mask(41))

    inputs = draw("larger", (3, 41, 17), (3, 41, 17), (3, 41, 19))
    check_direction(forward, scaled_dot_product_attention_backward, inputs, rng_of("upstream"))


def test_gradients_where_heads_share_keys_and_a_mask_is_learned():
    def forward(q, k, v, bias):
        return scaled_dot_product_attention(q, k, v, bias)

    def backward(dout, cache):
        dbias = sum_to_shape(masked_backward(dout, cache), (1, 3, 5, 7))
        return *scaled_dot_product_attention_backward(dout, cache), dbias

    inputs = draw("shared", (2, 3, 5, 2), (2, 1, 7, 2), (1, 3, 7, 3), (1, 3, 5, 7))
    check_gradients(forward, backward, inputs, rng_of("upstream"))


def test_stages_are_the_ones_that_the_result_came_from():
    q, k, v = draw("stages", (5, 2), (5, 2), (5, 3))
    out, cache = scaled_dot_product_attention(q, k, v, causal_mask(5))
    np.testing.assert_allclose(cache.scores, q @ k.T / math.sqrt(2), rtol=1e-14)
    np.testing.assert_array_equal(np.isneginf(cache.masked), ~causal_mask(5))
    np.testing.assert_array_equal(cache.masked[causal_mask(5)], cache.scores[causal_mask(5)])
    np.testing.assert_allclose(out, cache.weights @ v, rtol=1e-14)


def test_softcap_holds_the_scores_in_bounds():
    # q.k = 6, scale 1, cap 3: 3 tanh(2) = 2.8920827...; the mask comes after it and still blocks.
    _, cache = scaled_dot_product_attention([[2.0]], [[3.0], [0.0]], [[1.0], [1.0]], scale=1.0, softcap=3.0)
    np.testing.assert_allclose(cache.capped, [[2.892082740, 0]], rtol=1e-9)
    np.testing.assert_allclose(cache.scores, [[6, 0]])
    mask = [[False, True]]
    _, cache = scaled_dot_product_attention([[2.0]], [[3.0], [0.0]], [[1.0], [1.0]], mask, softcap=3.0)
    np.testing.assert_array_equal(cache.weights, [[0, 1]])


# --- faults that were reported elsewhere


@pytest.mark.parametrize("blind", ["boolean", "float"])
def test_fault_02_query_that_may_look_at_nothing(blind):
    q, k, v, dout = draw("nobody", (3, 5), (3, 5), (3, 2), (3, 2))
    open_mask = np.ones((3, 3), dtype=bool)
    mask = open_mask.copy()
    mask[0] = False
    if blind == "float":
        mask, open_mask = np.where(mask, 0.0, -np.inf), np.zeros((3, 3))
    out, cache = scaled_dot_product_attention(q, k, v, mask)
    np.testing.assert_array_equal(cache.weights[0], [0, 0, 0])
    np.testing.assert_array_equal(out[0], [0, 0])
    seeing, _ = scaled_dot_product_attention(q, k, v, open_mask)
    np.testing.assert_array_equal(out[1:], seeing[1:])  # to the last bit
    # What reaches q, k and v is what the other two queries send alone.
    _, alone = scaled_dot_product_attention(q[1:], k, v)
    wanted = scaled_dot_product_attention_backward(dout[1:], alone)
    dq, dk, dv = scaled_dot_product_attention_backward(dout, cache)
    np.testing.assert_array_equal(dq[0], np.zeros(5))
    for got, want in zip((dq[1:], dk, dv), wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-15)


def test_fault_07_scale_is_the_root_of_the_width_of_a_head():
    # d_k 4: products (4, 0) become (2, 0), and 1 / (1 + exp(-2)) = 0.8807970780.
    _, cache = scaled_dot_product_attention([[4.0, 0, 0, 0]], [[1.0, 0, 0, 0], [0.0, 0, 0, 0]], np.eye(2))
    np.testing.assert_allclose(cache.weights, [[0.8807970780, 0.1192029220]], rtol=0, atol=5e-11)


def test_fault_08_causal_rows():
    zeros = np.zeros((3, 2))
    _, cache = scaled_dot_product_attention(zeros, zeros, zeros, causal_mask(3))
    np.testing.assert_allclose(cache.weights, [[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3] * 3], rtol=1e-15)
    _, cache = scaled_dot_product_attention(zeros[:1], zeros[:1], zeros[:1], causal_mask(1))
    np.testing.assert_array_equal(cache.weights, [[1]])


def test_fault_10_blocking_selects():
    _, cache = scaled_dot_product_attention([[0.0]], [[0.0], [0.0]], [[1.0], [1.0]], [[True, False]])
    np.testing.assert_array_equal(cache.weights, [[1, 0]])
    # Allowed scores far below any "large negative number" that could have been added to the blocked one.
    np.testing.assert_array_equal(apply_mask(np.array([[-1e12, 0.0]]), [[True, False]]), [[-1e12, -np.inf]])


def test_fault_11_mask_comes_before_softmax():
    zeros = np.zeros((2, 3))
    _, cache = scaled_dot_product_attention(zeros, zeros, zeros, causal_mask(2))
    np.testing.assert_array_equal(cache.weights, [[1, 0], [0.5, 0.5]])


def test_fault_19_half_precision_is_widened():
    # 512 products of 12 * 12 are 73728, beyond the 65504 that float16 can hold.
    twelves = np.full((1, 512), 12, dtype=np.float16)
    out, cache = scaled_dot_product_attention(twelves, twelves, np.ones((1, 1), np.float16), scale=1.0)
    assert cache.scores.item() == 73728
    assert out.dtype == np.float64
    scores, bias = np.array([[1, 2, 3]], np.float16), np.array([[0, 0, -1e4]], np.float16)
    _, cache = scaled_dot_product_attention([[1.0]], scores.T, np.eye(3), bias, scale=1.0)
    np.testing.assert_allclose(cache.weights, [[0.2689414214, 0.7310585786, 0]], rtol=0, atol=5e-11)


def test_fault_28_mask_of_a_batch_needs_the_axis_of_the_heads():
    zeros = np.zeros((2, 2, 2, 3))
    mask = np.array([[[True, False], [True, False]], [[True, True], [True, True]]])  # (batch, n_q, n_k)
    with pytest.raises(ValueError, match=r"\(2, 2, 2\).*\(2, 2, 2, 2\)"):
        scaled_dot_product_attention(zeros, zeros, zeros, mask)
    _, cache = scaled_dot_product_attention(zeros, zeros, zeros, mask[:, np.newaxis])
    np.testing.assert_array_equal(cache.weights[0, 1], [[1, 0], [1, 0]])
    np.testing.assert_array_equal(cache.weights[1, 0], [[0.5, 0.5], [0.5, 0.5]])


@pytest.mark.parametrize(("n_q", "n_k"), [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("masked", [False, True])
def test_fault_29_empty_sequence(n_q, n_k, masked):
    q, k, v = np.ones((2, n_q, 5)), np.ones((2, n_k, 5)), np.ones((2, n_k, 7))
    out, cache = scaled_dot_product_attention(q, k, v, causal_mask(n_q, n_k) if masked else None)
    np.testing.assert_array_equal(out, np.zeros((2, n_q, 7)))
    assert cache.weights.shape == (2, n_q, n_k)
    grads = scaled_dot_product_attention_backward(np.ones((2, n_q, 7)), cache)
    for grad, x in zip(grads, (q, k, v), strict=True):
        np.testing.assert_array_equal(grad, np.zeros(x.shape))


# --- errors and kinds


@pytest.mark.parametrize(
    ("shapes", "quoted"),
    [
        (((3, 5), (4, 7), (4, 2)), r"equally wide.*q \(3, 5\), k \(4, 7\)"),
        (((3, 5), (4, 5), (6, 2)), r"its value.*k \(4, 5\), v \(6, 2\)"),
        (((2, 3, 5), (4, 5), (4, 2)), r"same axes.*q \(2, 3, 5\), k \(4, 5\), v \(4, 2\)"),
        (((3, 0), (4, 0), (4, 2)), r"equally wide.*q \(3, 0\), k \(4, 0\)"),
        (((5,), (5,), (5,)), r"two at least.*q \(5,\)"),
        (((2, 3, 5), (3, 4, 5), (3, 4, 2)), r"leading axes.*q \(2, 3, 5\), k \(3, 4, 5\)"),
    ],
)
def test_wrong_shapes_are_quoted(shapes, quoted):
    with pytest.raises(ValueError, match=quoted):
        scaled_dot_product_attention(*map(np.zeros, shapes))


@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 3, 4), (5, 1, 3, 4), (1, 2, 1, 3, 4)])
def test_wrong_mask_shapes_are_quoted(shape):
    q, k, v = np.zeros((2, 7, 3, 5)), np.zeros((2, 7, 4, 5)), np.zeros((2, 7, 4, 5))
    with pytest.raises(ValueError, match=rf"mask \({shape[0]}.*scores \(2, 7, 3, 4\)"):
        scaled_dot_product_attention(q, k, v, np.ones(shape, dtype=bool))


def test_mask_of_whole_numbers_could_mean_either_and_is_refused():
    with pytest.raises(ValueError, match=r"boolean.*int64"):
        scaled_dot_product_attention(
            np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3)), np.eye(2, dtype=np.int64)
        )


@pytest.mark.parametrize("mask", [None, causal_mask(3), np.zeros((3, 3))], ids=["none", "boolean", "float64"])
@pytest.mark.parametrize("softcap", [None, 2.0])
def test_float32_stays_float32(mask, softcap):
    x = np.ones((2, 3, 5), dtype=np.float32)
    out, cache = scaled_dot_product_attention(x, x, x, mask, softcap=softcap)
    grads = scaled_dot_product_attention_backward(out, cache)
    kinds = {a.dtype for a in (out, cache.scores, cache.masked, cache.weights, *grads)}
    assert kinds == {np.dtype(np.float32)}


# --- properties


def attention_inputs(n_q, n_k, d_k, d_v):
    return st.tuples(*(arrays(np.float64, s, elements=ENTRIES) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v))))


@SETTINGS
@given(attention_inputs(3, 5, 2, 7))
def test_output_lies_between_the_values(inputs):
    q, k, v = inputs
    out, cache = scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(cache.weights.sum(axis=-1), 1, rtol=0, atol=1e-12)
    assert np.all(out >= v.min(axis=0) - 1e-12)
    assert np.all(out <= v.max(axis=0) + 1e-12)


@SETTINGS
@given(attention_inputs(5, 5, 3, 2), st.permutations(range(5)))
def test_shuffled_words_give_shuffled_outputs(inputs, order):
    q, k, v = inputs
    out, _ = scaled_dot_product_attention(q, k, v)
    shuffled, _ = scaled_dot_product_attention(q[order], k[order], v[order])
    np.testing.assert_allclose(shuffled, out[order], rtol=1e-9, atol=1e-11)


@SETTINGS
@given(attention_inputs(5, 5, 3, 2), attention_inputs(5, 5, 3, 2), st.integers(1, 4))
def test_future_words_change_nothing_to_the_last_bit(inputs, others, now):
    changed = [np.concatenate([x[:now], other[now:]]) for x, other in zip(inputs, others, strict=True)]
    out, _ = scaled_dot_product_attention(*inputs, causal_mask(5))
    out_changed, _ = scaled_dot_product_attention(*changed, causal_mask(5))
    np.testing.assert_array_equal(out_changed[:now], out[:now])


@SETTINGS
@given(attention_inputs(3, 5, 2, 2), arrays(bool, (3, 5)))
def test_blocked_keys_weigh_nothing(inputs, mask):
    _, cache = scaled_dot_product_attention(*inputs, mask)
    assert np.all(cache.weights[~mask] == 0)
    np.testing.assert_allclose(cache.weights.sum(axis=-1), mask.any(axis=-1), rtol=0, atol=1e-12)
