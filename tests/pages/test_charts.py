"""What the pictures draw: places and not words, fixed scales, ink that can be read on its ground."""

import ast
import json
import re
import tomllib
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import pytest

from pages.shared import charts
from pages.shared.charts import base, heat_maps
from pages.shared.looks import STYLE
from tests.pages import specs

ROOT = Path(__file__).parents[2]
TITLES = ("asks", "looked at", "weight")
CAT = ["the", "cat", "saw", "the"]
THEMES = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
both_themes = pytest.mark.parametrize("theme", ["light", "dark"])


def as_vega_lite(picture):
    """Pass the picture with its table through Altair, which refuses more than 5,000 rows."""
    chart = alt.LayerChart.from_dict({key: picture.spec[key] for key in picture.spec if key != "config"})
    chart.data = picture.data
    return chart.to_dict(validate=False)


def weights(n, n_k=None):
    return np.random.default_rng(n).dirichlet(np.full(n_k or n, 0.5), size=n)


# --- heat maps ----------------------------------------------------------------------------------------------


def test_repeated_tokens_keep_their_own_row_and_column():
    """Fault 38: 16 cells on 16 places; the axis knows the place, the word is its label."""
    picture = charts.weights_map(weights(4), CAT, CAT, TITLES)
    places = list(zip(picture.data["row"], picture.data["column"], strict=True))
    assert places == [(row, column) for row in (1, 2, 3, 4) for column in (1, 2, 3, 4)]
    assert list(picture.data["row_token"][::4]) == list(picture.data["column_token"][:4]) == CAT
    np.testing.assert_array_equal(picture.data["value"], weights(4).ravel())
    for unit in specs.layers(picture.spec):
        assert (unit["encoding"]["x"]["field"], unit["encoding"]["y"]["field"]) == ("column", "row")
    params = {param["name"]: param["value"] for param in picture.spec["params"]}
    assert params == {"rows": CAT, "columns": CAT}


@pytest.mark.parametrize("n_k", [2, 11])
def test_rows_are_queries_from_the_top_and_columns_are_keys(n_k):
    """Faults 55 and 56: places in their order, the same in every layer."""
    picture = charts.weights_map(weights(3, n_k), CAT[:3], [f"k{j}" for j in range(n_k)], TITLES)
    for unit in specs.layers(picture.spec):
        x, y = unit["encoding"]["x"], unit["encoding"]["y"]
        assert y["scale"]["domain"] == [1, 2, 3]  # a discrete y axis begins at the top
        assert x["scale"]["domain"] == list(range(1, n_k + 1))
        assert x["axis"]["title"], y["axis"]["title"] == TITLES[1::-1]
        assert x["axis"]["labelExpr"] == "columns[datum.value - 1]"
        assert y["axis"]["labelExpr"] == "rows[datum.value - 1]"


def test_weights_have_one_scale_and_scores_a_symmetric_one():
    """Fault 58: 4 x 4 weights that are all 0.25 are pale cells on [0, 1]."""
    picture = charts.weights_map(np.full((4, 4), 0.25), CAT, CAT, TITLES)
    (colour,) = [given for channel, given in specs.channels(picture.spec) if channel == "color"]
    assert colour["scale"] == {"domain": [0, 1], "type": "sqrt"}
    assert {0, 0.5, 1} <= set(colour["legend"]["values"])
    for scores, bound in ((np.full((4, 4), 3.0), 5), (np.zeros((4, 4)), 1), (np.full((4, 4), -0.4), 0.5)):
        picture = charts.scores_map(scores, CAT, CAT, TITLES)
        (colour,) = [given for channel, given in specs.channels(picture.spec) if channel == "color"]
        assert colour["scale"]["domain"] == [-bound, bound]
        assert colour["legend"]["values"] == [-bound, 0, bound]
    side_by_side = [charts.scores_map(np.eye(4) * i, CAT, CAT, TITLES, bound=20) for i in (1, 7)]
    assert side_by_side[0].spec["layer"] == side_by_side[1].spec["layer"]


def test_blocked_scores_are_empty_cells_with_a_sign():
    scores = np.array([[1.0, -np.inf], [2.0, 3.0]])
    picture = charts.scores_map(scores, ["a", "b"], ["a", "b"], TITLES)
    assert picture.data["value"].isna().tolist() == [False, True, False, False]
    (sign,) = [unit for unit in specs.layers(picture.spec) if unit.get("name") == "on_ground"]
    assert sign["encoding"]["text"] == {"value": "−∞"}
    assert sign["transform"] == [{"filter": "!isValid(datum.value)"}]
    assert "NaN" not in json.dumps(as_vega_lite(charts.weights_map(weights(2), "ab", "ab", TITLES)))


