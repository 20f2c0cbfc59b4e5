"""Lines on bands: what is drawn where, zeros on a logarithmic axis, names in their order."""

from itertools import product

import numpy as np

from core.experiments.local_conv_race import MIXERS, RATES, relative
from pages.sections.local_conv import race_pictures, race_runs
from pages.shared import charts
from pages.shared.charts import BandLine, base
from pages.shared.charts.bands import BEYOND
from tests.pages import specs

X = np.array([3, 4, 5])
LINES = [
    BandLine(
        "z", "gru", X, np.array([1.0, 0.1, np.nan]), np.array([0.5, 0.1, 0.0]), np.array([1.0, 0.2, 0.1])
    ),
    BandLine("conv", "conv", X, np.array([1.0, 0.0, 0.0])),
    BandLine(
        "dilated",
        "conv",
        X,
        low=np.array([0.1, 0.2, 0.3]),
        high=np.array([0.2, 0.3, 0.4]),
        dash=charts.DASHED,
    ),
]
TITLES = ("words back", "share")


def drawn(picture, name):
    return picture.data[picture.data["name"] == name]


def test_shares_are_drawn_where_they_are_on_an_axis_from_0_to_1():
    picture = charts.bands(LINES, TITLES, (3, 5), ticks=(3, 5))
    np.testing.assert_array_equal(drawn(picture, "z")["value_there"], [1.0, 0.1, np.nan])
    np.testing.assert_array_equal(drawn(picture, "z")["low_there"], [0.5, 0.1, 0.0])
    assert drawn(picture, "dilated")["value"].isna().all() and drawn(picture, "conv")["low"].isna().all()
    for channel, given in specs.channels(picture.spec):
        if channel == "y":
            assert given["scale"]["domain"] == [0, 1]
        if channel == "x":
            assert given["axis"]["values"] == [3, 5]


def test_an_axis_may_end_at_another_top_where_larger_values_are_drawn():
    line = BandLine("a", "mlp", X, np.array([20.0, 1.5, np.nan]), np.zeros(3), np.array([21.0, 3.0, 2.0]))
    picture = charts.bands([line], TITLES, (3, 5), top=3.0)
    np.testing.assert_array_equal(picture.data["value_there"], [3.0, 1.5, np.nan])
    np.testing.assert_array_equal(picture.data["high_there"], [3.0, 3.0, 2.0])
    np.testing.assert_array_equal(picture.data["value"], [20.0, 1.5, np.nan])  # what the pointer tells
    ends = [given["scale"]["domain"] for channel, given in specs.channels(picture.spec) if channel == "y"]
    assert ends and all(end == [0, 3] for end in ends)


def test_exact_zeros_have_a_place_of_their_own_below_all_powers_of_ten():
    picture = charts.bands(LINES, TITLES, (3, 5), powers=(-3, 0, "none"))
    np.testing.assert_array_equal(drawn(picture, "conv")["value_there"], [0, -4, -4])
    np.testing.assert_allclose(drawn(picture, "z")["high_there"], [0, np.log10(0.2), -1])
    tiny = charts.bands(
        [BandLine("a", "rnn", X, np.array([1e-9, 0.0, 50.0]))], TITLES, (3, 5), powers=(-3, 0, "0")
    )
    np.testing.assert_allclose(tiny.data["value_there"], [-3.4, -4, 0.4])  # what is not 0 is not drawn as 0
    (axis,) = {
        str(g["axis"]) for channel, g in specs.channels(picture.spec) if channel == "y" and "axis" in g
    }
    assert "['none', '10⁻³', '10⁻²', '0.1', '1']" in axis
    assert "[-4, -3, -2, -1, 0]" in axis


def test_names_keep_their_order_and_their_hue_and_two_of_one_hue_differ_in_their_dash():
    picture = charts.bands(LINES, TITLES, (3, 5), at=4, edge=(4.5, "it's the edge"))
    names = [line.name for line in LINES]
    for channel, given in specs.channels(picture.spec):
        if channel == "color":
            places = [given["scale"]["domain"].index(name) % len(base.HUES) for name in names]
            assert [base.HUES[place] for place in places] == ["gru", "conv", "conv"]
            assert given["legend"]["values"] == names
    (dash,) = [given for channel, given in specs.channels(picture.spec) if channel == "strokeDash"]
    looks = dict(zip(dash["scale"]["domain"], dash["scale"]["range"], strict=True))
    assert looks["conv"] != looks["dilated"]
    assert {"name": "at", "value": 4} in picture.spec["params"]
    assert [unit["name"] for unit in specs.layers(picture.spec) if "name" in unit] == [
        "here",
        "here",
        "on_ground",
    ]
    assert specs.broken_rules(picture.spec, picture.data) == {}


def test_the_axis_of_the_race_has_room_for_all_that_is_recorded():
    least, most = race_pictures.POWERS
    for name, rate in product(MIXERS, RATES):
        signals = relative(race_runs.recorded_values(name, "signal", rate))
        there = np.log10(signals[signals > 0])
        assert least - BEYOND < there.min() and there.max() < most + BEYOND
