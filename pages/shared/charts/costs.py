"""Costs against the length of the input, both axes logarithmic: a power law is a straight line.

Each layer has a line that names itself where it ends. Vertical lines with a name mark lengths that matter.
Lines of one hue are told apart by their dashes.
"""

from functools import lru_cache
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts.base import (
    DASHES,
    Picture,
    blank,
    finish,
    legend_of,
    named_colour,
    role_colour,
    with_params,
)
from pages.shared.charts.label_places import name_places, room_for_ends, spread_apart, whole_powers
from pages.shared.charts.powers import power_of_ten

HEIGHT = 430  # px, legend and axes included
POWERS = [power_of_ten(power) for power in range(31)]
COLUMNS = ["kind", "name", "x", "y", "text", "long"]


class CostLine(NamedTuple):
    """What one layer costs at each length; `fit` is the height of its fitted line, `end` its label."""

    name: str
    hue: str
    n: np.ndarray
    cost: np.ndarray
    end: str = ""
    fit: np.ndarray | None = None


def cost_curves(lines, titles, sizes, *, least, rules=(), at=None, unfitted=None, powers=False):
    """Draw one line a layer.

    Parameters
    ----------
    lines : sequence of CostLine
        `cost` may be shorter than `sizes` while it is still being measured; `fit` is as long as `sizes`.
    titles : (length axis, cost axis)
    sizes : (n_sizes,) sequence of int
        The lengths, which are the labels of the axis too where they are powers of 4.
    least : (low, high)
        What the cost axis shows in any case; it grows by powers of ten where a cost lies outside.
    rules : sequence of (n, text)
        Vertical lines with their names.
    at : int, optional
        The length whose points are filled; None fills all.
    unfitted : (n, text), optional
        Shade the lengths below n.
    powers : bool
        Label the cost axis by powers of ten instead of decimals.
    """
    bounds = whole_powers(np.concatenate([[*least], *(line.cost for line in lines)]))
    longest = room_for_ends(sizes)
    rows = [row for line in lines for row in _rows(line, sizes, at)]
    rows += _ends(lines, sizes, bounds)
    rows += [("rule", "", n, bounds[0], "", "") for n, _ in rules]
    names = [*rules, *([(sizes[0], unfitted[1])] if unfitted else [])]
    places = name_places([n for n, _ in names], (sizes[0], longest), bounds)
    rows += [(side, "", n, y, text, text) for (n, text), (side, y) in zip(names, places, strict=True)]
    series = tuple((line.name, line.hue) for line in lines)
    data = pd.DataFrame(rows, columns=COLUMNS).astype({"x": float, "y": float})
    if not _one_hue_each(series):
        data["hue"] = data["name"].map(dict(series))
    fitted = any(line.fit is not None for line in lines)
    spec = _spec(
        series, tuple(titles), (sizes[0], sizes[-1], longest), bounds, fitted, bool(unfitted), powers
    )
    return Picture(data, with_params(spec, pale_to=unfitted[0]) if unfitted else spec)


def _rows(line, sizes, at):
    """The points of a line, and those of its fitted line."""
    for n, cost in zip(line.n, line.cost, strict=True):
        yield ("line", line.name, n, cost, "", "")
        if at is None or n == at:
            yield ("point", line.name, n, cost, "", "")
    if line.fit is not None:
        for n, cost in zip(sizes, line.fit, strict=True):
            yield ("fit", line.name, n, cost, "", "")


def _ends(lines, sizes, bounds):
    """What the lines say at their ends, kept apart; a narrow picture leaves out the names."""
    ending = [line for line in lines if line.end]
    if not ending:
        return []
    heights = [line.cost[-1] if line.fit is None else line.fit[-1] for line in ending]
    places = spread_apart(heights, bounds)
    return [
        ("end", line.name, sizes[-1], y, line.end, f"{line.name} {line.end}")
        for line, y in zip(ending, places, strict=True)
    ]


