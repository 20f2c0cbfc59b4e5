"""Heads: merging undoes splitting, and shared heads are repeated one by one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.heads import merge_heads, repeat_heads, repeat_heads_backward, split_heads
from tests.core.gradient_check import check_gradients

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)


def rng_of(word):
    return np.random.default_rng(sum(map(ord, word)))


def test_fault_13_heads_are_swapped_back_before_merging():
    heads = np.array([[[10, 11], [20, 21]], [[12, 13], [22, 23]]])
    rows = [[10, 11, 12, 13], [20, 21, 22, 23]]
    np.testing.assert_array_equal(merge_heads(heads), rows)
    np.testing.assert_array_equal(split_heads(np.array(rows), 2), heads)


@SETTINGS
@given(
    st.lists(st.sampled_from([1, 2, 3, 5]), max_size=2),
    st.integers(0, 7),
    st.integers(1, 5),
    st.integers(1, 3),
)
def test_merge_undoes_split(leading, n, n_heads, d):
    x = np.arange(math.prod(leading) * n * n_heads * d).reshape(*leading, n, n_heads * d)
    heads = split_heads(x, n_heads)
    assert heads.shape == (*leading, n_heads, n, d)
    np.testing.assert_array_equal(merge_heads(heads), x)
    np.testing.assert_array_equal(split_heads(merge_heads(heads), n_heads), heads)


def test_each_is_the_backward_pass_of_the_other():
    rng = rng_of("split")

    def split_backward(dout, _):
        return merge_heads(dout)

    def merge_backward(dout, n_heads):
        return split_heads(dout, n_heads)

    check_gradients(lambda x: (split_heads(x, 3), None), split_backward, [rng.normal(size=(2, 5, 21))], rng)
    check_gradients(lambda x: (merge_heads(x), 3), merge_backward, [rng.normal(size=(2, 3, 5, 7))], rng)


def test_shared_heads_are_repeated_one_by_one():
    heads = np.array([[[1.0]], [[2.0]]])  # (2, 1, 1)
    out, n_kv_heads = repeat_heads(heads, 6)
    np.testing.assert_array_equal(out.ravel(), [1, 1, 1, 2, 2, 2])  # not 1, 2, 1, 2, 1, 2
    rng = rng_of("shared")
    check_gradients(lambda x: repeat_heads(x, 6), repeat_heads_backward, [rng.normal(size=(3, 2, 5, 7))], rng)
    assert n_kv_heads == 2


def test_wrong_widths_are_quoted():
    with pytest.raises(ValueError, match=r"multiple of 3 heads.*\(2, 8\)"):
        split_heads(np.zeros((2, 8)), 3)
    with pytest.raises(ValueError, match=r"multiple of 0 heads"):
        split_heads(np.zeros((2, 8)), 0)
    with pytest.raises(ValueError, match=r"\(2, 8\)"):
        merge_heads(np.zeros((2, 8)))
    with pytest.raises(ValueError, match=r"5 query heads.*\(3, 2, 4\)"):
        repeat_heads(np.zeros((3, 2, 4)), 5)