def test_the_largest_map_is_within_altairs_limit_and_a_larger_one_is_refused():
    """Fault 53: 64 x 64 cells are 4,096 rows; 71 x 71 would be 5,041."""
    tokens = [f"w{i}" for i in range(71)]
    picture = charts.weights_map(weights(64), tokens[:64], tokens[:64], TITLES)
    assert len(picture.data) == len(as_vega_lite(picture)["datasets"].popitem()[1]) == 4096
    with pytest.raises(ValueError, match="at most 4096 cells, got 71 x 71"):
        charts.weights_map(weights(71), tokens, tokens, TITLES)
    with pytest.raises(ValueError, match="at most 4096 cells, got 65 x 64"):
        charts.scores_map(weights(65, 64), tokens[:65], tokens[:64], TITLES)


@pytest.mark.parametrize("n", [1, 2, 10, 11, 64])
def test_heat_maps_of_every_size_keep_the_rules(n):
    """Faults 49, 50, 52, 53, 58 and 59."""
    tokens = (["w.1", "w[1]", "w:1", 'w"', "猫", "<b>", "القط", "$a$", "", "w"] * 7)[:n]
    for draw in (charts.weights_map, charts.scores_map):
        picture = draw(weights(n), tokens, tokens, TITLES)
        assert specs.broken_rules(picture.spec, picture.data) == {}
        assert specs.text_without_tooltip(picture.spec) == []
        printed = {"on_pale", "on_strong"} & {unit.get("name") for unit in specs.layers(picture.spec)}
        assert len(printed) == (2 if n <= heat_maps.MAX_PRINTED else 0)


def test_numbers_in_a_cell_and_its_tooltip():
    """Fault 59: 1/15 is 0.067 under the pointer."""
    picture = charts.weights_map(weights(2), "ab", "ab", TITLES)
    formats = {given["format"] for channel, given in specs.channels(picture.spec) if "format" in given}
    assert formats == {".3f", ".2f"}  # tooltip and cell
    assert f"{1 / 15:.3f}" == "0.067"


def test_one_cell_is_framed_and_no_other():
    """It stands between its neighbours on both axes; the grid below stays as it was."""
    plain = charts.weights_map(weights(4), CAT, CAT, TITLES)
    marked = charts.mark_cell(plain, 2, 3)
    *grid, frame = marked.spec["layer"]
    assert grid == plain.spec["layer"]
    assert frame["transform"] == [{"filter": "datum.row == 2 && datum.column == 3"}]
    assert {channel: frame["encoding"][channel]["field"] for channel in "xy"} == {"x": "column", "y": "row"}
    assert frame["encoding"]["stroke"]["datum"] == "key"
    assert specs.broken_rules(marked.spec, marked.data) == {}


# --- bars, curves, planes -----------------------------------------------------------------------------------


def test_bars_keep_the_order_given_and_equal_names_apart():
    """Faults 38, 55 and 56: z, a, m, a; the layer of numbers shares the axis of the bars."""
    picture = charts.bars(["z", "a", "m", "a"], [3, 1, 2, -1], "query", ("name", "score"))
    assert list(picture.data["place"]) == [1, 2, 3, 4]
    assert picture.spec["params"][0] == {"name": "names", "value": ["z", "a", "m", "a"]}
    axes = [unit["encoding"]["y"] for unit in specs.layers(picture.spec)]
    assert axes[0] == axes[1]
    assert axes[0]["scale"]["domain"] == [1, 2, 3, 4]
    assert specs.broken_rules(picture.spec, picture.data) == {}
    assert specs.text_without_tooltip(picture.spec) == []


def test_equal_bars_have_a_scale_of_their_own():
    """Fault 58: all values 0, or all the same, still have an axis with two ends."""
    for values in ([0, 0, 0], [0.25, 0.25, 0.25], [-3, -3, -3], [2]):
        picture = charts.bars(["a", "b", "c"][: len(values)], values, "output", ("name", "weight"))
        ends = {param["name"]: param["value"] for param in picture.spec["params"]}
        assert ends["low"] < ends["high"]
        assert ends["low"] <= min(0, *values) and max(0, *values) <= ends["high"]


def series(names):
    return pd.DataFrame(
        {"x": np.tile([1.0, 2.0], len(names)), "y": np.arange(2.0 * len(names)), "name": np.repeat(names, 2)}
    )


def test_curves_keep_the_order_and_the_hue_of_their_series():
    """Faults 55 and 56: z before a; each name has the colour of its hue, whatever its place."""
    picture = charts.curves(series(["z", "a"]), [("z", "conv"), ("a", "attention")], ("steps", "loss"))
    colours = [given for channel, given in specs.channels(picture.spec) if channel == "color"]
    for colour in colours:
        assert colour["scale"]["domain"][base.HUES.index("conv")] == "z"
        assert colour["scale"]["domain"][base.HUES.index("attention")] == "a"
        assert len(colour["scale"]["domain"]) == len(base.HUES)
        assert colour["legend"]["values"] == ["z", "a"]
    (dash,) = [given for channel, given in specs.channels(picture.spec) if channel == "strokeDash"]
    assert dash["scale"]["domain"] == ["z", "a"]
    assert specs.broken_rules(picture.spec, picture.data) == {}