@lru_cache(maxsize=32)
def _spec(series, titles, x_bounds, bounds, fitted, shaded, powers):
    low, high, longest = x_bounds
    scale = alt.Scale(type="log", domain=[low, longest], nice=False)
    ticks = [4**i for i in range(16) if low <= 4**i <= high]
    places = {
        "x": alt.X("x:Q", title=titles[0], scale=scale, axis=alt.Axis(values=ticks, format=",d")),
        "y": alt.Y("y:Q", title=titles[1], scale=_decades(bounds), axis=_cost_axis(bounds, powers)),
    }
    tooltip = [
        alt.Tooltip("name:N", title=" "),
        alt.Tooltip("x:Q", title=titles[0], format=",d"),
        alt.Tooltip("y:Q", title=titles[1], format=",d" if powers else ".3~g"),
    ]
    layers = [
        *([_shade(series, scale, low)] if shaded else []),
        _only("rule")
        .mark_rule(strokeWidth=2, strokeDash=[4, 4])
        .encode(x=places["x"])
        .properties(name="here"),
        *_drawn_lines(series, places, tooltip, fitted),
        _names(places),
    ]
    return finish(alt.layer(*layers).properties(height=HEIGHT))


def _only(*kinds):
    return blank().transform_filter(alt.FieldOneOfPredicate("kind", list(kinds)))


def _drawn_lines(series, places, tooltip, fitted):
    """The lines, told apart by their dashes too, unless dashes mark what was fitted; points; ends."""
    colour, names = _colour(series), [name for name, _ in series]
    scale = alt.Scale(domain=names, range=[list(dash) for dash in DASHES[: len(names)]])
    dash = alt.StrokeDash("name:N", scale=scale, legend=legend_of(names))
    line = _only("line").encode(colour, **places)
    end = {"align": "left", "dx": 9, "fontSize": 15, "fontWeight": 600}
    return [
        line.mark_line(strokeWidth=2) if fitted else line.mark_line(strokeWidth=3).encode(dash),
        _only("fit").mark_line(strokeWidth=2, strokeDash=[7, 5], clip=True).encode(colour, **places),
        _only("point").mark_point(size=110, filled=True, opacity=1).encode(colour, **places),
        line.mark_point(size=240, opacity=0, filled=True).encode(tooltip=tooltip),  # for the pointer
        _only("end")
        .mark_text(text=alt.expr("width > 520 ? datum.long : datum.text"), **end)
        .encode(colour, **places),
    ]


def _one_hue_each(series):
    return len({hue for _, hue in series}) == len(series)


def _colour(series):
    return named_colour(series) if _one_hue_each(series) else role_colour()


def _names(places):
    """What the rules and the shade are called."""
    marks = _only("left", "right").mark_text(
        align=alt.expr("datum.kind"), dx=alt.expr("datum.kind == 'left' ? 6 : -6"), fontSize=15
    )
    return marks.encode(text="text:N", **places).properties(name="on_ground")


def _shade(series, scale, low):
    """The lengths from the first one to the parameter "pale_to", in the neutral hue."""
    one = blank().transform_aggregate(n="count()")
    neutral = {"name": "'_neutral'", "hue": "'neutral'"}  # its place among the names, or among the hues
    one = one.transform_calculate(x=str(low), x2="pale_to", **neutral)
    x = alt.X("x:Q", scale=scale)
    return one.mark_rect(fillOpacity=0.16).encode(_colour(series), x=x, x2="x2:Q")


def _decades(bounds):
    return alt.Scale(type="log", domain=list(bounds), nice=False)


def _cost_axis(bounds, powers):
    """One label a power of ten, or fewer where there are many."""
    first, last = (round(np.log10(bound)) for bound in bounds)
    values = [10.0**i for i in range(first, last + 1, 1 if last - first <= 8 else 2)]
    if not powers:
        return alt.Axis(values=values, format="~g")
    return alt.Axis(values=values, labelExpr=f"{POWERS}[round(log(datum.value) / LN10)]")
