"""The key/value cache: the same outputs as the whole layer, exact memory, and nobody's past overwritten."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks import kv_cache
from core.blocks.kv_cache import append, causal_attention_step, empty_cache, step_operations
from core.blocks.masks import causal_mask
from core.blocks.multi_head import AttentionParams, self_attention
from core.costs import attention_cost

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)
D, HEADS, D_K, D_V = 5, 3, 7, 11  # widths of a token, a key and a value of one head


def draw(word, *shapes):
    rng = np.random.default_rng(sum(map(ord, word)))
    return [rng.standard_normal(shape) for shape in shapes]


def layer(word="layer", d=D, n_heads=HEADS, d_k=D_K, d_v=D_V):
    shapes = (d, n_heads * d_k), (n_heads * d_k,), (d, n_heads * d_k), (n_heads * d_k,)
    shapes += (d, n_heads * d_v), (n_heads * d_v,), (n_heads * d_v, d), (d,)
    return AttentionParams(*draw(word, *shapes))


def as_kind(params, kind):
    return AttentionParams(*(x.astype(kind) for x in params))


def walk(x, params, cache, sizes):
    """Hand the tokens over in portions of the given sizes."""
    outs, start = [], 0
    for size in sizes:
        out, cache = causal_attention_step(x[..., start : start + size, :], params, HEADS, cache)
        outs.append(out)
        start += size
    return np.concatenate(outs, axis=-2), cache


def test_hand_worked_steps():
    # One number a token, all projections 1, no shifts: key = query = value = x = 1, -1. Token 1 sees itself:
    # out 1. Token 2 has scores -1 * 1 = -1 and -1 * -1 = 1 (d_k = 1), shares 1 : e^2,
    # out (1 - e^2) / (1 + e^2) = -tanh 1 = -0.7615941560.
    one = np.ones((1, 1))
    params = AttentionParams(one, None, one, None, one, None, one, None)
    out, cache = causal_attention_step([[1.0]], params, 1, empty_cache(params, 1))
    np.testing.assert_array_equal(out, [[1]])
    out, cache = causal_attention_step([[-1.0]], params, 1, cache)
    np.testing.assert_allclose(out, [[-0.7615941560]], atol=1e-10)
    np.testing.assert_array_equal(cache.k, [[[1], [-1]]])
    assert cache.n_tokens == 2


@given(sizes=st.lists(st.integers(1, 6), min_size=1, max_size=9), capacity=st.integers(0, 30))
@SETTINGS
def test_any_portions_give_the_whole_causal_layer(sizes, capacity):
    params, n = layer(), sum(sizes)
    (x,) = draw("words", (2, n, D))
    out, cache = walk(x, params, empty_cache(params, HEADS, batch=(2,), capacity=capacity), sizes)
    wanted, whole = self_attention(x, params, HEADS, causal_mask(n))
    np.testing.assert_allclose(out, wanted, rtol=0, atol=1e-12)
    np.testing.assert_allclose(cache.k, whole.attention.k, rtol=0, atol=1e-12)
    np.testing.assert_allclose(cache.v, whole.attention.v, rtol=0, atol=1e-12)
    assert cache.n_tokens == n


def test_one_token_at_a_time_in_float32():
    params = as_kind(layer(), np.float32)
    x = draw("words", (37, D))[0].astype(np.float32)
    out, cache = walk(x, params, empty_cache(params, HEADS), [1] * 37)
    wanted, _ = self_attention(x, params, HEADS, causal_mask(37))
    assert out.dtype == cache.k.dtype == cache.v.dtype == np.float32
    np.testing.assert_allclose(out, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("kind", "size"), [(np.float32, 4), (np.float64, 8)])
def test_memory_is_two_t_d_numbers(kind, size):
    # Keys and values as wide as a token: 3 heads of 2 for d = 6. 13 tokens: 2 * 13 * 6 numbers.
    params = as_kind(layer(d=6, d_k=2, d_v=2), kind)
    cache = empty_cache(params, HEADS)
    assert cache.n_bytes == 0
    x = draw("words", (13, 6))[0].astype(kind)
    _, cache = walk(x, params, cache, [1] * 13)
    assert cache.n_bytes == 2 * 13 * 6 * size


def test_the_room_is_doubled_and_a_given_one_is_kept():
    params = layer()
    (x,) = draw("words", (17, D))
    cache, rooms = empty_cache(params, HEADS, capacity=2), []
    for t in range(17):
        _, cache = causal_attention_step(x[t : t + 1], params, HEADS, cache)
        rooms.append(cache.k_room.shape[-2])
    assert rooms == [2] * 2 + [4] * 2 + [8] * 4 + [16] * 8 + [32]
    given_room = empty_cache(params, HEADS, capacity=17)
    _, cache = walk(x, params, given_room, [1] * 17)
    assert cache.k_room is given_room.k_room
    assert cache.v_room is given_room.v_room


def test_a_long_text_finds_room_at_once():
    params = layer()
    (x,) = draw("words", (41, D))
    _, cache = walk(x, params, empty_cache(params, HEADS, capacity=3), [41])
    assert cache.k_room.shape[-2] == 41


@pytest.mark.parametrize("capacity", [4, 64])
def test_one_past_may_have_two_futures(capacity):
    """Two texts with the same beginning: the second may not write over the first."""
    params = layer()
    start, one, other = draw("futures", (4, D), (3, D), (2, D))
    _, past = walk(start, params, empty_cache(params, HEADS, capacity=capacity), [4])
    kept = past.k.copy()
    _, first = causal_attention_step(one[:2], params, HEADS, past)
    out_other, _ = causal_attention_step(other, params, HEADS, past)
    out_one, _ = causal_attention_step(one[2:], params, HEADS, first)
    wanted_one, _ = self_attention(np.concatenate([start, one]), params, HEADS, causal_mask(7))
    wanted_other, _ = self_attention(np.concatenate([start, other]), params, HEADS, causal_mask(6))
    np.testing.assert_allclose(out_one, wanted_one[6:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(out_other, wanted_other[4:], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(past.k, kept)
    assert past.n_tokens == 4


def test_operations_of_a_step():
    # d = 2, third token. Projections to q, k, v and back: 4 of 2 x 2, 16 multiply-adds. Scores with 3 keys of
    # 2 and a blend of 3 values of 2: 12 more. 28 multiply-adds are 56 operations.
    assert step_operations(3, 2) == 56
    # All steps of a text: the whole layer without what lies above the diagonal, n (n - 1) / 2 pairs of 4 d.
    n, d = 13, 5
    above = 4 * d * n * (n - 1) // 2
    assert sum(step_operations(t, d) for t in range(1, n + 1)) == (
        attention_cost(n, d, projections=True).operations - above
    )


def test_the_count_is_of_the_products_that_run(monkeypatch):
    counted = []

    def linear(x, w, b=None):
        counted.append(2 * np.shape(x)[-2] * w.shape[0] * w.shape[1])
        return x @ w + b, None

    def attention(q, k, v, mask=None):
        n_pairs = q.shape[-3] * q.shape[-2] * k.shape[-2]
        counted.append(2 * n_pairs * k.shape[-1] + 2 * n_pairs * v.shape[-1])
        return np.zeros((*q.shape[:-1], v.shape[-1])), None

    params = layer(d=6, d_k=2, d_v=2)
    (x,) = draw("words", (11, 6))
    _, cache = walk(x[:10], params, empty_cache(params, HEADS), [10])
    monkeypatch.setattr(kv_cache, "linear", linear)
    monkeypatch.setattr(kv_cache, "scaled_dot_product_attention", attention)
    causal_attention_step(x[10:], params, HEADS, cache)
    assert sum(counted) == step_operations(11, 6)


def test_shapes_and_kinds_that_do_not_fit_are_named():
    params = layer()
    cache = empty_cache(params, HEADS, batch=(2,))
    with pytest.raises(ValueError, match=r"new k must continue .* new \(3, 1, 7\), cache \(2, 3, 0, 7\)"):
        causal_attention_step(np.ones((1, D)), params, HEADS, cache)
    k, v = np.ones((2, HEADS, 1, D_K)), np.ones((2, HEADS, 1, D_V + 1))
    with pytest.raises(
        ValueError, match=r"new v must continue .* new \(2, 3, 1, 12\), cache \(2, 3, 0, 11\)"
    ):
        append(cache, k, v)
    narrow = empty_cache(as_kind(params, np.float32), HEADS)
    with pytest.raises(ValueError, match="a cache of float32 cannot keep float64"):
        causal_attention_step(np.ones((1, D)), params, HEADS, narrow)
