"""Lines of one run, each on the band of what several runs gave: shares, or sizes over powers of ten."""

from functools import lru_cache
from typing import NamedTuple

import altair as alt
import numpy as np

from pages.shared.charts.base import Picture, blank, finish, legend_of, named_colour, with_params
from pages.shared.charts.powers import power_of_ten

SOLID, DASHED, DOTTED = (1, 0), (8, 5), (2, 4)
BEYOND = 0.4  # of a power of ten: room beyond the outermost ticks, to 2.5 times as much


class BandLine(NamedTuple):
    """One name in the legend: a line, a band, or both."""

    name: str
    hue: str
    x: np.ndarray  # (n,)
    values: np.ndarray | None = None  # (n,), the line; not a number where it has not come yet
    low: np.ndarray | None = None  # (n,), ends of the band
    high: np.ndarray | None = None
    dash: tuple = SOLID


def bands(
    lines,
    titles,
    domain,
    *,
    ticks=None,
    at=None,
    edge=None,
    powers=None,
    top=1.0,
    doubling=False,
    height=430,
):
    """Draw lines on their bands.

    Parameters
    ----------
    lines : sequence of BandLine
        In the order of the legend; at most two share a hue.
    titles : (x axis, value axis)
    domain : (first x, last x)
    ticks : sequence of int, optional
        Where the x axis is labelled.
    at : float, optional
        A vertical line: where the inputs stand now.
    edge : (x, text), optional
        A vertical line with its name beside it.
    powers : (least power of ten, largest, text for exactly 0), optional
        A logarithmic value axis, whose lowest place is that of exact zeros. It has room for 2.5
        times the largest and the least divided by as much; what lies beyond is drawn at the edge.
    top : float
        Without `powers`, where the value axis ends: at 1 for shares. What is larger is drawn at the edge.
    doubling : bool
        Whether the x axis doubles from tick to tick.
    """
    data = _columns(lines)
    for column in ("value", "low", "high"):
        data[f"{column}_there"] = _places(data[column], powers, top)
    looks = tuple((line.name, line.hue, line.dash) for line in lines)
    x_axis = tuple(domain), ticks and tuple(ticks), doubling
    spec = _spec(looks, tuple(titles), x_axis, at is not None, edge, powers or top, height)
    return Picture(data, spec if at is None else with_params(spec, at=at))


def _columns(lines):  # -> {column: (n_rows,) array}
    """Lay all lines below each other; what a line does not have is not a number."""
    sizes = [len(line.x) for line in lines]
    columns = {"name": np.repeat(np.array([line.name for line in lines], object), sizes)}
    for column, field in (("x", "x"), ("value", "values"), ("low", "low"), ("high", "high")):
        parts = [getattr(line, field) for line in lines]
        parts = [np.full(n, np.nan) if part is None else part for part, n in zip(parts, sizes, strict=True)]
        columns[column] = np.concatenate(parts).astype(float)
    return columns


def _places(values, powers, top):
    """Where a value is drawn: itself, or its power of ten; exact zeros lie one power below all others."""
    if powers is None:
        return np.minimum(values, top)
    least, most, _ = powers
    with np.errstate(divide="ignore"):
        found = np.log10(values)
    return np.where(found == -np.inf, least - 1, np.clip(found, least - BEYOND, most + BEYOND))


@lru_cache(maxsize=64)
def _spec(looks, titles, x_axis, has_rule, edge, values, height):
    names = [name for name, *_ in looks]
    domain, ticks, doubling = x_axis
    axis = alt.Axis(format="d", **({"values": list(ticks)} if ticks else {"tickCount": 6}))
    kind = {"type": "log", "base": 2} if doubling else {}
    x = alt.X("x:Q", title=titles[0], axis=axis, scale=alt.Scale(domain=list(domain), nice=False, **kind))
    axis, ends = _value_axis(values)
    scale = alt.Scale(domain=list(ends), nice=False)
    y = alt.Y("value_there:Q", title=titles[1], axis=axis, scale=scale)
    legend = _legend(names)
    colour = named_colour([(name, hue) for name, hue, _ in looks]).legend(legend)
    dashes = alt.Scale(domain=names, range=[list(dash) for *_, dash in looks])
    dash = alt.StrokeDash("name:N", scale=dashes, legend=legend)
    tooltip = [
        alt.Tooltip("name:N", title=" "),
        alt.Tooltip("x:Q", title=titles[0], format="d"),
        *(alt.Tooltip(f"{column}:Q", title=sign, format=".2~g") for column, sign in SIGNS.items()),
    ]
    low = alt.Y("low_there:Q", title=titles[1], axis=axis, scale=scale)
    layers = [
        _only("low").encode(x, low, colour, y2="high_there:Q").mark_area(opacity=0.2),
        _only("value").encode(x, y, colour, dash).mark_line(strokeWidth=3),
        _only("value").encode(x, y, tooltip=tooltip).mark_point(size=200, opacity=0, filled=True),  # pointer
    ]
    if has_rule:
        layers.append(_rule("at"))
    return finish(alt.layer(*layers, *_edge(edge)).properties(height=height))


def _legend(names):
    """A legend that is as strong as the lines, though the bands are pale; at most three in a row."""
    legend = legend_of(names, wide=3)
    legend.symbolOpacity = 1
    return legend


SIGNS = {"value": "=", "low": "min", "high": "max"}


def _only(column):
    return blank().transform_filter(f"isValid(datum.{column})")


def _value_axis(values):
    """An axis from 0 to a top, or one of powers of ten with a place for exactly 0 below them."""
    if isinstance(values, float):
        return alt.Axis(format=".1f", tickCount=5), (0, values)
    least, most, zero = values
    labels = {least - 1: zero} | {power: power_of_ten(power) for power in range(least, most + 1)}
    expression = f"{list(labels.values())}[round(datum.value) - ({least - 1})]"
    return alt.Axis(values=list(labels), labelExpr=expression), (least - 1.3, most + BEYOND)


def _rule(place):
    """A vertical line; looks.py gives it the ink of the text."""
    one = blank().transform_aggregate(n="count()").transform_calculate(at=place)
    return one.mark_rule(strokeWidth=2, strokeDash=[4, 4]).encode(x="at:Q").properties(name="here")


def _edge(edge):
    """A vertical line with its name to its right, below the middle, where few lines pass."""
    if edge is None:
        return []
    place, text = edge
    one = blank().transform_aggregate(n="count()").transform_calculate(at=str(place), text=repr(text))
    label = one.mark_text(align="left", dx=8, fontSize=15, y=alt.expr("0.62 * height")).encode(
        x="at:Q", text="text:N"
    )
    return [_rule(str(place)), label.properties(name="on_ground")]
