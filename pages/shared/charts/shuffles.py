"""What a shuffle does: where every word goes, and by how much its output changes there."""

from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts.base import (
    LOOKS,
    Picture,
    blank,
    columns_of,
    finish,
    labels,
    role_colour,
    with_params,
)

LEFT = 92  # px for the labels on the left of both pictures, so that the places stand under each other
LEAST, MOST = 1e-17, 1e1
UPRIGHT, SLANT = 10, 60  # up to so many words the labels stand upright, else they lean by so many degrees
SPACE = 130  # px between the two rows of words


def moves(tokens, order, sides):
    """A line for each word from its old place above to its new place below. `sides` = (before, after)."""
    n = len(tokens)
    data = pd.DataFrame(
        {
            "old": np.asarray(order) + 1,
            "new": np.arange(n) + 1,
            "token": [tokens[i] for i in order],
            "hue": "output",
        }
    )
    before, after = labels(tokens), labels([tokens[i] for i in order])
    spec = with_params(_moves_spec(n, tuple(sides)), before=before, after=after)
    return Picture(data, spec | {"height": round(SPACE + 2 * _room(before))})


def changes(tokens, differences, titles, limit):
    """A bar for each word, on a log axis, and a dashed line at the limit of what is rounding.

    `titles` = (words, difference).
    """
    differences = np.asarray(differences, dtype=float)
    data = pd.DataFrame(
        {
            "new": np.arange(len(tokens)) + 1,
            "token": list(tokens),
            "difference": differences,
            "shown": np.clip(differences, 1.5 * LEAST, MOST),  # a difference of exactly 0 stays visible
            "hue": "output",
        }
    )
    return Picture(data, with_params(_changes_spec(len(tokens), tuple(titles), limit), after=labels(tokens)))


def _room(tokens):
    """Pixels that the labels under or above a picture take up."""
    size = LOOKS["axis"]["labelFontSize"]
    if len(tokens) <= UPRIGHT:
        return 14 + size
    longest = max(map(columns_of, tokens)) * 0.55 * size  # the mean sign is a little wider than half its size
    return 14 + longest * np.sin(np.radians(SLANT)) + size * np.cos(np.radians(SLANT))


def _places(n, field, name, title=None, **options):
    """An axis of places whose labels are tokens."""
    axis = alt.Axis(
        title=title,
        values=list(range(1, n + 1)),
        labelExpr=f"{name}[datum.value - 1]",
        labelAngle=0 if n <= UPRIGHT else -SLANT,
        labelOverlap=True,
        grid=False,
        **options,
    )
    return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0.5, n + 0.5], nice=False, zero=False), axis=axis)


@lru_cache(maxsize=64)
def _moves_spec(n, sides):
    before, after = sides
    side = alt.Axis(
        title=None,
        values=[0, 1],
        labelExpr=f"datum.value > 0.5 ? {before!r} : {after!r}",
        minExtent=LEFT,
        maxExtent=LEFT,
        ticks=False,
        domain=False,
        grid=False,
    )
    height = alt.Scale(domain=[-0.1, 1.1], nice=False)
    tooltip = [
        alt.Tooltip("token:N", title=" "),
        alt.Tooltip("old:Q", title=before, format="d"),
        alt.Tooltip("new:Q", title=after, format="d"),
    ]
    base = blank().encode(role_colour(), tooltip=tooltip)
    upper = alt.YDatum(1, type="quantitative", scale=height, axis=side)
    lower = alt.YDatum(0, type="quantitative", scale=height, axis=side)
    thin = n > 20
    ways = base.mark_rule(strokeWidth=1.5 if thin else 3, opacity=0.75)
    dots = base.mark_circle(size=30 if thin else 110, opacity=1)
    old = _places(n, "old", "before", orient="top")
    new = _places(n, "new", "after", orient="bottom")
    start = dots.encode(old, upper)
    end = dots.encode(new, lower)
    ways = ways.encode(old, upper, x2="new:Q", y2=alt.Y2Datum(0))
    return finish(alt.layer(alt.layer(ways, start), end).resolve_scale(x="independent"))


@lru_cache(maxsize=64)
def _changes_spec(n, titles, limit):
    word_title, title = titles
    scale = alt.Scale(type="log", domain=[LEAST, MOST], nice=False, clamp=True)
    axis = alt.Axis(title=title, format=".0e", values=[1e-16, 1e-12, 1e-8, 1e-4, 1], minExtent=LEFT - 30)
    tooltip = [
        alt.Tooltip("token:N", title=word_title),
        alt.Tooltip("difference:Q", title=title, format=".1e"),
    ]
    width = {"size": alt.expr(f"max(3, min(44, 0.7 * width / {n}))")}
    bars = (
        blank()
        .mark_bar(**width)
        .encode(
            role_colour(),
            _places(n, "new", "after", word_title),
            alt.Y("shown:Q", scale=scale, axis=axis),
            y2=alt.Y2Datum(LEAST),
            tooltip=tooltip,
        )
    )
    line = blank().transform_aggregate(n="count()").mark_rule(strokeWidth=2, strokeDash=[4, 4])
    rule = line.encode(y=alt.YDatum(limit, type="quantitative", scale=scale)).properties(name="here")
    return finish(alt.layer(bars, rule).properties(height=260))
