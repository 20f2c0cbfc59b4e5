"""How often each fixed offset is right, a bar for each number of places back; and what windows do instead."""

from functools import lru_cache

import altair as alt
import pandas as pd

from pages.shared.charts.base import Picture, blank, finish, legend_of, role_colour

HEIGHT = 400  # px, legend and axes included


def offset_bars(fixed, windows, n, at, titles):
    """Bars over k = 1, 2, 3, ...; lines for windows of the same k.

    Parameters
    ----------
    fixed : (furthest,) int array
        In how many of the n sentences the word k places back is the right one.
    windows : sequence of (name, (furthest,) int array)
        The same for what can be done with a window of k words; two of them.
    n : int
    at : int
        The k to emphasise; the best k, the nearest of them if several are best, is emphasised too.
    titles : (k axis, share axis, name of the bars)
    """
    best = int(fixed.argmax()) + 1
    numbered = {best, at} if abs(best - at) != 1 else {best}  # numbers on neighbours would touch
    rows = [
        ("bar", k, count / n, count, titles[2], "conv", k in (best, at), k in numbered)
        for k, count in enumerate(fixed.tolist(), start=1)
    ]
    for name, counts in windows:
        rows += [
            ("line", k, count / n, count, name, "neutral", False, False)
            for k, count in enumerate(counts.tolist(), start=1)
        ]
    columns = ["kind", "k", "share", "count", "name", "hue", "lit", "numbered"]
    names = tuple(name for name, _ in windows)
    return Picture(pd.DataFrame(rows, columns=columns), _spec(len(fixed), tuple(titles[:2]), names))


@lru_cache(maxsize=64)
def _spec(furthest, titles, names):
    axis = alt.Axis(labelAngle=0, labelOverlap="greedy", grid=False)
    x = alt.X("k:O", title=titles[0], axis=axis, scale=alt.Scale(domain=list(range(1, furthest + 1))))
    shares = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f")
    y = alt.Y("share:Q", title=titles[1], axis=shares, scale=alt.Scale(domain=[0, 1.04], nice=False))
    tooltip = [
        alt.Tooltip("name:N", title=" "),
        alt.Tooltip("k:O", title=titles[0]),
        alt.Tooltip("count:Q", title=" ", format=",d"),
        alt.Tooltip("share:Q", title=titles[1], format=".3f"),
    ]
    bar = blank().transform_filter("datum.kind == 'bar'").encode(x, y, role_colour())
    line = blank().transform_filter("datum.kind == 'line'").encode(x, y, role_colour(), tooltip=tooltip)
    dashes = alt.Scale(domain=list(names), range=[[7, 5], [1, 0]])
    dash = alt.StrokeDash("name:N", scale=dashes, legend=legend_of(names))
    lit = alt.condition("datum.lit", alt.value(1), alt.value(0.45))
    layers = [
        bar.mark_bar().encode(opacity=lit, tooltip=tooltip),
        _half(),
        line.mark_line(strokeWidth=3, interpolate="linear").encode(dash),
        line.mark_point(size=22 if furthest > 12 else 55, filled=True, opacity=1),
        bar.transform_filter("datum.numbered")
        .mark_text(dy=-13, fontSize=16, fontWeight=600)
        .encode(text="count:Q")
        .properties(name="on_ground"),
    ]
    return finish(alt.layer(*layers).properties(height=HEIGHT))


def _half():
    """A line at one half, in the ink of the text (looks.py)."""
    one = blank().transform_aggregate(n="count()")
    return one.mark_rule(strokeWidth=2, strokeDash=[4, 4]).encode(y=alt.YDatum(0.5)).properties(name="here")
