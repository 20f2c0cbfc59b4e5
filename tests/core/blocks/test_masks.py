"""Masks: True = may look, rows are queries, columns are keys."""

import numpy as np
import pytest

from core.blocks.masks import causal_mask, padding_mask, relative_positions, window_mask


def test_relative_positions_count_to_the_right():
    np.testing.assert_array_equal(relative_positions(2, 3), [[0, 1, 2], [-1, 0, 1]])
    np.testing.assert_array_equal(relative_positions(2, 3, offset=1), [[-1, 0, 1], [-2, -1, 0]])


def test_fault_08_a_token_sees_itself_and_nothing_ahead():
    np.testing.assert_array_equal(causal_mask(3), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    np.testing.assert_array_equal(causal_mask(1), [[True]])
    assert causal_mask(3).dtype == bool


def test_causal_triangle_starts_top_left():
    np.testing.assert_array_equal(causal_mask(2, 4), [[1, 0, 0, 0], [1, 1, 0, 0]])
    np.testing.assert_array_equal(causal_mask(4, 2), [[1, 0], [1, 1], [1, 1], [1, 1]])


def test_causal_offset_is_the_number_of_remembered_keys():
    # Two keys are remembered; the first new query is the third of the sequence and sees three keys.
    np.testing.assert_array_equal(causal_mask(2, 4, offset=2), [[1, 1, 1, 0], [1, 1, 1, 1]])
    np.testing.assert_array_equal(causal_mask(2, 4, offset=2), causal_mask(4)[2:])


def test_causal_offset_for_each_sequence_of_a_batch():
    offset = np.array([0, 2]).reshape(2, 1, 1, 1)
    mask = causal_mask(2, 4, offset)
    assert mask.shape == (2, 1, 2, 4)
    np.testing.assert_array_equal(mask[0, 0], causal_mask(2, 4))
    np.testing.assert_array_equal(mask[1, 0], causal_mask(2, 4, 2))


def test_window_reaches_to_both_sides():
    np.testing.assert_array_equal(
        window_mask(4, 4, left=1, right=1), [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    )
    np.testing.assert_array_equal(window_mask(3, 3, left=None, right=0), causal_mask(3))
    np.testing.assert_array_equal(window_mask(2, 3), np.ones((2, 3)))


def test_padding_of_sequences():
    mask = padding_mask([2, 0, 3], 3)
    assert mask.shape == (3, 1, 1, 3)
    assert mask.dtype == bool
    np.testing.assert_array_equal(mask[:, 0, 0], [[1, 1, 0], [0, 0, 0], [1, 1, 1]])


def test_padding_for_each_query():
    mask = padding_mask([[1, 2], [3, 0]], 3)
    assert mask.shape == (2, 1, 2, 3)
    np.testing.assert_array_equal(mask[:, 0], [[[1, 0, 0], [1, 1, 0]], [[1, 1, 1], [0, 0, 0]]])


def test_padding_needs_a_batch():
    with pytest.raises(ValueError, match=r"batch.*\(\)"):
        padding_mask(3, 5)


@pytest.mark.parametrize(("n_q", "n_k"), [(0, 3), (3, 0), (0, 0)])
def test_fault_29_empty_masks(n_q, n_k):
    assert causal_mask(n_q, n_k).shape == window_mask(n_q, n_k, 1, 1).shape == (n_q, n_k)
