"""Decisions of the pictures of page 3, as data: what is clipped, framed, blocked and listed."""

import math

import numpy as np
import pytest

from pages.shared import charts
from tests.pages import app


def scale_of(layer, channel):
    return layer["encoding"][channel]["scale"]


def test_vectors_list_every_number_under_its_vector():
    picture = charts.vectors([("q", "query", [6.0, 0.0, -1.5]), ("k", "key", [0.0, 1.0, 0.0])], "abc")
    rows = picture.data[["vector", "part", "hue", "feature", "value"]].values.tolist()
    assert rows[0] == [1, 1, "query", "a", 6.0]
    assert rows[2] == [1, 3, "query", "c", -1.5]
    assert rows[4] == [2, 2, "key", "b", 1.0]
    scale = scale_of(picture.spec["layer"][0], "x")
    assert scale["domain"] == [-6, 6]
    assert scale["range"][0] >= 100  # px: room on the left for what is written beside a negative bar


def test_vectors_of_nothing_but_zeros_have_an_axis():
    picture = charts.vectors([("q", "query", [0.0, 0.0])], "ab")
    scale = scale_of(picture.spec["layer"][0], "x")
    assert scale["domain"] == [0, 1]
    assert scale["range"][0] == 0


def test_moves_lead_from_the_old_place_to_the_new_one():
    picture = charts.moves(("a", "b", "a"), [2, 0, 1], ("before", "after"))
    assert picture.data[["old", "new", "token"]].values.tolist() == [[3, 1, "a"], [1, 2, "a"], [2, 3, "b"]]
    named = {param["name"]: param["value"] for param in picture.spec["params"]}
    assert named == {"before": ["a", "b", "a"], "after": ["a", "a", "b"]}


@pytest.mark.parametrize(
    ("word", "n", "label"),
    [("w", 4, 16), ("w" * 30, 10, 16), ("猫" * 8, 11, 8 * 16 * math.sin(math.radians(60)))],
)
def test_long_words_leave_room_for_the_ways(word, n, label):
    """Labels of 16 px; from 11 words on they lean by 60 degrees and stand high on either side."""
    picture = charts.moves((word,) * n, range(n), ("before", "after"))
    assert 80 < picture.spec["height"] - 2 * label < 200


@pytest.mark.parametrize("n", [1, 64])
def test_changes_keep_zero_and_the_limit_on_the_log_axis(n):
    differences = np.zeros(n)
    differences[-1] = 0.5
    picture = charts.changes(["w"] * n, differences, ("word", "change"), 1e-12)
    bars, rule = picture.spec["layer"]
    low, high = scale_of(bars, "y")["domain"]
    assert (picture.data["shown"] > low).all()  # log 0 would be nowhere
    assert picture.data["shown"].iloc[-1] == 0.5
    assert low < rule["encoding"]["y"]["datum"] == 1e-12 < high
    assert picture.data["difference"].iloc[-1] == 0.5


def test_a_marked_row_is_one_frame_over_the_same_grid():
    plain = charts.weights_map(np.full((3, 3), 1 / 3), "abc", "abc", ("q", "k", "w"))
    marked = charts.mark_row(plain, 2)
    assert marked.spec["layer"][:-1] == plain.spec["layer"]
    assert marked.spec["layer"][-1]["transform"] == [{"filter": "datum.row == 2 && datum.column == 1"}]
    assert marked.columns is plain.columns


@pytest.mark.parametrize(("n", "has_signs"), [(3, True), (64, False)])
def test_blocked_cells_are_grey_and_carry_a_sign_only_where_there_is_room(n, has_signs):
    masked = np.where(np.tri(n, dtype=bool), 0.5, -np.inf)
    picture = charts.scores_map(masked, ["w"] * n, ["w"] * n, ("q", "k", "s"), 3)
    assert picture.data["value"].isna().sum() == n * (n - 1) // 2
    grey = [layer for layer in picture.spec["layer"] if "fill" in layer["encoding"]]
    assert len(grey) == 1
    signs = [layer for layer in picture.spec["layer"] if layer.get("name") == "on_ground"]
    assert bool(signs) is has_signs


@pytest.mark.parametrize(
    ("words", "is_told"), [("猫 被 狗 追 ， 因为 它 饿了", True), ("狗 追 猫 ， 因为 它 饿了", False)]
)
def test_a_passive_is_said_to_be_unpractised(words, is_told):
    inputs = {"self_attention.link_sentence": "own", "self_attention.link_words": words}
    at = app.open_app("self_attention", "zh", inputs)
    assert any("“被”字句" in caption.value for caption in at.caption) is is_told


def test_a_sentence_that_is_cut_before_its_pronoun_is_said_to_lack_one():
    """What is shown then is a sentence of ours, so both is said."""
    words = " ".join(["狗", *["今天"] * 70, "因为 它 饿了"])
    inputs = {"self_attention.link_sentence": "own", "self_attention.link_words": words}
    captions = [caption.value for caption in app.open_app("self_attention", "zh", inputs).caption]
    assert any("这句话有 74 个词，只取前 64 个" in caption for caption in captions)
    assert any("要有一个“它”" in caption for caption in captions)
