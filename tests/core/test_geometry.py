"""Hulls by hand: corners in order, points on an edge are none, degenerate sets have none or two."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry import hull, inside, turn

SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]


def corners(points):
    points = np.array(points, dtype=float)
    return [tuple(corner) for corner in points[hull(points)].tolist()]


def test_turns():
    # (1, 0) x (0, 1) = 1 * 1 - 0 * 0
    assert turn((0, 0), (1, 0), (1, 1)) == 1
    assert turn((0, 0), (1, 0), (1, -1)) == -1
    assert turn((0, 0), (1, 1), (3, 3)) == 0


@pytest.mark.parametrize("more", [[], [(1, 1)], [(1, 0), (2, 1)], [(0, 0), (2, 2)]], ids=str)
def test_a_square_with_points_inside_on_its_edge_and_doubled(more):
    assert corners([*SQUARE, *more]) == SQUARE
    assert corners([*more, *SQUARE[::-1]]) == SQUARE


def test_degenerate_sets():
    assert corners([(3, 1)]) == []
    assert corners([(3, 1), (3, 1), (3, 1)]) == []
    assert corners([(1, 1), (0, 0), (2, 2)]) == [(0, 0), (2, 2)]
    assert corners([(0, 5), (0, 1), (0, 3), (0, 1)]) == [(0, 1), (0, 5)]


def test_inside_a_square():
    square = np.array(SQUARE, dtype=float)
    for point in [(1, 1), (0, 0), (2, 1), (0.001, 1.999)]:
        assert inside(np.array(point), square)
    for point in [(-0.001, 1), (2.001, 2), (3, 3), (1, -1)]:
        assert not inside(np.array(point), square)


def test_inside_a_triangle_but_not_its_box():
    triangle = np.array([(0.0, 0), (4, 0), (0, 4)])
    assert inside(np.array([1.0, 1]), triangle)
    assert inside(np.array([2.0, 2]), triangle)  # on the slope
    assert not inside(np.array([3.0, 3]), triangle)


def test_inside_sets_without_an_area():
    line = np.array([(0.0, 0), (2, 2), (1, 1)])
    assert inside(np.array([0.5, 0.5]), line)
    assert not inside(np.array([0.5, 0.6]), line)
    assert not inside(np.array([3.0, 3]), line)
    point = np.array([(1.0, 2.0)])
    assert inside(point[0], point)
    assert not inside(np.array([1.0, 2.1]), point)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(1, 11))
def test_weighted_means_never_leave_the_hull(seed, n):
    rng = np.random.default_rng(seed)
    points = rng.integers(-5, 6, (n, 2)).astype(float)  # small whole numbers: many equal and collinear ones
    assert inside(rng.dirichlet(np.ones(n)) @ points, points)
    assert not inside(points.max(axis=0) + 0.01, points)
    chosen = points[hull(points)]
    assert len(np.unique(chosen, axis=0)) == len(chosen)
    for a, b, c in zip(chosen, np.roll(chosen, -1, axis=0), np.roll(chosen, -2, axis=0), strict=True):
        assert len(chosen) < 3 or turn(a, b, c) > 0
