"""The tower is drawn as described: boxes upwards, lines past what they lead past, texts in their place.

Below it: numbers over dozens of powers of ten, and dots that show whether a distance alone decides.
"""

import numpy as np
import pytest

from pages.sections.block_anatomy import tiny_gpt
from pages.shared.charts import Box, decades, distance_dots, shares, tower, written
from pages.shared.charts.decades import powers_between
from pages.shared.charts.tower import HALF, LANE, LEFT, NOTES, RIGHT
from tests.pages import specs

BOXES = [
    Box("input", "7 × 16", ("mean 0", "spread 1")),
    Box("attention", "7 × 16", ("mean 2", "spread 3"), "attention", True),
    Box("sum", "7 × 16", ("mean 4", "spread 5")),
]


def rows(picture, kind):
    return picture.data[picture.data["kind"] == kind]


def test_boxes_stand_in_order_from_the_bottom_and_never_touch():
    boxes = rows(tower(BOXES), "box")
    assert list(boxes["text"]) == ["input", "attention", "sum"]
    assert list((boxes["y"] + boxes["y2"]) / 2) == pytest.approx([1, 2, 3])
    assert (boxes["y2"].to_numpy()[:-1] < boxes["y"].to_numpy()[1:]).all()
    assert list(boxes["marked"]) == [False, True, False]
    assert list(boxes["hue"]) == ["neutral", "attention", "neutral"]


def test_every_box_carries_its_four_texts():
    texts = rows(tower(BOXES), "text")
    assert list(texts["text"])[4:8] == ["attention", "7 × 16", "mean 2", "spread 3"]
    within = texts[texts["align"] == "center"]
    assert within["x"].between(LEFT, RIGHT).all()
    assert (texts[texts["align"] == "left"]["x"] == NOTES).all()
    assert ((texts["y"] - texts["y"].round()).abs() < HALF).all()


def test_a_bypass_leaves_one_box_and_enters_the_other():
    picture = tower(BOXES, [(0, 2)])
    path = rows(picture, "bypass").sort_values("order")
    assert list(path["x"].iloc[[0, 1, 2]]) == [LEFT, LANE, LANE]
    assert abs(path["y"].iloc[0] - 1) < HALF
    assert abs(path["y"].iloc[-1] - 3) < HALF
    assert rows(tower(BOXES), "bypass").empty


def test_two_bypasses_do_not_meet_at_their_common_box():
    data = rows(tower([*BOXES, *BOXES[1:]], [(0, 2), (2, 4)]), "bypass")
    ends = data.groupby("path")["y"].agg(["min", "max"])
    assert ends["max"].iloc[0] < ends["min"].iloc[1]


def test_steps_are_joined_by_one_arrow_less_than_there_are_boxes():
    picture = tower(BOXES)
    assert len(rows(picture, "stem")) == len(rows(picture, "up")) == 2
    assert rows(tower(BOXES[:1]), "up").empty


def test_domains_are_fixed_and_everything_lies_within():
    """A scale without data has an infinite extent, and the browser says so."""
    picture = tower(BOXES, [(0, 2)])
    for layer in picture.spec["layer"]:
        assert layer["encoding"]["x"]["scale"]["domain"] == [0, 100]
        assert layer["encoding"]["y"]["scale"]["domain"] == [0.5, 3.5]
    assert picture.data["x"].between(0, 100).all()
    assert not picture.data.isna().any(axis=None)


def test_one_spec_serves_all_towers_of_a_height():
    """What is drawn lies in the table, so that the spec is built once."""
    other = [box._replace(name="$x$ <b>", marked=False) for box in BOXES]
    assert tower(BOXES, [(0, 1)]).spec is tower(other).spec


def test_texts_take_the_ink_of_the_page():
    named = [layer.get("name") for layer in tower(BOXES).spec["layer"] if layer["mark"]["type"] == "text"]
    assert named == ["on_ground"]


# --- powers of ten ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.01, "0.01"),
        (0.834, "0.83"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (16.04, "16.0"),
        (99.97, "100"),
        (2811.4, "2,811"),
        (9999.6, "1.0 × 10⁴"),
        (7.02e13, "7.0 × 10¹³"),
        (9.96e-17, "1.0 × 10⁻¹⁶"),
        (0.0096, "9.6 × 10⁻³"),
    ],
)
def test_numbers_in_sentences(value, text):
    assert written(value) == written(np.float64(value)) == text


@pytest.mark.parametrize(
    ("low", "high", "powers"),
    [
        (-0.3, 0, (-1, 0)),
        (0, 0, (0, 1)),
        (0.1, 3.4, (0, 1, 2, 3, 4)),
        (-15.4, 0.2, (-20, -15, -10, -5, 0, 5)),
        (-117, 0, (-120, -100, -80, -60, -40, -20, 0)),
    ],
)
def test_labels_enclose_all_values_and_are_few(low, high, powers):
    assert powers_between(low, high) == powers


