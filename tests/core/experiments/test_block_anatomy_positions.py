"""What page 4 says about positions holds for every width, odd ones and 1 too, and is right by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.experiments.block_anatomy_positions import added_waves, by_distance, deviation, turned_pairs

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)
BASES = st.sampled_from([100, 10_000])


def test_distances_by_hand():
    """Rows 1, 2; 3, 5: one pair at -1 (3), two at 0 (1 and 5, mean 3), one at +1 (2)."""
    found = by_distance(np.array([[1.0, 2.0], [3.0, 5.0]]))
    np.testing.assert_array_equal(found.distance, [-1, 0, 1])
    np.testing.assert_array_equal(found.least, [3, 1, 2])
    np.testing.assert_array_equal(found.mean, [3, 3, 2])
    np.testing.assert_array_equal(found.most, [3, 5, 2])
    assert deviation(found) == 4


@SETTINGS
@given(n=st.integers(1, 64), half=st.integers(1, 32), base=BASES)
def test_an_even_width_knows_the_distance_only(n, half, base):
    """cos a cos b + sin a sin b = cos(a - b) for each pair of columns; the sum is largest, d / 2, at 0."""
    d = 2 * half
    found = by_distance(added_waves(n, d, base).products)
    assert deviation(found) < 1e-12
    waves = np.arange(half)[:, None] * (-2 / d)
    right = np.cos(float(base) ** waves * found.distance).sum(axis=0)
    np.testing.assert_allclose(found.mean, right, atol=1e-12)
    np.testing.assert_allclose(found.mean, found.mean[::-1], atol=1e-12)
    assert found.mean[n - 1] == pytest.approx(half)
    assert found.mean.argmax() == n - 1


@SETTINGS
@given(n=st.integers(2, 64), d=st.integers(0, 31).map(lambda i: 2 * i + 1), base=BASES)
def test_an_odd_width_misses_by_what_the_lone_sine_adds(n, d, base):
    """sin a sin b = (cos(a - b) - cos(a + b)) / 2: the second half is no matter of distance, and is all."""
    found = by_distance(added_waves(n, d, base).products)
    lone = np.sin(float(base) ** (-(d - 1) / d) * np.arange(n))
    alone = by_distance(np.outer(lone, lone))
    np.testing.assert_allclose(found.most - found.least, alone.most - alone.least, atol=1e-12)
    assert deviation(found) > 1e-12


def test_width_1_by_hand():
    """Sines of 0, 1, 2: at distance 0 their squares 0, 0.7081, 0.8268; at 1 the products 0 and 0.7651."""
    found = by_distance(added_waves(3, 1, 10_000).products)
    np.testing.assert_allclose([found.least[2], found.most[2]], [0, 0.8268], atol=1e-4)
    np.testing.assert_allclose([found.least[3], found.most[3]], [0, 0.7651], atol=1e-4)
    assert deviation(found) == pytest.approx(0.8268, abs=1e-4)


@pytest.mark.parametrize(("d", "base", "most"), [(33, 10_000, 1e-4), (33, 100, 0.2), (3, 100, 1)])
def test_the_wider_and_the_slower_the_nearer_an_odd_width_comes(d, base, most):
    """The lone sine is the slowest: at 32 positions it has hardly left 0 where its wave is long."""
    assert most / 100 < deviation(by_distance(added_waves(32, d, base).products)) <= most


@SETTINGS
@given(n=st.integers(1, 64), d=st.integers(1, 64), base=BASES, seed=st.integers(0, 20))
def test_turned_pairs_know_the_distance_only_and_keep_their_length(n, d, base, seed):
    """Su et al. (2021), equation 16: the product of two turned vectors holds the difference of the angles."""
    compared = turned_pairs(n, d, base, seed)
    assert deviation(by_distance(compared.products)) < 1e-12
    lengths = np.linalg.norm(compared.rows, axis=1)
    np.testing.assert_allclose(lengths, lengths[0], rtol=1e-12)


def test_turning_tells_forwards_from_backwards():
    for seed in range(21):
        mean = by_distance(turned_pairs(5, 8, 10_000, seed).products).mean
        assert abs(mean[5] - mean[3]) > 1e-4


def test_the_last_number_of_an_odd_width_is_left_as_it_is():
    """Width 7 turns three pairs; of width 1 nothing turns, so every product is the same."""
    rows = turned_pairs(5, 7, 100).rows
    assert (rows[:, 6] == rows[0, 6]).all()
    assert (np.abs(np.diff(rows[:, :6], axis=0)) > 1e-6).all()
    assert np.ptp(turned_pairs(5, 1, 100).products) == 0
