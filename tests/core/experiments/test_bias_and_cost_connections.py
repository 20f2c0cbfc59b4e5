"""Who is connected to whom, read off the layers: against what each layer is known to do."""

import numpy as np
import pytest

from core.costs import parameters
from core.experiments import bias_and_cost_connections as pairs
from core.experiments.bias_and_cost_connections import connections, follows_the_words, tokens

N, D = 7, 3
X = tokens(N, D, seed=0)
BACK = np.tri(N, dtype=bool)  # itself and before


def band(before, after):
    place = np.arange(N)
    gap = place - place[:, None]  # of the one looked at from the one that looks
    return (gap >= -before) & (gap <= after)


@pytest.mark.parametrize(
    ("layer", "causal", "expected"),
    [
        ("dense", False, np.ones((N, N), bool)),
        ("attention", False, np.ones((N, N), bool)),
        ("attention", True, BACK),
        ("rnn", False, BACK),
        ("conv", False, band(2, 2)),
        ("conv", True, band(4, 0)),
    ],
)
def test_exactly_these_pairs_are_connected(layer, causal, expected):
    np.testing.assert_array_equal(connections(layer, X, k=5, causal=causal) > 0, expected)


def test_the_strength_is_that_of_the_jacobian():
    """Finite differences of the RNN: out_5 when each number of x_2 is moved."""

    def out(x):
        return pairs.recurrent(x[None], np.random.default_rng(0))[0][0, 5]

    columns = []
    for i in range(D):
        step = np.zeros((N, D))
        step[2, i] = 1e-6
        columns.append((out(X + step) - out(X - step)) / 2e-6)
    expected = np.sqrt((np.array(columns) ** 2).sum() / D)
    assert connections("rnn", X)[5, 2] == pytest.approx(expected, rel=1e-6)


def test_convolution_and_rnn_share_their_weights_along_diagonals_and_the_fully_connected_layer_none():
    conv, read, dense = connections("conv", X), connections("rnn", X), connections("dense", X)
    for gap in (-1, 0, 1):
        np.testing.assert_allclose(np.diagonal(conv, gap), conv[1, 1 + gap], rtol=1e-12)
    for gap in range(N):
        np.testing.assert_allclose(np.diagonal(read, -gap), read[gap, 0], rtol=1e-12)
    assert len(np.unique(dense.round(9))) == N * N


def test_the_rnn_of_the_picture_passes_less_on_the_further_it_is():
    last = connections("rnn", tokens(24, 4, seed=0))[-1]  # as wide as drawn, at the greatest length
    assert (np.diff(last) > 0).all()


@pytest.mark.parametrize("causal", [False, True])
def test_without_activations_content_decides_in_attention_alone(causal):
    assert [layer for layer in pairs.LAYERS if follows_the_words(layer, causal=causal)] == ["attention"]


def test_attention_knows_no_places():
    """Tokens in another order: the strengths move with them, pair by pair."""
    order = np.array([3, 0, 6, 1, 5, 2, 4])
    moved = connections("attention", X[order])
    np.testing.assert_allclose(moved, connections("attention", X)[np.ix_(order, order)], rtol=1e-9)


def test_a_single_word_is_connected_to_itself():
    for layer in pairs.LAYERS:
        assert connections(layer, tokens(1, D, 0)).shape == (1, 1)
        assert connections(layer, tokens(1, D, 0))[0, 0] > 0


def test_the_formula_counts_the_arrays_of_these_layers(monkeypatch):
    counted, draw = [], pairs.projection
    monkeypatch.setattr(pairs, "projection", lambda *a: counted.append(int(np.prod(a[1:]))) or draw(*a))
    for layer in pairs.LAYERS:
        counted.clear()
        connections(layer, X, k=5)
        assert sum(counted) == parameters(layer, N, D, 5), layer
