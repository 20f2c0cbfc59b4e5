"""What the tower of page 1 and the stairs beside it decide: what is lit, what is left out, what is marked."""

import numpy as np
import pytest

from core.costs import layers_to_reach
from core.experiments.local_conv import dilations, links, receptive_field, route
from pages.shared.charts.reach import MAX_LINKS, reach_map
from pages.shared.charts.stairs import stairs
from pages.shared.charts.word_axis import column_width, width

TITLES = ("layer", "word", "attention: 1 layer", "heard", "not heard")
TIRED = ("猫", "累了", "，", "因为", "它", "跑了", "一天")


def tower(tokens, asks, answer, k=3, n_layers=2, doubling=False):
    gaps = dilations(n_layers, doubling)
    field = receptive_field(len(tokens), asks, k, gaps)
    way = route(len(tokens), asks, answer, k, gaps)
    return reach_map(tokens, asks, answer, field, links(field, k, gaps), way, TITLES)


def rows(picture, kind):
    return picture.data[picture.data["kind"] == kind]


def parameters(picture):
    return {param["name"]: param["value"] for param in picture.spec["params"]}


def test_every_word_has_a_cell_in_every_row_and_the_heard_ones_are_lit():
    cells = rows(tower(TIRED, 4, 0), "cell")
    assert len(cells) == 3 * 7
    lit = cells[cells["lit"]]
    # k = 3, two layers, read at the fifth word: words 3-7, then 4-6, then 5.
    assert sorted(zip(lit["y"], lit["x"], strict=True)) == [
        *((0, x) for x in range(3, 8)),
        *((1, x) for x in range(4, 7)),
        (2, 5),
    ]
    assert set(lit["hue"]) == {"conv"}
    assert set(cells[~cells["lit"]]["hue"]) == {"neutral"}


def test_the_two_words_are_marked_in_the_hues_of_query_and_key():
    picture = tower(TIRED, 4, 0)
    ring = rows(picture, "ring")
    assert [*zip(ring["hue"], ring["x"], ring["y"], strict=True)] == [("key", 1, 0), ("query", 5, 2)]
    role = rows(picture, "role")
    assert dict(zip(role["hue"], role["name"], strict=True)) == {"key": "猫", "query": "它"}


@pytest.mark.parametrize(("asks", "answer"), [(4, 0), (0, 6), (2, 3)])
def test_attention_runs_from_the_asking_to_the_wanted_word_at_any_distance(asks, answer):
    picture = tower(TIRED, asks, answer)
    arc = rows(picture, "arc")
    assert arc["x"].iloc[0] == pytest.approx(asks + 1)
    assert arc["x"].iloc[-1] == pytest.approx(answer + 1)
    assert rows(picture, "head")["x"].item() == pytest.approx(answer + 1)
    assert set(arc["hue"]) == {"attention"}
    assert (arc["y"] < 0).all()  # below the words, where no layer of convolution is


def test_a_word_that_looks_for_itself_gets_a_loop():
    arc = rows(tower(TIRED, 4, 4), "arc")
    assert arc["x"].min() < 5 < arc["x"].max()
    assert arc["x"].max() - arc["x"].min() < 1  # it stays in its own column


@pytest.mark.parametrize(("n_layers", "reached"), [(3, False), (4, True)])
def test_the_way_tells_whether_it_arrives(n_layers, reached):
    way = rows(tower(TIRED, 4, 0, n_layers=n_layers), "route")
    assert len(way) == n_layers
    assert set(way["lit"]) == {reached}


def test_lines_are_left_out_before_they_become_a_grey_mass_but_the_way_never_is():
    tokens = [str(i) for i in range(64)]
    crowded = tower(tokens, 63, 0, k=9, n_layers=12)
    assert rows(crowded, "link").empty
    assert len(rows(crowded, "route")) == 12
    few = rows(tower(TIRED, 4, 0), "link")
    assert len(few) == 3 + 3 * 3  # the asking word's three looks, then three of each of the three cells
    assert len(crowded.data) < 13 * 64 + MAX_LINKS + 200


def test_equal_words_stay_apart_and_are_shown_letter_for_letter():
    picture = tower(("a", "<b>", "a", "$x$"), 2, 0)
    labels = picture.data[picture.data["kind"].isin(["word", "role"])]
    assert labels.sort_values("x")["name"].tolist() == ["a", "<b>", "a", "$x$"]


def test_one_word_alone_is_drawn():
    picture = tower(("😀",), 0, 0)
    assert rows(picture, "cell")["lit"].all()
    assert parameters(picture)["n"] == 1


def test_labels_get_the_room_that_their_signs_take():
    assert width("because") == 7 * 8
    assert width("因为") == 2 * 16
    # Neighbours share two columns: (2 * 8 + 6 + 7 * 8 + 6) / 2 = 42; by turns in two lines, "it" meets "or":
    # (22 + 22) / 2 over two columns = 11.
    assert column_width(["it", "because", "or"]) == 42
    assert column_width(["it", "because", "or"], lines=2) == 11
    assert column_width(["it"]) == 0


def test_specs_are_shared_by_sentences_of_one_size_of_tower():
    one, other = tower(TIRED, 4, 0), tower(("a", "b", "c"), 2, 0)
    assert one.spec["layer"] is other.spec["layer"]
    assert one.spec["layer"] is not tower(TIRED, 4, 0, n_layers=3).spec["layer"]


def test_stairs_mark_the_distance_on_each_of_them():
    contiguous = [layers_to_reach(t, 3) for t in range(1, 33)]
    dilated = [layers_to_reach(t, 3, growth=2) for t in range(1, 33)]
    series = [
        ("c", "conv", False, contiguous),
        ("d", "conv", True, dilated),
        ("a", "attention", False, [1] * 32),
    ]
    picture = stairs(series, ("distance", "layers", "at 12:"), 12)
    here = rows(picture, "here")
    assert dict(zip(here["name"], here["y"], strict=True)) == {"c": 12, "d": 4, "a": 1}
    assert set(here["x"]) == {12}
    assert len(rows(picture, "stair")) == 3 * 32
    assert rows(picture, "name")["name"].tolist() == ["c", "d", "a"]
    assert rows(stairs(series, ("distance", "layers", "at 0:"), 0), "here").empty
    y = picture.spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert y[0] == 0
    assert y[1] > np.max(contiguous)