SERIES = [("with", "output"), ("without", "neutral")]
TITLES = ("blocks passed", "gradient", "input")


def names(picture):
    return {layer["name"] for layer in picture.spec["layer"] if "name" in layer}


def test_each_line_begins_at_the_input_and_is_drawn_by_its_power_of_ten():
    picture = decades([np.array([1.0, 10, 1000]), np.array([1.0, 0.1, 1e-60])], SERIES, TITLES)
    assert list(picture.data["x"]) == [0, 1, 2] * 2
    assert list(picture.data["y"]) == [0, 1, 3, 0, -1, -60]
    assert list(picture.data["value"]) == [1, 10, 1000, 1, 0.1, 1e-60]
    assert list(picture.data["name"]) == ["with"] * 3 + ["without"] * 3
    assert not names(picture)


def test_what_rounding_leaves_is_marked_and_0_has_a_place():
    """float64 is spaced by 2.2e-16 at 1; there is no line where no value comes near it."""
    lines = [np.array([0.8, 0.5]), np.array([0.8, 0.0])]
    picture = decades(lines, SERIES, TITLES, rounding="rounding error")
    assert names(picture) == {"here", "on_ground"}
    assert list(picture.data["y"]) == pytest.approx([np.log10(0.8), np.log10(0.5), np.log10(0.8), -17])
    assert list(picture.data["value"]) == [0.8, 0.5, 0.8, 0]
    assert not names(decades([np.array([0.8, 1e-9])] * 2, SERIES, TITLES, rounding="rounding error"))


# --- distances ----------------------------------------------------------------------------------------------


def params(picture):
    return {param["name"]: param["value"] for param in picture.spec["params"]}


def test_a_dot_a_distance_with_a_bar_from_least_to_most():
    least, most = np.array([1.0, 2, 1]), np.array([1.0, 4, 1])
    picture = distance_dots(
        np.array([-1, 0, 1]), least, (least + most) / 2, most, ("x", "y", "least", "most")
    )
    assert list(picture.data["x"]) == [-1, 0, 1]
    assert list(picture.data["y"]) == [1, 3, 1]
    ends = params(picture)
    assert ends["reach"] == 2
    assert ends["low"] < 0 < 4 < ends["high"]


def test_one_position_whose_product_is_0_has_an_axis_too():
    zero = np.zeros(1)
    ends = params(distance_dots(np.array([0]), zero, zero, zero, ("x", "y", "least", "most")))
    assert (ends["reach"], ends["low"], ends["high"]) == (1, -1, 1)


# --- shares -------------------------------------------------------------------------------------------------


PARTS = [("z", "output"), ("a", "mlp"), ("m", "neutral")]
OF_WHAT = ("model", "part", "share")


def test_parts_fill_a_bar_from_the_left_in_the_order_given():
    picture = shares([("x", (1, 1, 2)), ("x", (0, 3, 1))], PARTS, OF_WHAT, marked=1)
    data = picture.data
    assert list(data["name"]) == ["z", "a", "m"] * 2
    assert list(data["share"]) == [0.25, 0.25, 0.5, 0, 0.75, 0.25]
    assert list(data["start"]) == [0, 0.25, 0.5, 0, 0, 0.75]
    assert list(data["end"]) == [0.25, 0.5, 1, 0, 0.75, 1]
    assert list(data["place"]) == [1] * 3 + [2] * 3  # equal names stay apart
    assert list(data["marked"]) == [False] * 3 + [True] * 3
    assert params(picture)["names"] == ["x", "x"]
    assert specs.broken_rules(picture.spec, data) == {}
    assert specs.text_without_tooltip(picture.spec) == []


def test_shares_of_many_counts_never_leave_the_bar():
    counts = np.random.default_rng(0).integers(0, 10**11, (50, 3))
    data = shares([("x", tuple(map(int, row))) for row in counts], PARTS, OF_WHAT).data
    assert data["end"].max() <= 1
    assert list(data["end"][2::3]) == pytest.approx([1] * 50)


def test_one_spec_serves_all_rows_and_marks():
    one, two = (shares([("x", (1, 2, 3))], PARTS, OF_WHAT, marked) for marked in (None, 0))
    assert one.spec["layer"] is two.spec["layer"]


# --- the tiny GPT's characters


@pytest.mark.parametrize(
    ("sign", "seen"),
    [
        ("猫", "猫"),
        ("a", "a"),
        (" ", "␣"),
        ("\n", "⏎"),
        ("\u200d", "U+200D"),
        ("\ufe0f", "U+FE0F"),
        ("\u3000", "U+3000"),
    ],
)
def test_every_character_can_be_seen(sign, seen):
    assert tiny_gpt.visible(sign) == seen
