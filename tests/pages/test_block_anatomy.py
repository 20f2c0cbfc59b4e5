"""The tower is drawn as described: boxes upwards, lines past what they lead past, texts in their place."""

import pytest

from pages.shared.charts import Box, tower
from pages.shared.charts.tower import HALF, LANE, LEFT, NOTES, RIGHT

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
