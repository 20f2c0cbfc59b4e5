"""The bill by formula, against arithmetic done by hand and against the arrays of the very blocks."""

import numpy as np
import pytest

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.convolution import convolution
from core.blocks.recurrence import rnn
from core.costs import attention_cost, attention_share, conv_cost, layers_to_reach, parameters, rnn_cost


def test_costs_worked_out_by_hand():
    # n = 7, d = 5: two products of 7 x 5 x 7 multiply-adds, 245 each; 4 * 245 = 980.
    assert attention_cost(7, 5) == (980, 49, 1, 1)
    # Four projections of 7 x 5 x 5 = 175 multiply-adds: 980 + 8 * 175 = 2380.
    assert attention_cost(7, 5, projections=True).operations == 2380
    # Two products of 175 multiply-adds.
    assert rnn_cost(7, 5) == (700, 35, 7, 7)
    # Three taps of 175 multiply-adds; 6 places in steps of 1 are 6 layers.
    assert conv_cost(7, 5, 3) == (1050, 35, 1, 6)
    # Dilated 1, 3: reach 1 + 3 = 4 < 6; a third layer adds 9.
    assert conv_cost(7, 5, 3, growth=3) == (1050, 35, 1, 3)
    # Doubled 1, 2, 4: reach 1 + 2 = 3 < 6; a third layer adds 4. One token goes through one layer.
    assert conv_cost(7, 5, 3, growth=2).longest_path == 3
    assert conv_cost(1, 5, 3).longest_path == conv_cost(1, 5, 3, growth=3).longest_path == 1


def test_large_bills_stay_exact():
    n = 2**20 + 7  # 4 n^2 is beyond the whole numbers that a float64 can hold
    assert attention_cost(n, 12_289).operations % n == 0
    assert attention_cost(n, 12_289).operations // n == 4 * n * 12_289


@pytest.mark.parametrize("d", [3, 64, 12_288])
def test_attention_and_rnn_cost_the_same_at_n_equal_d(d):
    assert attention_cost(d, d).operations == rnn_cost(d, d).operations
    assert attention_cost(d - 1, d).operations < rnn_cost(d - 1, d).operations
    assert attention_cost(d + 1, d).operations > rnn_cost(d + 1, d).operations


def test_with_projections_attention_is_always_dearer_than_a_plain_rnn():
    for n in (1, 2, 63, 64):
        assert attention_cost(n, 64, projections=True).operations > rnn_cost(n, 64).operations


def test_attention_and_convolution_cost_the_same_at_half_of_k_times_d():
    assert attention_cost(96, 64).operations == conv_cost(96, 64, 3).operations  # 3 * 64 / 2 = 96


@pytest.mark.parametrize(
    ("distance", "k", "plain", "doubled", "k_fold"),
    [
        (0, 3, 0, 0, 0),
        (1, 3, 1, 1, 1),
        (2, 3, 2, 2, 2),
        (12, 3, 12, 4, 3),  # doubled reaches 1, 3, 7, 15; k-fold 1, 4, 13
        (13, 3, 13, 4, 3),
        (14, 3, 14, 4, 4),
        (12, 5, 6, 3, 2),  # 2 places a layer; doubled reaches 2, 6, 14; k-fold 2, 12
        (13, 5, 7, 3, 3),
        (1023, 3, 1023, 10, 7),  # 2^10 - 1 = 1023; (3^6 - 1) / 2 = 364, (3^7 - 1) / 2 = 1093
    ],
)
def test_layers_to_reach(distance, k, plain, doubled, k_fold):
    assert layers_to_reach(distance, k) == plain
    assert layers_to_reach(distance, k, growth=2) == doubled
    assert layers_to_reach(distance, k, growth=k) == k_fold


@pytest.mark.parametrize("k", [0, 1, 2, 4])
def test_a_window_that_is_not_centred_or_reaches_nobody_is_refused(k):
    with pytest.raises(ValueError, match=f"got {k}"):
        layers_to_reach(7, k)


def test_taps_that_draw_closer_are_refused():
    with pytest.raises(ValueError, match="got growth 0"):
        layers_to_reach(7, 3, growth=0)


def test_the_layers_reach_what_they_are_counted_to_reach():
    """A token put in at the first place arrives at the last one in the counted layer and not before."""
    n, k = 14, 3
    for growth in (1, 2, k):
        x, seen = np.zeros((n, 1)), []
        x[0] = 1
        for layer in range(conv_cost(n, 1, k, growth).longest_path):
            x, _ = convolution(x, np.ones((k, 1, 1)), dilation=growth**layer)
            seen.append(bool(x[-1, 0]))
        assert seen == [False] * (len(seen) - 1) + [True]


def test_the_arrays_between_are_those_of_the_blocks():
    n, d, k = 11, 5, 3
    x = np.ones((n, d))
    _, attended = scaled_dot_product_attention(x, x, x)
    assert attended.weights.size == attention_cost(n, d).between
    _, read = rnn(x, np.eye(d), np.eye(d))
    assert read.states[1:].size == rnn_cost(n, d).between
    out, _ = convolution(x, np.ones((k, d, d)))
    assert out.size == conv_cost(n, d, k).between


def test_parameters_worked_out_by_hand():
    # n = 7, d = 5, k = 3: (7 * 5)^2 = 1225; four, two and three matrices of 25.
    counts = [parameters(layer, 7, 5, 3) for layer in ("dense", "attention", "rnn", "conv")]
    assert counts == [1225, 100, 50, 75]
    assert parameters("attention", 1000, 5, 3) == 100  # whatever the length


def test_share_of_the_n_by_n_products():
    assert attention_share(4608, 768) == 0.5  # n = 6 d
    # GPT-2 small at 1,024 tokens: 1024 / (1024 + 6 * 768) = 1024 / 5632 = 2 / 11, about 18 %.
    assert attention_share(1024, 768) == pytest.approx(2 / 11)