def test_curves_of_one_hue_are_told_apart_by_their_dashes():
    names = ["1 猫", "2 猫", "3 狗", "4 狗"]
    picture = charts.curves(
        series(names), [(name, "output") for name in names], ("τ", "w"), log=("x",), at=1.5
    )
    (dash,) = [given for channel, given in specs.channels(picture.spec) if channel == "strokeDash"]
    assert dash["scale"]["domain"] == names
    assert len({str(one) for one in dash["scale"]["range"]}) == 4
    assert set(picture.data["hue"]) == {"output"}
    assert {"name": "at", "value": 1.5} in picture.spec["params"]
    assert specs.broken_rules(picture.spec, picture.data) == {}


def test_two_curves_may_share_a_hue_and_all_still_have_a_colour_in_the_legend():
    """Its second one stands one round of the hues later."""
    named = [("soft", "attention"), ("best guess", "neutral"), ("blind guess", "neutral")]
    picture = charts.curves(series([name for name, _ in named]), named, ("steps", "right"))
    for channel, given in specs.channels(picture.spec):
        if channel == "color":
            places = [given["scale"]["domain"].index(name) % len(base.HUES) for name, _ in named]
            assert [base.HUES[place] for place in places] == [hue for _, hue in named]
            assert given["legend"]["values"] == [name for name, _ in named]
    assert specs.broken_rules(picture.spec, picture.data) == {}


def test_planes_show_every_point_with_a_unit_equally_long_on_both_axes():
    arrows = [("猫", "key", 2.0, 0.0), ("猫", "key", 0.0, 0.0), ("query", "query", -9.0, 3.0)]
    corners = np.array([(0.0, 0.0), (2, 0), (0, 2)])
    picture = charts.plane(arrows, ("a", "b"), hull=corners, trail=corners, bound=10)
    assert len(picture.data) == 3 + 3 + 3
    assert np.isfinite(picture.data[["x", "y", "label_x", "label_y"]]).all(axis=None)
    for channel, given in specs.channels(picture.spec):
        if channel in ("x", "y"):
            assert given["scale"]["domain"] == [-10, 10]
    assert picture.spec["width"] == picture.spec["height"]
    assert specs.broken_rules(picture.spec, picture.data) == {}
    assert specs.text_without_tooltip(picture.spec) == []


@pytest.mark.parametrize(
    ("values", "bound"),
    [
        ([0, 0], 1),
        ([0.3], 0.5),
        ([-7, 3], 10),
        ([1.0], 1),
        ([20], 20),
        ([2.0001], 5),
        ([3e-7, -np.inf], 5e-7),
    ],
)
def test_bounds_are_1_2_or_5_times_a_power_of_ten(values, bound):
    assert charts.nice_bound(values) == pytest.approx(bound, rel=1e-12)


def test_labels_are_short_and_never_cut_inside_a_sign():
    """Fault 44."""
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert base.labels(["unbelievable", "猫", family * 9]) == ["unbelie…", "猫", family * 7 + "…"]


# --- what all specs share -----------------------------------------------------------------------------------


def test_specs_are_built_once_and_kept_in_bounded_numbers():
    """Fault 70: tokens and numbers are no part of what is kept."""
    before = heat_maps._heat_spec.cache_info().misses
    for seed in range(5):
        charts.weights_map(weights(3), [f"{seed}a", "b", "c"], ["a", "b", "c"], ("q", "k", "kept once"))
    assert heat_maps._heat_spec.cache_info().misses == before + 1
    for path in sorted((ROOT / "pages").rglob("*.py")):
        for line in re.findall(r"@(?:functools\.)?(?:lru_cache|cache)\b.*", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"@lru_cache\(maxsize=\d+\)", line), f"{path.name}: {line}"


