"""Sinusoidal positions: the formula in scalars, odd widths, what the dot product of two rows depends on."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.positions import sinusoidal_positions

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)


def test_fault_14_odd_widths():
    rows = sinusoidal_positions(2, 5)
    np.testing.assert_array_equal(rows[0], [0, 1, 0, 1, 0])
    wanted = [0.8414709848, 0.5403023059, 0.0251162229, 0.9996845379, 0.0006309573]
    np.testing.assert_allclose(rows[1], wanted, atol=1e-10)
    np.testing.assert_allclose(sinusoidal_positions(3, 1), [[0], [math.sin(1)], [math.sin(2)]], rtol=1e-15)


@SETTINGS
@given(st.integers(0, 20), st.integers(1, 13), st.sampled_from([100, 10000.0, 2]))
def test_formula_in_scalars(n, d_model, base):
    rows = sinusoidal_positions(n, d_model, base)
    assert rows.shape == (n, d_model)
    assert rows.dtype == np.float64
    for pos in range(n):
        for column in range(d_model):
            angle = pos / base ** ((column - column % 2) / d_model)
            wave = math.cos(angle) if column % 2 else math.sin(angle)
            np.testing.assert_allclose(rows[pos, column], wave, atol=1e-13)


def test_even_widths_know_distance_alone():
    # sin a sin b + cos a cos b = cos(a - b): the products stand still along each diagonal
    products = sinusoidal_positions(17, 6) @ sinusoidal_positions(17, 6).T
    for distance in range(17):
        diagonal = np.diagonal(products, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-12)
    # an odd width leaves one sine alone, and the diagonals drift
    products = sinusoidal_positions(17, 5, base=10) @ sinusoidal_positions(17, 5, base=10).T
    assert np.ptp(np.diagonal(products, 1)) > 0.1


def test_errors():
    with pytest.raises(ValueError, match="n 3, d_model 0"):
        sinusoidal_positions(3, 0)
    with pytest.raises(ValueError, match="n -1, d_model 4"):
        sinusoidal_positions(-1, 4)
