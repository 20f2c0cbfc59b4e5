"""Decisions of the charts of page 5, and its measured sections with nothing, some and all of the records."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.costs import LAYERS
from core.costs_measured import ROUNDS, SIZES, WIDTHS
from core.costs_saved import BLOCKED_SIZES, BLOCKS, LONG, PLACES, SKIPPED_BLOCKS
from pages.shared import live_run
from pages.shared.charts.connections import connections_map
from pages.shared.charts.costs import POWERS, CostLine, cost_curves
from pages.shared.charts.label_places import name_places, room_for_ends, spread_apart, whole_powers
from pages.shared.charts.sizes import Size, sizes
from pages.shared.text import Words
from tests.pages import app

DEFAULTS = {
    **{"drawn": 12, "window": 3, "looks_back": False, "other_words": 0},
    **{"n": 1024, "d": 64, "k": 3, "projections": False, "fit_from": 256},
    **{"block": 256, "tile": 256, "t": 1024, "number": "four", "model": "gpt2", "length": 1024},
    **{"model_n": 1024, "model_d": 64, "processors": 1024},
}
CHARTS = 30  # 3 of them, of blocks, of one more word and of both orders, once there is something to draw
MACHINE = {"system": "Linux", "python": "3.11", "numpy": "2.4", "blas": "openblas"}
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


def test_lines_of_one_hue_are_told_apart_by_their_dashes():
    lines = [line([1, 4])._replace(name="a"), line([2, 8])._replace(name="b")]
    picture = cost_curves(lines, ("n", "cost"), N, least=(1, 10), unfitted=(64, "not fitted"))
    assert set(picture.data["hue"].dropna()) == {"attention"}
    marks = layer_of(picture, "line")["encoding"]
    assert marks["color"]["field"] == "hue"
    assert marks["strokeDash"]["scale"]["domain"] == ["a", "b"]


def test_connections_are_shaded_by_the_strongest():
    picture = connections_map([[0, 2], [1, 0.5]], "rnn", ("row", "column", "value"))
    assert list(picture.data["value"]) == [0, 2, 1, 0.5]
    assert {"name": "strongest", "value": 2.0} in picture.spec["params"]
    assert {"name": "hue", "value": "rnn"} in picture.spec["params"]
    empty, joined = picture.spec["layer"]
    assert "opacity" not in empty["encoding"]
    assert joined["encoding"]["opacity"]["scale"]["domain"] == [0, 1]
    with pytest.raises(ValueError, match="pairs"):
        connections_map(np.ones((50, 50)), "rnn", ("row", "column", "value"))


def test_sizes_have_two_dots_a_row():
    rows = [
        Size("real", 2**20, 2**30, "1 MiB", "1 GiB"),
        Size("if", 2**30, 2**40, "1 GiB", "1 TiB", real=False),
    ]
    picture = sizes(rows, "attention", ("bytes", "one", "all"))
    assert list(picture.data["bytes"]) == [2**20, 2**30, 2**30, 2**40]
    assert list(picture.data["real"]) == [True, True, False, False]
    low, high = layer_of(picture, "point")["encoding"]["x"]["scale"]["domain"]
    assert low < 2**18 and high > 9216 * 4 * 2**40  # the smallest and the largest of the page


# --- the measured section ---------------------------------------------------------------------


def records(overhead=1e-6, n_records=None, fixed=0.0):
    """A run as the child would tell it.

    Attention takes 1 ns for every pair of words, the RNN `overhead` s a word: they cross at overhead / 1 ns.
    Inputs of less than 256 words take attention `fixed` s more.
    """
    seconds = {
        "attention": lambda n: 1e-9 * n * n + fixed * (n < 256),
        "rnn": lambda n: overhead * n,
        "conv": lambda n: 1e-7 * n,
    }
    size = {"attention": lambda n: 8 * n * n, "rnn": lambda n: 768 * n, "conv": lambda n: 512 * n}
    told = [
        {"layer": layer, "n": n, "seconds": seconds[layer](n), "bytes": size[layer](n)}
        for _ in range(ROUNDS)
        for n in SIZES
        for layer in LAYERS
    ]
    return told if n_records is None else told[:n_records]


def later_records(step=1e-4, taken=0.6, tiles=1.0):
    """What the child tells after the layers: round numbers that do not come from any machine."""
    told = [
        {
            "kind": "blocked",
            "n": n,
            "block": block,
            "seconds": tiles * 1e-9 * n * n,
            "bytes": 2**20,
            "difference": 2e-7,
        }
        for n in BLOCKED_SIZES
        for block in BLOCKS
    ]
    for block in SKIPPED_BLOCKS:
        m = 2048 // block
        counts = {"causal_blocks": m * (m + 1) // 2, "full_blocks": m * m}
        seconds = {"causal_seconds": taken, "full_seconds": 1.0}
        told.append({"kind": "skipping", "n": 2048, "block": block, **counts, **seconds})
    told += [{"kind": "token", "t": t, "again": 1e-8 * t * t, "cached": step} for t in PLACES]
    told += [{"kind": "chain", "d": d, "n": 1024, "chain": 0.012, "product": 1e-5 * d} for d in WIDTHS]
    long = {"kind": "blocked", "n": LONG, "block": 256, "seconds": 1e-9 * LONG * LONG}
    return [*told, long | {"bytes": 5 * 2**20 + LONG * 64 * 4}]


def whole_run(overhead=1e-6, **later):
    return [{"machine": MACHINE}, *records(overhead), *later_records(**later)]


@pytest.fixture(scope="module")
def page():
    """The page, opened once, and the run that it asks for."""
    run = SimpleNamespace(seen=[], is_over=True, has_failed=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live_run, "common_run", lambda function: run)
        yield app.open_app("bias_and_cost", "en"), run


@pytest.fixture
def show(page):
    """Look at the page with some records and some inputs; all others stand at their defaults."""

    def show(seen, done=True, failed=False, **inputs):
        at, run = page
        run.seen, run.is_over, run.has_failed = seen, done, failed
        for name, value in (DEFAULTS | inputs).items():
            at.session_state[f"bias_and_cost.{name}"] = value
        at.run()
        assert not at.exception and not at.error
        there = (
            any("layer" in record and record["n"] >= BLOCKED_SIZES[0] for record in seen),
            any(record.get("kind") == "token" for record in seen),
            any(record.get("kind") == "chain" for record in seen),
        )
        assert len(at.get("vega_lite_chart")) == CHARTS - 3 + sum(there)
        return at

    return show


def said(at):
    return " ".join([element.value for kind in (at.info, at.markdown, at.caption) for element in kind])


def test_all_measured(show):
    at = show(whole_run(overhead=0.5e-6))
    assert "break even at n = d = 64, measured at n ≈ 500" in said(at)  # .5 us / 1 ns
    assert "fitted from n = 256 on: attention n^2.00, RNN n^1.00, convolution n^1.00" in said(at)
    # 8 n^2 bytes are 128 MiB at n = 4096, and 8 * 4096 / 512 = 64 times as much as 512 n bytes.
    assert "attention takes 128 MiB, 64 times as much as convolution" in said(at)
    assert "Linux, Python 3.11, NumPy 2.4, openblas" in said(at)
    # At n = 4096: attention 4 * 4096^2 * 64 operations in 4096^2 ns are 256 a ns; the RNN 4 * 64^2 a .5 us.
    table = at.table[-1].value  # the last on the page
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


@pytest.mark.parametrize(
    ("section", "places"),
    [("blocked", (*BLOCKED_SIZES, LONG)), ("skipping", SKIPPED_BLOCKS), ("parallel", WIDTHS)],
)
def test_every_table_of_numbers_has_a_row_for_what_is_still_to_come(show, section, places):
    at = show(records(n_records=4), done=False)
    at.session_state[f"bias_and_cost.{section}.numbers"] = True
    (table,) = (frame.value for frame in at.run().dataframe)
    at.session_state[f"bias_and_cost.{section}.numbers"] = False
    assert list(table.iloc[:, 0]) == list(places)
    assert table.iloc[:, 1:].isna().all(axis=None)


def test_tables_of_numbers_hold_what_is_measured(show):
    at = show(whole_run(tiles=0.5), block=128)
    at.session_state["bias_and_cost.blocked.numbers"] = True
    (table,) = (frame.value for frame in at.run().dataframe)
    at.session_state["bias_and_cost.blocked.numbers"] = False
    assert list(table.columns) == [
        "n",
        *("seconds, at once", "bytes, at once", "seconds, in tiles", "bytes, in tiles"),
    ]
    np.testing.assert_allclose(table["seconds, in tiles"][:2], [0.5e-9 * 256**2, 0.5e-9 * 512**2])


def test_no_process_to_be_had(show):
    at = show([], failed=True)
    assert "could not be completed in the background (0 of 81 done)" in at.warning[0].value
    # blocks, skipping, one more word, both orders: each says so of its own measurements
    assert [warning.value.split("(")[1].split(" done")[0] for warning in at.warning[1:]] == [
        "0 of 16",
        "0 of 4",
        "0 of 6",
        "0 of 6",
    ]


@pytest.mark.parametrize(
    ("overhead", "sentence"),
    [
        (1e-9, "attention is slower than the RNN throughout"),  # they would meet at n = 1
        (1e-5, "longest input measured, n = 4,096, attention is still faster than the RNN"),  # at 10,000
        (3e-8, "measured already at n ≈ 30"),
        (6.4e-8, "and so they do as measured, at n ≈ 64"),
        (6.42e-8, "and so they do as measured, at n ≈ 64"),  # 64.2 is printed as 64
    ],
)
def test_other_machines(show, overhead, sentence):
    assert sentence in said(show(records(overhead)))


@pytest.mark.parametrize(
    ("fixed", "n_from", "sentence"),
    [
        (1e-6, 16, "which flatters attention"),  # 16^2 ns and four times as much on top: flatter
        (0, 16, "from n = 16 or from 256 on, attention has the same exponent, 2.00"),
        (-1e-7, 16, "even more than the 2.00 from 256 on"),  # less than n^2 at first: steeper
        (1e-6, 1024, "attention measures 2.00, as the formula says"),
    ],
)
def test_a_fit_from_short_inputs_is_compared_with_the_usual_one(show, fixed, n_from, sentence):
    text = said(show(records(fixed=fixed), fit_from=n_from))
    assert sentence in text
    assert ("flatters" in text) == ("flatters" in sentence)


def test_the_exponent_of_short_inputs_by_hand(show):
    # 128 words take 128^2 ns and 49,152 ns on top, as much as 256 words do (256^2 ns): no growth there.
    text = said(show(records(fixed=4.9152e-5), fit_from=64))
    assert "Fitted from n = 64 on, attention has an exponent of" in text
    assert "from 256 on it is 2.00" in text
    assert "d = 64, k = 3, n from 16 to 4,096." in text


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
    assert Words("en", "bias_and_cost")(f"by_formula.{key}", **values) in [one.value for one in at.info]


# --- what each assumes ------------------------------------------------------------------------


def test_who_is_connected(show):
    text = said(show([]))
    # 12 words: 144 pairs; itself and before: 12 * 13 / 2 = 78; a band of three: 3 * 12 - 2 = 34.
    for title in ("Fully connected: all 144", "Attention: all 144", "RNN: 78 pairs", "Convolution: 34 pairs"):
        assert title in text
    assert "589,824 numbers to learn at n = 12, d = 64, where attention has 16,384" in text  # (12 * 64)^2
    text = said(show([], looks_back=True, window=5))
    assert "Attention, causal: 78 pairs" in text
    assert "Convolution, causal: 50 pairs" in text  # 5 * 12 less 4 + 3 + 2 + 1


@pytest.mark.parametrize(
    ("inputs", "counts", "key"),
    [
        # 12 words: 144 pairs; 78 back; bands of 3 and of 3 back: 34 and 12 + 11 + 10 = 33.
        ({}, (144, 144, 78, 34), "says"),
        ({"looks_back": True}, (144, 78, 78, 33), "says_causal"),
        # 4 words: 16 pairs, 10 back. 3 to each side reach all; 2 leave out 1 - 4 and 4 - 1.
        ({"drawn": 4, "window": 5}, (16, 16, 10, 14), "says"),
        ({"drawn": 4, "window": 7}, (16, 16, 10, 16), "says_wide"),
        ({"drawn": 4, "window": 3, "looks_back": True}, (16, 10, 10, 9), "says_causal"),
        ({"drawn": 4, "window": 5, "looks_back": True}, (16, 10, 10, 10), "says_causal_wide"),
    ],
)
def test_what_attention_takes_for_granted(show, inputs, counts, key):
    at = show([], **inputs)
    dense, attention, read, conv = counts
    claim = {
        "says": "attention takes less for granted than convolution and RNN",
        "says_wide": "attention takes no less for granted than such a convolution",
        "says_causal": "attention no longer takes less for granted than the RNN",
        "says_causal_wide": "attention, RNN and convolution join equally many pairs",
    }
    assert (claim["says"] in at.info[0].value) == (attention > max(read, conv))
    assert claim[key] in at.info[0].value
    n = inputs.get("drawn", 12)
    pairs = {"dense_pairs": dense, "attention_pairs": attention, "rnn_pairs": read, "conv_pairs": conv}
    numbers = {"n": n, "d": 64, "k": inputs.get("window", 3), "dense": (n * 64) ** 2, "attention": 4 * 64**2}
    assert at.info[0].value == Words("en", "bias_and_cost")(f"assumes.{key}", **pairs, **numbers)


def test_the_table_says_that_attention_alone_follows_the_content(show):
    table = show([]).table[0].value
    assert list(table["strength follows"]) == [
        "place alone",
        "the words' content",
        "place alone",
        "place alone",
    ]


# --- what can be saved ------------------------------------------------------------------------


def test_blocks_save_memory(show):
    text = said(show(whole_run()))
    # Plain: 8 * 4096^2 bytes are 128 MiB; in blocks 1 MiB; both 1 ns a pair. 2 * 16384^2 * 4 are 2048 MiB.
    assert "at n = 4,096, 128 MiB at once, 1.0 MiB in tiles" in text
    assert "in tiles it grows like n^2.00, at once like n^2.00" in text
    assert "16,384 words in tiles of 256: 5.0 MiB beside the output itself" in text
    assert "needs 2,048 MiB" in text and "took 0.3 s here" in text
    assert "differ by 2.0e-07 at most" in text


@pytest.mark.parametrize(
    ("tiles", "sentence"),
    [
        (0.66, "tiles of 128 take 66% of the time at once: probably because a tile stays in the cache"),
        (1.004, "tiles of 128 take 100% of the time at once: memory is saved, time is not"),
        (1.25, "tiles of 128 take 125% of the time at once: probably the overhead"),
    ],
)
def test_what_blocks_do_to_the_time(show, tiles, sentence):
    assert f"At n = 4,096, {sentence}" in said(show(whole_run(tiles=tiles), block=128))


def test_the_memory_of_blocks_is_told_at_both_ends(show):
    at = show(whole_run())
    alternatives = " ".join(chart.proto.alt for chart in at.get("vega_lite_chart"))
    # Plain: 8 * 256^2 bytes are half a MiB.
    assert "at n = 256 it is 1.00 MiB in tiles and 0.50 MiB at once" in alternatives


@pytest.mark.parametrize(
    ("taken", "tile", "sentence"),
    [
        (0.6, 256, "56% of the tiles are left and 60% of the time, so less is saved"),  # 36 of 64
        (0.5625, 256, "56% of the tiles are left, and 56% of the time too"),
        (0.564, 256, "56% of the tiles are left, and 56% of the time too"),  # 56.25 % and 56.4 %
        (0.5, 256, "56% of the tiles are left and only 50% of the time"),
        (0.99, 1024, "75% of the tiles are left, yet 99% of the time"),  # 3 of 4
        (0.98, 128, "53% of the tiles are left, yet 98% of the time"),  # 136 of 256
    ],
)
def test_what_skipping_leaves(show, taken, tile, sentence):
    assert sentence in said(show(whole_run(taken=taken), tile=tile))


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (1e-4, "a factor of 1,024 in operations, exactly t; measured, a factor of 105"),  # 1e-8 t^2 / 1e-4
        (1e-6, "a factor of 1,024 in operations, exactly t; measured it is 10,486, even more"),
        (1.024e-5, "a factor of 1,024 in operations, exactly t; measured, it is 1,024 too"),
    ],
)
def test_one_more_word(show, step, sentence):
    text = said(show(whole_run(step=step)))
    assert sentence in text
    assert "holds 512 KiB" in text  # 2 * 1024 * 64 numbers of 4 bytes


def test_later_sections_wait_for_their_turn(show):
    at = show([{"machine": MACHINE}, *records()], done=False)
    assert said(at).count("Being measured; it will be drawn here") == 4
    assert not at.get("progress")  # the layers are all there
    assert "exactly t. The price is memory" in said(at)


# --- real models ------------------------------------------------------------------------------


def test_real_models(show):
    text = said(show([], number="two"))
    assert "At 2 bytes a number, n × n of one head of GPT-3 takes 8\u00a0MiB, and 72\u00a0GiB" in text
    assert "64 times as long makes it 4,096 times as large" in text


def test_the_share_of_n_by_n(show):
    assert "n × n is only 18.2%. It takes n = 6d = 4,608" in said(show([]))
    assert "(512 is its limit), n × n would be 18.2%" in said(show([], model="bert"))
    assert "n × n is only 2.7%. It takes n = 6d = 73,728" in said(
        show([], model="gpt3", length=2048)
    )  # 2048 / 75,776
    assert "n × n is only 0.3%" in said(show([], model="gpt3", length=256))  # 256 / 73,984, not 0 %


# --- expensive but parallel -------------------------------------------------------------------


def test_a_chain_and_one_product(show):
    text = said(show(whole_run()))
    assert "in one product are 4.7 times as fast" in text  # 12 ms / 2.56 ms
    assert "At d = 16 the factor is 75" in text  # 12 / 0.16
    assert "is not measured and not claimed" in text


def test_the_model_of_many_processors(show):
    # 2 d^2 = 8192 processors keep an RNN busy; attention needs 2 n d = 131,072 to be as quick.
    text = said(show([]))
    assert "from p = 8,192 on the RNN gets no faster" in text
    assert "only at p = 131,072" in text
    assert "the RNN stands still while attention goes on gaining" in text
    assert "max(serial steps, multiply-adds / p)" in text
    assert "one layer of it joins only 3 neighbouring words" in text
    assert "keeps up from p = 1 on" in said(show([], model_n=64))
