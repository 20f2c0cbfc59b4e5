"""Rotary positions: quarter turns by hand, lengths kept, scores that know the distance alone, gradients."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.rotary import rotary, rotary_angles, rotary_backward
from tests.core.gradient_check import check_gradients

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)


def test_quarter_turn_by_hand():
    # a quarter turn sends the pair (a, b) to (-b, a)
    cos, sin = np.zeros((1, 2)), np.ones((1, 2))
    np.testing.assert_array_equal(rotary([[1.0, 2, 3, 4]], cos, sin, interleaved=True)[0], [[-2, 1, -4, 3]])
    np.testing.assert_array_equal(rotary([[1.0, 2, 3, 4]], cos, sin, interleaved=False)[0], [[-3, -4, 1, 2]])


def test_angles_by_hand():
    # width 4: pair 0 turns by 1 radian a position, pair 1 by 10000 ** (-2 / 4) = 0.01
    cos, sin = rotary_angles([0, 3], 4)
    np.testing.assert_allclose(cos, [[1, 1], [math.cos(3), math.cos(0.03)]], rtol=1e-14)
    np.testing.assert_allclose(sin, [[0, 0], [math.sin(3), math.sin(0.03)]], rtol=1e-14)


@SETTINGS
@given(st.integers(0, 500), st.integers(0, 500), st.booleans())
def test_scores_know_the_distance_alone(start, moved, interleaved):
    rng = np.random.default_rng(199)
    q, k = rng.standard_normal((2, 5, 6))

    def turned(x, first):
        return rotary(x, *rotary_angles(np.arange(first, first + 5), 6), interleaved)[0]

    scores, elsewhere = (turned(q, first) @ turned(k, first).T for first in (start, start + moved))
    np.testing.assert_allclose(elsewhere, scores, atol=1e-11)
    np.testing.assert_allclose(
        np.linalg.norm(turned(q, start), axis=1), np.linalg.norm(q, axis=1), rtol=1e-14
    )


def test_gradients():
    rng = np.random.default_rng(211)
    turns = rotary_angles(np.arange(5), 6)
    free = rng.standard_normal((2, 2, 1, 5, 3))  # any numbers, their own for each batch
    for cos, sin in (turns, free):
        for interleaved in (True, False):
            forward = partial(rotary, cos=cos, sin=sin, interleaved=interleaved)
            check_gradients(forward, rotary_backward, [rng.standard_normal((2, 3, 5, 6))], rng)


def test_kinds_and_errors():
    cos, sin = rotary_angles(np.arange(5), 6)
    assert rotary(np.ones((5, 6), np.float32), cos, sin)[0].dtype == np.float32
    assert rotary(np.ones((5, 6), np.float16), cos, sin)[0].dtype == np.float64
    with pytest.raises(ValueError, match="got 5"):
        rotary_angles(np.arange(3), 5)
    for shape in ((4, 6), (5, 8), (5, 7), (6,)):
        with pytest.raises(ValueError, match=r"x \(.*\), cos \(5, 3\), sin \(5, 3\)"):
            rotary(np.ones(shape), cos, sin)
