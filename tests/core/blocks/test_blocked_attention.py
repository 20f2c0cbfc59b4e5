"""Blocked attention: by hand, against plain attention, what it skips, what it remembers, what it weighs."""

import gc
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.blocked_attention import absorb, blocked_attention, start_softmax
from core.blocks.masks import causal_mask, padding_mask

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)


def draw(word, *shapes, dtype=np.float64):
    rng = np.random.default_rng(sum(map(ord, word)))
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def largest_difference(a, b):
    return np.abs(a - b).max()


def test_hand_worked_sum():
    # Keys one at a time, scores 0, ln 2, ln 3 and values 6, 12, 18.
    # After 0: peak 0, total 1, blend 6. After ln 2: the old sums halve, total 1/2 + 1 = 3/2, blend
    # 3 + 12 = 15. After ln 3: old sums times 2/3, total 1 + 1 = 2, blend 10 + 18 = 28; 28 / 2 = 14, and the
    # shares 1 : 2 : 3 give (6 + 24 + 54) / 6 = 14 as well.
    seen = start_softmax((1, 1), np.float64)
    assert seen.peak == -np.inf
    wanted = [(0, 1, 6), (math.log(2), 3 / 2, 15), (math.log(3), 2, 28)]
    for (peak, total, blend), value in zip(wanted, (6.0, 12.0, 18.0), strict=True):
        seen = absorb(seen, np.array([[peak]]), np.array([[value]]))
        np.testing.assert_allclose(np.ravel(seen), (peak, total, blend), rtol=1e-15)


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_hand_worked_lookup(block):
    # As in plain attention: shares 3 : 1 on the first two keys, the third one blocked; out = (6, 1).
    q, k = [[2 * math.log(3), 0, 0, 0]], [[1.0, 0, 0, 0], [0, 1, 0, 0], [9, 9, 9, 9]]
    out, n_blocks = blocked_attention(q, k, [[8, 0], [0, 4], [7, 7]], [[True, True, False]], block=block)
    np.testing.assert_allclose(out, [[6, 1]], rtol=1e-15)
    assert n_blocks == {1: 3, 2: 2, 3: 1, 100: 1}[block]


MASKS = {
    "no mask": None,
    "causal": causal_mask(13, 17),
    "padding": padding_mask([17, 2], 17),
    "blind query": np.arange(13)[:, np.newaxis] != 3,
    "holes": np.random.default_rng(5).random((2, 3, 13, 17)) < 0.4,
    "float": np.random.default_rng(7).normal(size=(1, 3, 13, 17)),
}


