"""Numbers that run over dozens of powers of ten, block by block up a tower."""

from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts.base import DASHES, Picture, blank, finish, legend_of, named_colour
from pages.shared.charts.powers import power_of_ten, with_power_of_ten

STEPS = (1, 2, 5, 10, 20, 50)  # powers of ten from one label to the next
MOST_LABELS = 7
ROUNDING = float(np.finfo(np.float64).eps)
NOTHING = 1e-17  # where 0 is drawn, and whatever rounding alone has left over


def written(value):  # float -> str
    """A positive number as a sentence shows it: 0.83, 4.2, 2,811, 7.0 × 10¹³, 3.2 × 10⁻¹⁶."""
    if value == 0 or 0.01 <= value < 9999.5:
        digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
        return f"{value:,.{digits}f}" if value else "0"
    return with_power_of_ten(value)


def decades(values, series, titles, *, rounding=None, height=330):
    """Lines over the places 0 (the input), 1, 2, ... of a tower; the value axis counts powers of ten.

    Parameters
    ----------
    values : sequence of (n_layers + 1,) array
        One for each line; none below 0.
    series : sequence of (name, hue)
    titles : (place axis, value axis, name of place 0)
    rounding : str, optional
        The name of a line at the rounding error of float64; it is drawn where the values come near it.
    """
    names = [name for name, _ in series]
    places = [np.arange(len(line)) for line in values]
    shown = np.concatenate([np.maximum(line, NOTHING) if rounding else line for line in values])
    data = pd.DataFrame(
        {
            "x": np.concatenate(places),
            "y": np.log10(shown),
            "value": np.concatenate(list(values)),
            "name": np.repeat(names, [len(line) for line in values]),
        }
    )
    ticks = powers_between(data["y"].min(), data["y"].max())
    near = rounding if rounding and ticks[0] < np.log10(ROUNDING) else None
    return Picture(data, _spec(tuple(series), tuple(titles), len(places[0]) - 1, ticks, near, height))


def powers_between(low, high):  # -> tuple of int
    """The powers of ten that are labelled, evenly spaced; the first and the last enclose all values."""
    for step in STEPS:
        first, last = int(np.floor(low / step + 1e-9)), int(np.ceil(high / step - 1e-9))
        last = max(last, first + 1)
        if last - first < MOST_LABELS:
            break
    return tuple(step * i for i in range(first, last + 1))


@lru_cache(maxsize=128)
def _spec(series, titles, n_layers, ticks, rounding, height):
    x_title, y_title, start = titles
    names = [name for name, _ in series]
    every = max(1, n_layers // 6)
    marks = alt.Axis(
        values=list(range(0, n_layers + 1, every)), labelExpr=f"datum.value == 0 ? {start!r} : datum.value"
    )
    labels = [power_of_ten(power) for power in ticks]
    powers = alt.Axis(values=list(ticks), labelExpr=f"{labels}[indexof({list(ticks)}, datum.value)]")
    y_scale = alt.Scale(domain=[ticks[0], ticks[-1]], nice=False)
    x = alt.X("x:Q", title=x_title, scale=alt.Scale(domain=[0, n_layers], nice=False), axis=marks)
    y = alt.Y("y:Q", title=y_title, scale=y_scale, axis=powers)
    tooltip = [
        alt.Tooltip("name:N", title=" "),
        alt.Tooltip("x:Q", title=x_title, format="d"),
        alt.Tooltip("value:Q", title=y_title, format=".3~g"),
    ]
    dashes = [list(dash) for dash in DASHES[: len(names)]]
    dash = alt.StrokeDash("name:N", scale=alt.Scale(domain=names, range=dashes), legend=legend_of(names))
    base = blank().encode(x, y, named_colour(series))
    layers = [
        base.mark_line(strokeWidth=3).encode(dash),
        base.mark_point(size=40 if n_layers > 24 else 70, filled=True, opacity=1),
        base.mark_point(size=240, opacity=0, filled=True).encode(tooltip=tooltip),  # for the pointer
    ]
    return finish(alt.layer(*layers, *_rounding_line(rounding, y_scale)).properties(height=height))


def _rounding_line(name, y_scale):
    """A line at the rounding error, with its name above its right end."""
    if not name:
        return []
    y = alt.Y("y:Q", scale=y_scale)
    one = blank().transform_aggregate(n="count()")
    one = one.transform_calculate(y=str(np.log10(ROUNDING)), text=repr(name))
    rule = one.mark_rule(strokeWidth=2, strokeDash=[4, 4]).encode(y).properties(name="here")
    label = one.mark_text(align="right", dx=-6, dy=-14, fontSize=15)
    label = label.encode(y, x=alt.value(alt.expr("width")), text="text:N")
    return [rule, label.properties(name="on_ground")]
