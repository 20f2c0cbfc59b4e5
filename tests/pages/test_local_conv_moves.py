"""What the pictures of the moving referent and of the fading word decide."""

import numpy as np
import pytest

from pages.shared.charts.base import HUES, named_colour
from pages.shared.charts.gains import LEAST, MOST, OVER, ZERO, gain_curves, two_digits
from pages.shared.charts.offsets import offset_bars
from pages.shared.charts.two_readings import two_readings
from tests.pages.specs import broken_rules

HUNGRY = ("dog", "chased", "cat", ",", "because", "it", "hungry")
FLED = (*HUNGRY[:-1], "fled")


def readings(look):
    return two_readings(
        [(HUNGRY, 5, 0), (FLED, 5, 2)], look, ["he who acts", "the other"], ["upper", "lower"]
    )


def rows(picture, kind):
    return picture.data[picture.data["kind"] == kind]


def test_the_link_moves_and_the_look_stays():
    picture = readings(5)
    assert rows(picture, "meant_head")["x"].tolist() == [1, 3]
    assert rows(picture, "look_head")["x"].tolist() == [1, 1]
    assert rows(picture, "look_head")["lit"].tolist() == [True, False]  # right for the dog alone
    upper, lower = rows(picture, "label")["y"]
    assert upper > lower
    assert rows(picture, "reason")["name"].tolist() == ["he who acts", "the other"]
    assert rows(picture, "label")["name"].tolist() == ["upper", "lower"]


def test_marked_words_are_those_of_each_reading():
    role = rows(readings(3), "role")
    assert role.loc[role["hue"] == "key", "name"].tolist() == ["dog", "cat"]
    assert role.loc[role["hue"] == "query", "name"].tolist() == ["it", "it"]


def test_a_look_beyond_the_first_word_ends_at_the_border_and_is_wrong():
    head = rows(readings(9), "look_head")
    assert head["x"].tolist() == [0.5, 0.5]
    assert not head["lit"].any()


def bars(fixed, at):
    fixed = np.array(fixed)
    windows = [("nearest", fixed.cumsum()), ("both", fixed)]
    return offset_bars(fixed, windows, 10, at, ("k", "share", "fixed"))


def test_the_best_and_the_chosen_bar_stand_out():
    bar = rows(bars([0, 1, 5, 0, 4], at=5), "bar")
    assert bar["share"].tolist() == [0, 0.1, 0.5, 0, 0.4]
    assert bar.loc[bar["lit"], "k"].tolist() == bar.loc[bar["numbered"], "k"].tolist() == [3, 5]


def test_of_two_neighbours_the_best_has_the_number_and_of_equals_the_nearest():
    bar = rows(bars([0, 5, 3, 5], at=3), "bar")
    assert bar.loc[bar["lit"], "k"].tolist() == [2, 3]
    assert bar.loc[bar["numbered"], "k"].tolist() == [2]


SERIES = [
    ("conv", "conv", False, np.array([0.5, 0.1, 0.0, 0.0])),
    ("a", "attention", False, np.array([1.0, 1e-3, 1e-9, 1e-11])),
    ("b", "attention", True, np.array([0.25] * 4)),
]


ENDS = ("exactly 0", "overflow")


def test_exact_zeros_have_a_place_of_their_own_and_small_numbers_leave():
    picture = gain_curves(SERIES, ("t", "size"), 2, ENDS)
    zero = rows(picture, "zero")
    assert zero["t"].tolist() == [2, 3] and set(zero["name"]) == {"conv"} and set(zero["there"]) == {ZERO}
    line = rows(picture, "line")
    assert line.groupby("name")["t"].max().to_dict() == {"conv": 1, "a": 2, "b": 3}
    assert line["there"].between(LEAST, MOST).all()
    assert dict(zip(rows(picture, "at")["name"], rows(picture, "at")["there"], strict=True)) == {
        "conv": ZERO,
        "a": 1e-9,
        "b": 0.25,
    }


def what_the_axis_says(picture):
    layer = next(layer for layer in picture.spec["layer"] if layer["mark"]["type"] == "line")
    axis = layer["encoding"]["y"]["axis"]
    return axis["values"], axis["labelExpr"], layer["encoding"]["y"]["scale"]["domain"]


def test_what_is_no_number_any_more_is_drawn_above_all_and_called_overflow():
    """Fault 31: 3 to the power 700 is more than a float64 holds."""
    with np.errstate(over="ignore"):
        sizes = 3.0 ** np.array([0, 5, 40, 700])
    grown = [("rnn", "rnn", False, sizes), ("b", "attention", False, [0.25, 0.25, 0.25, np.nan])]
    picture = gain_curves(grown, ("t", "size"), 3, ENDS)
    over = rows(picture, "over")
    assert over[["name", "t"]].values.tolist() == [["rnn", 3], ["b", 3]]
    assert set(over["there"]) == {OVER}
    assert rows(picture, "line")["t"].tolist() == [0, 1, 0, 1, 2]  # 3 to the power 40 leaves the picture
    assert set(rows(picture, "at")["there"]) == {OVER}
    values, said, domain = what_the_axis_says(picture)
    assert OVER in values and "'overflow'" in said and domain[1] > OVER
    values, said, domain = what_the_axis_says(gain_curves(SERIES, ("t", "size"), 2, ENDS))
    assert OVER not in values and "overflow" not in said and domain[1] == MOST


def test_two_series_may_share_a_hue():
    """The theme's ten colours come round again: place 4 and place 14 look the same."""
    colour = named_colour([(name, hue) for name, hue, *_ in SERIES]).to_dict()
    domain = colour["scale"]["domain"]
    assert domain.index("a") == HUES.index("attention")
    assert domain.index("b") == HUES.index("attention") + len(HUES)
    assert len(set(domain)) == len(domain) == 2 * len(HUES)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.787, "0.79"),
        (0.0154, "0.015"),
        (1.0, "1"),
        (117.4, "120"),
        (999.6, "1.0 × 10³"),
        (9.6e4, "9.6 × 10⁴"),
        (7.66e-5, "7.7 × 10⁻⁵"),
        (5.26e-13, "5.3 × 10⁻¹³"),
    ],
)
def test_two_digits_that_count(value, text):
    assert two_digits(value) == text


@pytest.mark.parametrize(
    "picture", [readings(3), bars([0, 1, 5], at=1), gain_curves(SERIES, ("t", "size"), 1, ENDS)]
)
def test_specs_keep_the_rules(picture):
    assert broken_rules(picture.spec, picture.data) == {}
