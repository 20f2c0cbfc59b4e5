"""Pixels and windows: every cell in its place, one scale, what is outside told from what is padding."""

import numpy as np
import pandas as pd
import pytest

from pages.shared import charts
from tests.pages import specs

TITLES = ("row", "column", "value")


def test_pixels_stand_in_rows_from_the_top_and_share_a_scale():
    picture = charts.pixels([[1, -2, 0], [0.5, 3, -1]], TITLES, 5)
    assert picture.data.to_numpy().tolist()[:4] == [
        [1, 1, 1],
        [1, 2, -2],
        [1, 3, 0],
        [2, 1, 0.5],
    ]
    for channel, given in specs.channels(picture.spec):
        if channel == "color":
            assert given["scale"]["domain"] == [-5, 5]
        if channel in ("x", "y"):
            assert given["scale"]["domain"] == [1, 2, 3][: 3 if channel == "x" else 2]
    assert specs.broken_rules(picture.spec, picture.data) == {}


@pytest.fixture
def nine():
    """Windows of 3 x 3 around the pixel in row 1, column 4 of 4: nothing beyond the ring of padding."""
    maps = np.arange(81).reshape(9, 3, 3) / 81
    maps[:, 0, 0] = np.nan
    return charts.windows(maps, [f"× {i}" for i in range(9)], TITLES, first=(0, 3), side=4)


def test_windows_lie_three_by_three_with_room_above(nine):
    asks = nine.data[nine.data["asks"]]
    # A window of 3 and a gap of 2 each way; the first middle is 2 across, and 2 + 2 down.
    assert list(zip(asks["x"], asks["y"], strict=True)) == [(x, y) for y in (4, 9, 14) for x in (2, 7, 12)]
    assert list(asks["name"]) == [f"× {i}" for i in range(9)]
    assert (asks["row"] == 1).all() and (asks["column"] == 4).all()
    np.testing.assert_allclose(asks["value"], (np.arange(9) * 9 + 4) / 81)


def test_cells_are_pixels_padding_or_nothing(nine):
    first = nine.data.iloc[:9].set_index(["row", "column"])["kind"]
    assert first[(0, 3)] == "none"
    assert first[(0, 4)] == first[(1, 5)] == first[(2, 5)] == "ring"
    assert first[(1, 3)] == first[(2, 4)] == "cell"


def test_windows_keep_the_rules(nine):
    assert specs.broken_rules(nine.spec, nine.data) == {}
    assert specs.text_without_tooltip(nine.spec) == []
    (colour,) = [given for channel, given in specs.channels(nine.spec) if channel == "color"]
    assert colour["scale"] == {"domain": [0, 1], "type": "sqrt"}


def test_a_logarithmic_axis_is_labelled_at_the_powers_asked_for():
    data = pd.DataFrame({"x": [0, 1], "y": [1, 1e-9], "name": "a"})
    picture = charts.curves(data, [("a", "conv")], ("x", "y"), log=("y",), powers=(-10, -5, 0))
    (axis,) = {str(given["axis"]) for channel, given in specs.channels(picture.spec) if channel == "y"}
    assert "['10⁻¹⁰', '10⁻⁵', '1']" in axis and "[-10, -5, 0]" in axis
    assert "[1e-10, 1e-05, 1.0]" in axis
