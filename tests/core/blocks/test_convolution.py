"""Convolution: windows by hand, a loop that says the same, what lies out of reach, gradients."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.convolution import convolution, convolution_backward, padding_of
from tests.core.gradient_check import check_direction, check_gradients

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)
LAYOUTS = [
    {"padding": "same"},
    {"padding": "causal", "dilation": 2},
    {"padding": "valid", "stride": 2},
    {"padding": (1, 3), "stride": 3, "dilation": 2},
    {"padding": "same", "groups": 3},
    {"padding": (0, 2), "groups": 2, "stride": 2},
]


def draw(rng, layout, leading=(2,), k=3):
    """Draw x, w, b of sizes that the groups divide."""
    groups = layout.get("groups", 1)
    shapes = (*leading, 11, 2 * groups), (k, 2, 5 * groups), (5 * groups,)
    return [rng.standard_normal(shape) for shape in shapes]


def by_loops(x, w, b, left, right, stride, dilation, groups):
    """Convolve one sequence number by number, straight from the definition."""
    (k, d_group, d_out), n = w.shape, len(x)
    starts = range(-left, n + right - (k - 1) * dilation, stride)
    out = np.zeros((len(starts), d_out))
    for i, start in enumerate(starts):
        for j in range(d_out):
            first = j // (d_out // groups) * d_group
            out[i, j] = b[j]
            for tap in range(k):
                place = start + tap * dilation
                if 0 <= place < n:
                    out[i, j] += sum(x[place, first + c] * w[tap, c, j] for c in range(d_group))
    return out


@pytest.mark.parametrize(
    ("layout", "k", "wanted"),
    [
        # tokens 1 2 3 4 under the window 1, 10, 100: 0*1 + 1*10 + 2*100, and so on
        ({"padding": "same"}, 3, [210, 321, 432, 43]),
        ({"padding": "causal"}, 3, [100, 210, 321, 432]),
        ({"padding": "causal", "dilation": 2}, 3, [100, 200, 310, 420]),
        ({"padding": "valid", "stride": 2}, 3, [321]),
        ({"padding": (2, 1), "stride": 2}, 3, [100, 321, 43]),
        # an even window has its extra zero on the right: 1*1 + 2*10, ...
        ({"padding": "same"}, 2, [21, 32, 43, 4]),
    ],
)
def test_windows_by_hand(layout, k, wanted):
    w = 10.0 ** np.arange(k).reshape(k, 1, 1)
    out, _ = convolution(np.array([[1.0], [2], [3], [4]]), w, **layout)
    np.testing.assert_array_equal(out[:, 0], wanted)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_equals_the_loop(layout, k):
    x, w, b = draw(np.random.default_rng(113), layout, k=k)
    left, right = padding_of(layout["padding"], k, layout.get("dilation", 1))
    options = (layout.get("stride", 1), layout.get("dilation", 1), layout.get("groups", 1))
    out, _ = convolution(x, w, b, **layout)
    loops = [by_loops(sequence, w, b, left, right, *options) for sequence in x]
    np.testing.assert_allclose(out, loops, atol=1e-13)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_gradients(layout, leading):
    rng = np.random.default_rng(127)
    x, w, b = draw(rng, layout, leading)
    check_gradients(lambda *inputs: convolution(*inputs, **layout), convolution_backward, [x, w, b], rng)
    check_gradients(lambda *inputs: convolution(*inputs, **layout), convolution_backward, [x, w, None], rng)


def test_gradient_along_a_direction_at_size():
    rng = np.random.default_rng(131)
    inputs = [rng.standard_normal(shape) for shape in ((3, 41, 17), (7, 17, 19), (19,))]
    check_direction(
        lambda *i: convolution(*i, padding="causal", dilation=3), convolution_backward, inputs, rng
    )


@SETTINGS
@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 16), st.sampled_from(["same", "causal"]))
def test_nothing_out_of_reach_matters(k, dilation, place, padding):
    """Changing one token changes, to the last bit, only the outputs whose window lies over it."""
    rng = np.random.default_rng(137)
    x, w = rng.standard_normal((17, 2)), rng.standard_normal((k, 2, 3))
    changed = x.copy()
    changed[place] += 1
    before, after = (convolution(each, w, padding=padding, dilation=dilation)[0] for each in (x, changed))
    left, _ = padding_of(padding, k, dilation)
    reached = {place + left - tap * dilation for tap in range(k)} & set(range(17))
    assert set(np.flatnonzero(np.any(before != after, axis=1))) == reached


def test_kinds_of_numbers():
    for kind, kept in (("f4", "f4"), ("f8", "f8"), ("f2", "f8"), ("i8", "f8")):
        out, cache = convolution(np.ones((5, 2), kind), np.ones((3, 2, 3), kind), np.ones(3, kind))
        assert {out.dtype, *(grad.dtype for grad in convolution_backward(out, cache))} == {np.dtype(kept)}


@pytest.mark.parametrize(
    ("x", "w", "b", "layout", "message"),
    [
        ((5, 2), (3, 7, 3), None, {}, r"x \(5, 2\), w \(3, 7, 3\)"),
        ((5,), (3, 5, 3), None, {}, r"x \(5,\), w \(3, 5, 3\)"),
        ((5, 2), (3, 2, 3), (2,), {}, r"b \(2,\), w \(3, 2, 3\)"),
        ((5, 4), (3, 2, 3), None, {"groups": 2}, r"d_in / 2.*x \(5, 4\), w \(3, 2, 3\)"),
        ((2, 2), (3, 2, 3), None, {"padding": "valid"}, r"x \(2, 2\), w \(3, 2, 3\)"),
        ((5, 2), (3, 2, 3), None, {"padding": "full"}, "'full'"),
    ],
)
def test_errors_quote_what_is_wrong(x, w, b, layout, message):
    with pytest.raises(ValueError, match=message):
        convolution(np.ones(x), np.ones(w), None if b is None else np.ones(b), **layout)
