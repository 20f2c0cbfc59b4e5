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
        ("mlp", False, np.ones((N, N), bool)),
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


def test_convolution_shares_its_weights_along_diagonals_and_the_flat_mlp_shares_none():
    conv, mlp = connections("conv", X), connections("mlp", X)
    for gap in (-1, 0, 1):
        np.testing.assert_allclose(np.diagonal(conv, gap), conv[1, 1 + gap], rtol=1e-12)
    assert len(np.unique(mlp.round(9))) == N * N


def test_content_decides_in_attention_and_place_alone_in_convolution():
    assert follows_the_words("attention")
    assert follows_the_words("rnn")  # through the slope of tanh
    assert not follows_the_words("conv")
    assert not follows_the_words("mlp")


def test_a_single_word_is_connected_to_itself():
    for layer in pairs.LAYERS:
        assert connections(layer, tokens(1, D, 0)).shape == (1, 1)
        assert connections(layer, tokens(1, D, 0))[0, 0] > 0


def test_the_formula_counts_the_arrays_of_these_layers(monkeypatch):
    counted, draw = [], pairs.normal
    monkeypatch.setattr(pairs, "normal", lambda *a: counted.append(int(np.prod(a[1:]))) or draw(*a))
    for layer in pairs.LAYERS:
        counted.clear()
        connections(layer, X, k=5)
        assert sum(counted) == parameters(layer, N, D, 5), layer
