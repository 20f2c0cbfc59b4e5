"""How much of a far word arrives: by hand, by theory, and by differences of the forward pass alone."""

import numpy as np
import pytest

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.convolution import convolution, convolution_backward
from core.blocks.gru import gru
from core.blocks.recurrence import rnn
from core.experiments import local_conv_paths as paths
from core.experiments.local_conv import reach

N, D, H = 7, 3, 1e-5


def by_differences(out_of, x, reads):
    """Sizes of the same Jacobian from central differences."""
    sizes = np.zeros(reads + 1)
    for t in range(reads + 1):
        for j in range(x.shape[1]):
            ends = []
            for step in (H, -H):
                moved = x.copy()
                moved[reads - t, j] += step
                ends.append(out_of(moved)[reads])
            sizes[t] += (((ends[0] - ends[1]) / (2 * H)) ** 2).sum()
    return np.sqrt(sizes / x.shape[1])


def test_sizes_by_hand():
    """Output 1 is 3 times word 0 plus 2 times word 1, in every number: sizes 2 and 3, nearest first."""
    mix = np.array([[1.0, 0.0], [3.0, 2.0]])

    def run(x):
        return mix @ x, lambda dout: mix.T @ dout

    np.testing.assert_allclose(paths.sizes_by_distance(run, np.ones((2, 5)), 1), [2, 3])


@pytest.mark.parametrize(
    ("factor", "after_50"), [(0.9, 0.00515378), (1.0, 1.0), (1.1, 117.390853), (1.5, 6.376215e8)]
)
def test_a_factor_over_50_steps(factor, after_50):
    assert paths.powers(1.0, factor, 51)[-1] == pytest.approx(after_50, rel=1e-6)
    measured = paths.rnn_sizes(factor, seed=2, n=51, d=D)
    assert measured[-1] / measured[0] == pytest.approx(after_50, rel=1e-6)


@pytest.mark.parametrize("rho", [0.5, 0.9, 1.0, 1.2])
def test_a_linear_network_passes_on_rho_to_the_t_and_tanh_never_more(rho):
    linear = paths.rnn_sizes(rho, seed=3)
    np.testing.assert_allclose(linear, paths.powers(linear[0], rho), rtol=1e-10)
    assert (paths.rnn_sizes(rho, seed=3, activation="tanh") < linear).all()


def test_a_recurrent_network_against_differences():
    rng = np.random.default_rng(5)
    x, w_x, w_h = paths.words(rng, N, D), paths.projection(rng, D, D), 0.9 * paths.orthogonal(rng, D)
    expected = by_differences(lambda x: rnn(x, w_x, w_h)[0], x, N - 1)
    np.testing.assert_allclose(paths.rnn_sizes(0.9, 5, "tanh", N, D), expected, rtol=1e-7)


def test_a_gru_against_differences():
    rng = np.random.default_rng(7)
    x, w_x = paths.words(rng, N, D), np.hstack([paths.projection(rng, D, D) for _ in range(3)])
    w_h = np.hstack([paths.orthogonal(rng, D) for _ in range(3)])
    expected = by_differences(lambda x: gru(x, w_x, w_h)[0], x, N - 1)
    np.testing.assert_allclose(paths.gru_sizes(7, N, D), expected, rtol=1e-6)


@pytest.mark.parametrize("match", [None, 2, 6])
def test_attention_against_differences(match):
    rng = np.random.default_rng(11)
    x, w_v = paths.words(rng, N, D), paths.projection(rng, D, D)
    w_q = np.zeros((D, D)) if match is None else np.outer(x[-1], x[-1 - match]) / (x[-1] @ x[-1])
    expected = by_differences(lambda x: scaled_dot_product_attention(x @ w_q, x, x @ w_v)[0], x, N - 1)
    np.testing.assert_allclose(paths.attention_sizes(11, match, N, D), expected, rtol=1e-7)


def test_convolutions_against_differences():
    k, n_layers = 3, 2
    rng = np.random.default_rng(13)
    x = paths.words(rng, N + reach(n_layers, k), D)
    kernels = rng.standard_normal((n_layers, k, D, D)) * np.sqrt(2 / (k * D))

    def out_of(x):
        for w in kernels:
            x = np.maximum(convolution(x, w)[0], 0)
        return x

    expected = by_differences(out_of, x, N - 1)
    np.testing.assert_allclose(paths.conv_sizes(k, n_layers, 13, N, D), expected, rtol=1e-7, atol=1e-12)
    assert expected[0] > 0


def test_the_way_down_a_convolution_is_its_backward_pass():
    rng = np.random.default_rng(17)
    x, w = rng.standard_normal((2, 11, D)), rng.standard_normal((5, D, D))
    out, cache = convolution(x, w)
    dout, awake = rng.standard_normal(out.shape), out > 0
    expected, _, _ = convolution_backward(dout * awake, cache)
    np.testing.assert_allclose(paths.conv_stack_backward(dout, w[None], [awake]), expected, rtol=1e-12)


@pytest.mark.parametrize(("k", "n_layers"), [(3, 1), (3, 5), (5, 3), (7, 8)])
def test_a_convolution_is_deaf_beyond_its_reach_exactly(k, n_layers):
    sizes = paths.conv_sizes(k, n_layers, seed=19)
    edge = n_layers * (k - 1) // 2
    assert (sizes[edge + 1 :] == 0).all()  # not nearly
    assert (sizes[: edge + 1] > 0).all()


@pytest.mark.parametrize(("k", "n_layers"), [(3, 8), (5, 8), (7, 8)])
def test_within_its_reach_a_convolution_fades_towards_the_edge(k, n_layers):
    """There are as many ways to the edge as 1, but many to the middle: a bell."""
    sizes = paths.conv_sizes(k, n_layers, seed=19)
    edge = n_layers * (k - 1) // 2
    assert sizes[: edge // 2 + 1].min() > 3 * sizes[edge]


def test_equal_scores_share_the_influence_evenly():
    """Every word has the weight 1 / 64, and w_v from N(0, 1 / d) keeps sizes in the mean."""
    sizes = paths.attention_sizes(23)
    np.testing.assert_allclose(sizes, sizes[0], rtol=1e-12)
    assert sizes[0] == pytest.approx(1 / 64, rel=0.1)


@pytest.mark.parametrize("match", [1, 5, 20, 40, 63])
def test_a_matching_key_is_heard_at_any_distance(match):
    sizes = paths.attention_sizes(29, match)
    assert sizes[match] > 0.5
    assert np.delete(sizes, [0, match]).max() < 0.2


def test_a_gru_starts_with_little_of_the_far_word():
    """Measured over five seeds elsewhere: 19 to 23 words away about a thousandth of the nearest words."""
    sizes = [paths.gru_sizes(seed) for seed in range(3)]
    assert all(1e-5 < one[20] / one[1] < 1e-2 for one in sizes)


def test_lengths_of_words_and_turns():
    rng = np.random.default_rng(31)
    np.testing.assert_allclose((paths.words(rng, 5, 13) ** 2).sum(axis=1), 13)
    turn = paths.orthogonal(rng, 7)
    np.testing.assert_allclose(turn @ turn.T, np.eye(7), atol=1e-12)


@pytest.mark.parametrize("match", [0, 64, -1])
def test_a_match_outside_the_sentence_is_refused(match):
    with pytest.raises(ValueError, match=f"1 ... 63 steps back, got {match}"):
        paths.attention_sizes(0, match)
