"""Decisions of the charts of page 5, and its measured section with nothing, some and all of the records."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.costs import LAYERS
from core.costs_measured import ROUNDS, SIZES
from pages.shared import live_run
from pages.shared.charts.costs import POWERS, CostLine, cost_curves
from pages.shared.charts.label_places import name_places, room_for_ends, spread_apart, whole_powers
from pages.shared.text import Words
from tests.pages import app

DEFAULTS = {"n": 1024, "d": 64, "k": 3, "projections": False, "fit_from": 256}
N = np.array([16, 64, 256])


def line(cost, **more):
    return CostLine("a", "attention", N[: len(cost)], np.array(cost, float), **more)


def kinds(picture, kind):
    return picture.data[picture.data["kind"] == kind]


def layer_of(picture, mark):
    return next(layer for layer in picture.spec["layer"] if layer["mark"]["type"] == mark)


# --- decisions --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "bounds"),
    [([20, 300], (10, 1000)), ([10, 1000], (10, 1000)), ([0.02], (0.01, 0.1)), ([9.99, 10.01], (1, 100))],
)
def test_whole_powers_hold_all_values(values, bounds):
    assert whole_powers(np.array(values)) == pytest.approx(bounds)


def test_texts_at_the_ends_are_kept_apart_from_the_lowest_up():
    # Bounds of 4 decades and a gap of a quarter: one decade at least between two texts.
    apart = spread_apart([30, 10, 1000, 20], (1, 1e4), gap=0.25)
    np.testing.assert_allclose(apart, [1000, 10, 1e4, 100])


def test_texts_that_are_apart_stay_where_they_are():
    np.testing.assert_allclose(spread_apart([1000, 10], (1, 1e4), gap=0.25), [1000, 10])


def test_names_stand_above_rising_lines_on_the_left_and_below_them_on_the_right():
    bounds = (1, 1e4)
    places = name_places([10, 10, 500, 5000], (10, 10_000), bounds)  # at 0, 0, .57 and .9 of the width
    assert [side for side, _ in places] == ["left", "left", "left", "right"]
    first, second, third, fourth = (y for _, y in places)
    assert bounds[1] > first > second > 1e3
    assert bounds[0] < third < fourth < 10


def test_there_is_room_beside_the_last_point():
    # 1 ... 10^7.8 on 78 % of the width are 7.8 decades of 10.
    assert room_for_ends([1, 10, 10**7.8]) == pytest.approx(1e10)


# --- the picture ------------------------------------------------------------------------------


def test_points_of_all_lengths_or_of_the_one_asked_for():
    every = cost_curves([line([1, 4, 16])], ("n", "cost"), N, least=(1, 10))
    assert list(kinds(every, "point")["x"]) == [16, 64, 256]
    one = cost_curves([line([1, 4, 16])], ("n", "cost"), N, least=(1, 10), at=64)
    assert list(kinds(one, "point")["y"]) == [4]
    assert list(kinds(one, "line")["y"]) == [1, 4, 16]


def test_the_cost_axis_grows_by_powers_of_ten_when_a_cost_lies_outside():
    def domain(costs):
        picture = cost_curves([line(costs)], ("n", "cost"), N, least=(1, 10))
        return layer_of(picture, "text")["encoding"]["y"]["scale"]["domain"]

    assert domain([2, 3, 4]) == [1, 10]
    assert domain([0.5, 3, 40]) == pytest.approx([0.1, 100])


def test_fits_reach_over_all_lengths_and_end_in_their_label():
    fit = np.array([1.0, 4, 16])
    picture = cost_curves([line([1, 4], end="n^1.00", fit=fit)], ("n", "cost"), N, least=(1, 100))
    assert list(kinds(picture, "fit")["y"]) == [1, 4, 16]
    end = kinds(picture, "end").iloc[0]
    assert (end["x"], end["y"], end["text"], end["long"]) == (256, 16, "n^1.00", "a n^1.00")


def test_nothing_measured_is_still_a_picture_with_axes():
    picture = cost_curves([line([])], ("n", "cost"), N, least=(1, 10), rules=[(64, "here")])
    assert set(picture.data["kind"]) == {"rule", "left"}
    assert picture.data["x"].dtype == picture.data["y"].dtype == float
    assert all(len(layer["encoding"]) for layer in picture.spec["layer"])


def test_the_shade_ends_where_the_fit_begins():
    shaded = cost_curves([line([1, 4])], ("n", "cost"), N, least=(1, 10), unfitted=(64, "not fitted"))
    assert {"name": "pale_to", "value": 64} in shaded.spec["params"]
    assert layer_of(shaded, "rect")["encoding"]["x2"]["field"] == "x2"
    assert "opacity" not in layer_of(shaded, "rect")["mark"]  # the legend would fade with it
    assert "not fitted" in set(shaded.data["text"])
    plain = cost_curves([line([1, 4])], ("n", "cost"), N, least=(1, 10))
    assert all(layer["mark"]["type"] != "rect" for layer in plain.spec["layer"])


def test_powers_are_written_with_small_digits():
    assert POWERS[:4] == ["1", "10", "10²", "10³"]
    assert POWERS[14] == "10¹⁴"


# --- the measured section ---------------------------------------------------------------------


def records(overhead=1e-6, n_records=None):
    """A run as the child would tell it.

    Attention takes 1 ns for every pair of words, the RNN `overhead` s a word: they cross at overhead / 1 ns.
    """
    seconds = {"attention": lambda n: 1e-9 * n * n, "rnn": lambda n: overhead * n, "conv": lambda n: 1e-7 * n}
    size = {"attention": lambda n: 8 * n * n, "rnn": lambda n: 768 * n, "conv": lambda n: 512 * n}
    told = [
        {"layer": layer, "n": n, "seconds": seconds[layer](n), "bytes": size[layer](n)}
        for _ in range(ROUNDS)
        for n in SIZES
        for layer in LAYERS
    ]
    machine = {"system": "Linux", "python": "3.11", "numpy": "2.4", "blas": "openblas"}
    return [*told, {"machine": machine}] if n_records is None else told[:n_records]


@pytest.fixture(scope="module")
def page():
    """The page, opened once, and the run that it asks for."""
    run = SimpleNamespace(seen=[], done=True, failed=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live_run, "child_run", lambda module: run)
        yield app.open_app("bias_and_cost", "en"), run


@pytest.fixture
def show(page):
    """Look at the page with some records and some inputs; all others stand at their defaults."""

    def show(seen, done=True, failed=False, **inputs):
        at, run = page
        run.seen, run.done, run.failed = seen, done, failed
        for name, value in (DEFAULTS | inputs).items():
            at.session_state[f"bias_and_cost.{name}"] = value
        at.run()
        assert not at.exception and not at.error
        assert len(at.get("vega_lite_chart")) == 3
        return at

    return show


def said(at):
    return " ".join([element.value for kind in (at.info, at.markdown, at.caption) for element in kind])


def test_all_measured(show):
    at = show(records(overhead=0.5e-6))
    assert "break even at n = d = 64, measured at n ≈ 500" in said(at)  # .5 us / 1 ns
    assert "fitted from n = 256 on: attention n^2.00, RNN n^1.00, convolution n^1.00" in said(at)
    # 8 n^2 bytes are 128 MiB at n = 4096, and 8 * 4096 / 512 = 64 times as much as 512 n bytes.
    assert "attention takes 128 MiB, 64 times as much as convolution" in said(at)
    assert "Linux, Python 3.11, NumPy 2.4, openblas" in said(at)
    # At n = 4096: attention 4 * 4096^2 * 64 operations in 4096^2 ns are 256 a ns; the RNN 4 * 64^2 a .5 us.
    table = at.table[-1].value
    assert list(table["time"]) == ["2.00", "1.00", "1.00"]
    assert list(table.iloc[:, -1]) == ["256.0", "32.8", "245.8"]
    assert not at.warning and not at.get("progress")


@pytest.mark.parametrize("count", [0, 1, 14])
def test_while_it_runs(show, count):
    at = show(records(n_records=count), done=False)
    assert at.get("progress")[0].proto.text == f"Measuring: {count} of 81 done"
    assert "each point appears as it is measured" in said(at)
    assert "break even at n = d = 64, measured" not in said(at)
    assert list(at.table[-1].value["time"]) == ["–", "–", "–"]


def test_the_table_of_numbers_leaves_open_what_is_not_measured(show):
    at = show(records(n_records=4), done=False)
    at.session_state["bias_and_cost.measured.numbers"] = True
    (table,) = (frame.value for frame in at.run().dataframe)
    at.session_state["bias_and_cost.measured.numbers"] = False
    assert list(table["n"]) == list(SIZES)
    assert list(table["attention, bytes"])[:2] == [8 * 16 * 16, 8 * 32 * 32]
    assert table["conv, bytes"].notna().sum() == 1


def test_no_process_to_be_had(show):
    at = show([], failed=True)
    assert "could not be completed in the background (0 of 81 done)" in at.warning[0].value


@pytest.mark.parametrize(
    ("overhead", "sentence"),
    [
        (1e-9, "attention is slower than the RNN throughout"),  # they would meet at n = 1
        (1e-5, "attention is faster than the RNN throughout"),  # at 10,000
        (3e-8, "measured already at n ≈ 30"),
    ],
)
def test_other_machines(show, overhead, sentence):
    assert sentence in said(show(records(overhead)))


def test_a_fit_from_short_inputs_says_that_it_flatters(show):
    assert "which flatters it" in said(show(records(), fit_from=16))
    assert "which flatters it" not in said(show(records(), fit_from=1024))


# --- the section by formula -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "key", "values"),
    [
        ({}, "says", {"n": 1024, "d": 64, "ratio": 16}),
        ({"n": 64}, "says_equal", {"n": 64, "operations": 4 * 64**3}),
        ({"n": 2048, "d": 12288}, "says_cheaper", {"n": 2048, "d": 12288, "ratio": 6}),
        ({"projections": True}, "says_projections", {"n": 1024, "ratio": 18}),  # 16 + 8 / 4
    ],
)
def test_the_sentence_by_formula(show, inputs, key, values):
    at = show([], **inputs)
    assert at.info[0].value == Words("en", "bias_and_cost")(f"by_formula.{key}", **values)
