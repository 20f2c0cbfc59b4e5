"""Numbers for distances: laid out by hand, and what they do to the weights."""

import numpy as np
import pytest

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.relative_positions import relative_bias, relative_bias_backward


def test_by_hand():
    """Columns are distances -2 to 2; a key to the right of the query stands at a positive distance."""
    bias, _ = relative_bias([[10, 20, 30, 40, 50]], 3)
    np.testing.assert_array_equal(bias, [[[30, 40, 50], [20, 30, 40], [10, 20, 30]]])
    short, _ = relative_bias([[10, 20, 30, 40, 50]], 2)  # a shorter sentence uses the middle
    np.testing.assert_array_equal(short, [[[30, 40], [20, 30]]])


def test_gradients_of_pairs_at_one_distance_add_up():
    dbias = np.arange(8.0).reshape(2, 1, 2, 2)  # two sentences, one head
    # distance -1: entries (1, 0): 2 + 6; distance 0: (0, 0) and (1, 1): 0 + 3 + 4 + 7; distance 1: 1 + 5
    np.testing.assert_array_equal(relative_bias_backward(dbias, (1, 5)), [[0, 8, 14, 6, 0]])


def test_a_large_number_makes_a_head_look_at_that_distance_alone():
    table = np.zeros((1, 9))
    table[0, 4 - 1] = 50.0  # one place to the left
    x = np.random.default_rng(0).standard_normal((1, 5, 3))
    _, cache = scaled_dot_product_attention(x, x, x, relative_bias(table, 5)[0])
    np.testing.assert_allclose(cache.weights[0, 1:], np.eye(5)[:-1], atol=1e-12)


def test_a_sentence_longer_than_the_table():
    with pytest.raises(ValueError, match="7 columns"):
        relative_bias(np.zeros((2, 5)), 4)
