"""How much of a word arrives, against how far away it is; a logarithmic axis with a place for exactly 0."""

import math
from functools import lru_cache

import altair as alt
import pandas as pd

from pages.shared.charts.base import Picture, blank, finish, legend_of, named_colour, with_params
from pages.shared.charts.powers import power_of_ten, with_power_of_ten

HEIGHT = 520  # px, legend and axes included
ZERO, LEAST = 1e-12, 1e-10  # the place for 0; what is smaller than the other leaves the picture
MOST, OVER = 1e6, 1e8  # the upper end, and the place for what is no finite number, drawn if there is one
DECADES = {10.0**power: power_of_ten(power) for power in (-10, -5, 0, 5)}
COLUMNS = ("kind", "name", "t", "size", "there")


def two_digits(value):  # float -> str
    """A size as a sentence shows it, with two digits that count: 0.79, 0.015, 120, 7.7 × 10⁻⁵."""
    if value == 0 or 0.001 <= value < 999.5:
        return f"{float(f'{value:.2g}'):g}"
    return with_power_of_ten(value)


def gain_curves(series, titles, at, ends):
    """Lines over the distances 0, 1, 2, ...

    Parameters
    ----------
    series : sequence of (name, hue, dashed, (n,) array)
        In the order of the legend.
    titles : (distance axis, size axis)
    at : int
        The distance to mark on all lines.
    ends : (zero, overflow)
        What the axis says at the place of exact zeros, and at the place of sizes that are no finite number.
    """
    rows = [
        (kind, name, t, size, place)
        for name, _, _, sizes in series
        for t, size in enumerate(map(float, sizes))
        for kind, place in _marks(t, size, at)
    ]
    data = pd.DataFrame(rows, columns=COLUMNS)
    looks = tuple((name, hue, dashed) for name, hue, dashed, _ in series)
    overflows = bool((data["kind"] == "over").any())
    return Picture(data, with_params(_spec(looks, tuple(titles), ends, len(series[0][3]), overflows), at=at))


def _marks(t, size, at):
    """(kind of mark, height): a point of a line, a dash at the place of 0 or above all; the mark at `at`."""
    if not math.isfinite(size):
        kind, place = "over", OVER
    elif size == 0:
        kind, place = "zero", ZERO
    elif LEAST <= size <= MOST:
        kind, place = "line", size
    else:
        return
    yield kind, place
    if t == at:
        yield "at", place


@lru_cache(maxsize=16)
def _spec(looks, titles, ends, n, overflows):
    names = [name for name, _, _ in looks]
    legend = legend_of(names)
    legend.columns = alt.expr("width < 420 ? 1 : 2")
    colour = named_colour([(name, hue) for name, hue, _ in looks]).legend(legend)
    dashes = alt.Scale(domain=names, range=[[8, 6] if dashed else [1, 0] for _, _, dashed in looks])
    dash = alt.StrokeDash("name:N", scale=dashes, legend=legend)
    x_axis = alt.Axis(values=[*range(0, n, 10)], format="d")
    x = alt.X("t:Q", title=titles[0], axis=x_axis, scale=alt.Scale(domain=[-0.5, n - 0.5], nice=False))
    bounds = alt.Scale(type="log", domain=[ZERO / 3, 3 * OVER if overflows else MOST], nice=False)
    y = alt.Y("there:Q", title=titles[1], axis=_axis(*ends, overflows), scale=bounds)
    tooltip = [
        alt.Tooltip("name:N", title=" "),
        alt.Tooltip("t:Q", title=titles[0], format="d"),
        alt.Tooltip("size:Q", title=titles[1], format=".3~g"),
    ]
    layers = [
        _here(x),
        _only("line").encode(x, y, colour, dash).mark_line(strokeWidth=3.5, clip=True),
        _only("zero", "over").encode(x, y, colour, tooltip=tooltip).mark_point(shape="stroke", **_STROKE),
        _only("line").encode(x, y, tooltip=tooltip).mark_point(size=200, opacity=0, filled=True),  # pointer
        _only("at").encode(x, y, colour, tooltip=tooltip).mark_circle(size=170, opacity=1),
    ]
    return finish(alt.layer(*layers).properties(height=HEIGHT))


_STROKE = {"size": 60, "strokeWidth": 5, "opacity": 1}


def _only(*kinds):
    return blank().transform_filter(alt.FieldOneOfPredicate("kind", list(kinds)))


def _axis(zero, overflow, overflows):
    """Few powers of ten, and the words for 0 and for what is no finite number at their places."""
    said = {ZERO: zero, **DECADES} | ({OVER: overflow} if overflows else {})
    expression = " : ".join(f"abs(log(datum.value / {at}) ) < 0.1 ? {text!r}" for at, text in said.items())
    return alt.Axis(values=list(said), labelExpr=f"{expression} : ''", grid=True)


def _here(x):
    """A vertical line at the parameter "at"; looks.py gives it the ink of the text."""
    one = blank().transform_aggregate(n="count()").transform_calculate(t="at")
    return one.mark_rule(strokeWidth=2, strokeDash=[4, 4]).encode(x).properties(name="here")