def test_caches_of_the_app_are_bounded():
    """Fault 70: every st.cache_* has max_entries, or takes no arguments and so holds one thing."""
    n_found = 0
    for path in sorted((ROOT / "pages").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for decorator in getattr(node, "decorator_list", []):
                if "st.cache_" in ast.unparse(decorator):
                    n_found += 1
                    assert "max_entries=" in ast.unparse(decorator) or not node.args.args, node.name
    assert n_found > 0


def test_specs_leave_data_and_theme_to_streamlit():
    """Fault 61: browser fonts; characters stand in the spec as they are."""
    picture = charts.weights_map(weights(2), ["猫", "狗"], ["猫", "狗"], TITLES)
    assert not {"data", "datasets"} & set(picture.spec)
    assert picture.spec["config"] == base.LOOKS
    assert "猫" in json.dumps(picture.spec, ensure_ascii=False)
    assert "font" not in {option for looks in base.LOOKS.values() for option in looks}
    fonts = THEMES["font"]
    assert fonts.endswith("sans-serif") and "Noto Sans SC" in fonts


# --- colours ------------------------------------------------------------------------------------------------


def rgb(colour):
    digits = colour.lstrip("#")
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    return np.array([int(digits[i : i + 2], 16) for i in (0, 2, 4)]) / 255


def luminance(colour):
    """WCAG 2.2: relative luminance of an sRGB colour."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_by_hand():
    assert contrast(rgb("#000"), rgb("#fff")) == pytest.approx(21)
    # 0x77 = 119: (119 / 255 + 0.055) / 1.055 = 0.49446, to the power 2.4 = 0.18447; 1.05 / 0.23447 = 4.478
    assert contrast(rgb("#777777"), rgb("#FFFFFF")) == pytest.approx(4.478, abs=1e-3)


def inks(layer, theme):
    """The ink that the style gives to a layer of numbers in a theme."""
    found = re.search(rf"\.{layer}_marks text {{ fill: light-dark\((#\w+), (#\w+)\) }}", STYLE)
    return rgb(found.group(1 if theme == "light" else 2))


def between(palette, place):
    """The colour at a place of a palette, from 0 to 1, mixed between its neighbours."""
    stops = np.array([rgb(colour) for colour in palette])
    places = np.linspace(0, 1, len(stops))
    return np.array([np.interp(place, places, stops[:, i]) for i in range(3)])


@both_themes
def test_numbers_on_weights_can_be_read_everywhere(theme):
    """Fault 49: at least 4.5 : 1 on every cell from 0 to 1; the ink changes with the cell's own value."""
    palette = THEMES[theme]["chartSequentialColors"]
    assert len(palette) == 10
    lightness = np.diff([luminance(rgb(colour)) for colour in palette])
    assert (lightness < 0).all() or (lightness > 0).all()
    for weight in np.linspace(0, 1, 2001):
        layer = "on_strong" if weight >= heat_maps.STRONG_WEIGHT else "on_pale"
        assert contrast(between(palette, np.sqrt(weight)), inks(layer, theme)) >= 4.5, weight


@both_themes
def test_numbers_on_scores_can_be_read_everywhere(theme):
    """Fault 49: the same on the diverging scale, from -bound to bound."""
    palette = THEMES[theme]["chartDivergingColors"]
    assert len(palette) == 10
    for share in np.linspace(-1, 1, 2001):  # of the bound
        layer = "on_strong" if abs(share) >= heat_maps.STRONG_SCORE else "on_pale"
        assert contrast(between(palette, (1 + share) / 2), inks(layer, theme)) >= 4.5, share


def test_the_spec_changes_ink_where_the_palette_says():
    picture = charts.weights_map(weights(2), "ab", "ab", TITLES)
    filters = [str(unit.get("transform")) for unit in specs.layers(picture.spec)]
    assert sum(f"datum.value >= {heat_maps.STRONG_WEIGHT}" in one for one in filters) == 2
    picture = charts.scores_map(weights(2), "ab", "ab", TITLES, bound=20)
    filters = [str(unit.get("transform")) for unit in specs.layers(picture.spec)]
    assert sum(f"abs(datum.value) >= {heat_maps.STRONG_SCORE * 20}" in one for one in filters) == 2


@both_themes
def test_hues_and_texts_can_be_read_on_their_ground(theme):
    """Fault 49: names are written in their hue too, so each needs 4.5 : 1; no hue comes twice."""
    colours = THEMES[theme]
    hues = colours["chartCategoricalColors"]
    assert len(hues) == len(set(hues)) == len(base.HUES)
    for hue in hues:
        assert contrast(rgb(hue), rgb(colours["backgroundColor"])) >= 4.5, hue
    for ground in ("backgroundColor", "secondaryBackgroundColor"):
        for ink in ("textColor", "linkColor", "primaryColor"):
            assert contrast(rgb(colours[ink]), rgb(colours[ground])) >= 4.5, (ink, ground)
    assert contrast(rgb(colours["codeTextColor"]), rgb(colours["codeBackgroundColor"])) >= 7


@both_themes
def test_the_middle_of_the_diverging_scale_is_neutral(theme):
    """Scores of 0 have no colour, and both sides weigh the same."""
    palette = [rgb(colour) for colour in THEMES[theme]["chartDivergingColors"]]
    assert np.ptp(palette[4]) < 0.1  # red, green and blue nearly equal
    np.testing.assert_array_equal(palette[4], palette[5])
    for left, right in zip(palette[:5], palette[:4:-1], strict=True):
        assert luminance(left) == pytest.approx(luminance(right), abs=0.01)