@given(block=st.integers(1, 20), name=st.sampled_from(sorted(MASKS)), causal=st.booleans())
@SETTINGS
def test_any_block_size_gives_plain_attention(block, name, causal):
    q, k, v = draw("blocks", (2, 3, 13, 7), (2, 1, 17, 7), (2, 3, 17, 5))
    out, _ = blocked_attention(q, k, v, MASKS[name], causal=causal, block=block)
    whole = MASKS[name]
    if causal and whole is None:
        whole = causal_mask(13, 17)
    elif causal and whole.dtype == bool:
        whole = whole & causal_mask(13, 17)
    elif causal:
        whole = np.where(causal_mask(13, 17), whole, -np.inf)
    wanted, _ = scaled_dot_product_attention(q, k, v, whole)
    np.testing.assert_allclose(out, wanted, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(("n", "block"), [(257, 64), (1021, 256), (4096, 256)])
@pytest.mark.parametrize("causal", [False, True])
def test_float32_is_within_a_millionth(n, block, causal):
    q, k, v = draw("millionth", (n, 16), (n, 16), (n, 11), dtype=np.float32)
    out, _ = blocked_attention(q, k, v, causal=causal, block=block)
    step = max(1, n // 256)  # a query knows nothing of the others, so some of many will do
    mask = causal_mask(n)[::step] if causal else None
    wanted, _ = scaled_dot_product_attention(q[::step], k, v, mask)
    assert out.dtype == np.float32
    assert largest_difference(out[::step], wanted) < 1e-6


def test_steep_scores_stay_finite_and_right():
    # Scores of some hundreds: exp overflows float32 from 88.7 on. The truth is the plain one in float64.
    q, k, v = draw("steep", (509, 64), (509, 64), (509, 7), dtype=np.float32)
    q *= 30
    assert (q @ k.T / 8).max() > 89
    out, _ = blocked_attention(q, k, v, block=64)
    truth, _ = scaled_dot_product_attention(q.astype(float), k.astype(float), v.astype(float))
    assert largest_difference(out, truth) < 2e-4  # scores up to 150 are rounded to 8e-6


@pytest.mark.parametrize("block", [1, 2])
def test_no_floor_under_the_running_maximum(block):
    # Fault 04. Scores -20000 and -20001: shares 1 : 1/e. Whatever stands for "nothing yet" must be lower.
    q, k, v = [[1.0]], [[-20000.0], [-20001.0]], np.eye(2)
    out, _ = blocked_attention(q, k, v, block=block)
    np.testing.assert_allclose(out, [[0.7310585786, 0.2689414214]], atol=1e-10)
    lowest = np.finfo(np.float32).min
    huge = np.array([[lowest], [-lowest]], np.float32)  # their distance overflows
    out, _ = blocked_attention(np.ones((1, 1), np.float32), huge, np.eye(2, dtype=np.float32), block=block)
    np.testing.assert_array_equal(out, [[0, 1]])


@pytest.mark.parametrize("block", [1, 2, 3, 7])
def test_a_query_that_may_look_at_nothing_gets_zeros(block):
    q, k, v = draw("nothing", (5, 3), (7, 3), (7, 2))
    mask = np.ones((5, 7), bool)
    mask[2] = False
    mask[4, :6] = False  # sees only the last key: the first blocks bring nothing
    out, _ = blocked_attention(q, k, v, mask, block=block)
    np.testing.assert_array_equal(out[2], [0, 0])
    np.testing.assert_allclose(out[4], v[6], rtol=1e-15)
    no_keys, n_blocks = blocked_attention(q, k[:0], v[:0], block=block)
    np.testing.assert_array_equal(no_keys, np.zeros((5, 2)))
    assert n_blocks == 0


@given(block=st.integers(1, 13), at=st.integers(1, 10))
@SETTINGS
def test_the_future_changes_no_bit(block, at):
    q, k, v = draw("future", (2, 11, 3), (2, 11, 3), (2, 11, 5))
    before, _ = blocked_attention(q, k, v, causal=True, block=block)
    for x in (q, k, v):
        x[:, at:] += 100
    after, _ = blocked_attention(q, k, v, causal=True, block=block)
    np.testing.assert_array_equal(before[:, :at], after[:, :at])
    assert (before[:, at:] != after[:, at:]).any()


@pytest.mark.parametrize(
    ("n_q", "n_k", "block", "wanted"),
    [
        (12, 12, 4, 6),  # 3 by 3 blocks: 1 + 2 + 3 on and below the diagonal
        (13, 13, 4, 10),  # the fourth, of one row, sees 4
        (64, 64, 1, 64 * 65 // 2),
        (5, 11, 4, 3),  # rows 0-3 see one block, row 4 sees two; the third holds nobody's past
        (11, 5, 4, 5),  # 1, then 2 and 2: there are no more keys
    ],
)
def test_blocks_above_the_diagonal_are_skipped(n_q, n_k, block, wanted):
    q, k, v = draw("skip", (n_q, 3), (n_k, 3), (n_k, 2))
    _, n_blocks = blocked_attention(q, k, v, causal=True, block=block)
    assert n_blocks == wanted
    _, n_blocks = blocked_attention(q, k, v, block=block)
    assert n_blocks == math.ceil(n_q / block) * math.ceil(n_k / block)


def test_skipped_blocks_are_not_even_read():
    # Key 4 is not a number. 0 times that is not a number either, so it may not be touched at all.
    q, k, v = draw("not read", (4, 3), (5, 3), (5, 2))
    k[4] = v[4] = np.nan
    out, _ = blocked_attention(q, k, v, causal=True, block=4)
    assert np.isfinite(out).all()


def extra_bytes(n, block, causal, calls=3):
    """Most memory held during a call, beyond what went in and came out.

    The least of some calls: what else happens to be allocated meanwhile, by whomever, only adds to it.
    """
    q, k, v = draw("memory", (n, 16), (n, 16), (n, 16), dtype=np.float32)
    collects = gc.isenabled()
    gc.disable()  # what it runs allocates too
    try:
        return min(traced_peak(q, k, v, block, causal) for _ in range(calls))
    finally:
        if collects:
            gc.enable()


def traced_peak(q, k, v, block, causal):
    tracemalloc.start()
    try:
        out, _ = blocked_attention(q, k, v, causal=causal, block=block)
        return tracemalloc.get_traced_memory()[1] - out.nbytes
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("causal", [False, True])
def test_memory_does_not_grow_with_n(causal):
    # A block of 128 x 128 float32 is 64 KiB. At most 2 live at once, scores and weights, and a few rows;
    # on the diagonal 5 more, the mask and the distances of 8 bytes it is made from. The scores of 4096 tokens
    # would be 1024 blocks.
    extra_bytes(256, 128, causal)  # what Python allocates once is not counted
    small, large = extra_bytes(512, 128, causal), extra_bytes(4096, 128, causal)
    assert large < (7 if causal else 2) * 128 * 128 * 4 + 10 * 128 * 16 * 4
    assert large < small + 2048


def test_kinds():
    for given_kind, kept in (("f4", "f4"), ("f8", "f8"), ("f2", "f8"), ("i4", "f8")):
        out, _ = blocked_attention(*(np.ones((3, 2), given_kind) for _ in range(3)), block=2)
        assert out.dtype == kept
        np.testing.assert_array_equal(out, np.ones((3, 2)))


def test_scale_and_heads_side_by_side():
    q, k, v = draw("scale", (2, 3, 5, 7), (2, 3, 11, 7), (2, 3, 11, 13))
    out, _ = blocked_attention(q, k, v, block=4, scale=0.3)
    wanted, _ = scaled_dot_product_attention(q, k, v, scale=0.3)
    np.testing.assert_allclose(out, wanted, rtol=1e-13, atol=1e-14)


def test_inputs_are_left_as_they_are():
    q, k, v = draw("read only", (5, 3), (7, 3), (7, 2))
    for x in (q, k, v):
        x.flags.writeable = False
    blocked_attention(q, k, v, causal=True, block=2)


@pytest.mark.parametrize("block", [0, -1])
def test_block_must_hold_something(block):
    with pytest.raises(ValueError, match=f"block must be 1 at least; got {block}"):
        blocked_attention(np.ones((3, 2)), np.ones((3, 2)), np.ones((3, 2)), block=block)


def test_shapes_that_do_not_fit_are_quoted():
    q, k, v = np.ones((5, 3)), np.ones((7, 3)), np.ones((7, 2))
    with pytest.raises(ValueError, match=r"equally wide; got q \(5, 3\), k \(7, 2\)"):
        blocked_attention(q, v, v)
    for shape in [(5, 8), (6, 7), (7,), (4, 5, 7)]:  # too large is not cut to size in silence
        with pytest.raises(ValueError, match=r"mask must be .* got mask"):
            blocked_attention(q, k, v, np.ones(shape, bool), block=4)
    with pytest.raises(ValueError, match="boolean"):
        blocked_attention(q, k, v, np.ones((5, 7), int))
