"""Weights and scores as n_q x n_k grids.

Rows are queries, columns are keys, the first token stands at the top.
"""

from functools import lru_cache

import altair as alt
import numpy as np

from pages.shared.charts.base import HUES, Picture, blank, finish, labels, nice_bound, with_params

MAX_CELLS = 64 * 64  # the largest heat map; Altair refuses more than 5,000 rows
MAX_PRINTED = 10  # columns up to which the numbers stand on the cells ...
ROOM = 36  # ... if each is at least so many px wide: on a phone they would run into each other
# Printed numbers change their ink where black and white are equally readable; see the palettes in
# config.toml.
STRONG_WEIGHT = (6 / 9) ** 2
STRONG_SCORE = 2.5 / 4.5
# From 45 words on Streamlit draws on a canvas, where looks.py cannot give the text the theme's ink. No grey
# has 4.5 : 1 on both grounds (4.3 is the most), but hues change with the theme, and that of "mlp" is dark
# enough on the one and pale enough on the other: 8.5 : 1 and 9.4 : 1.
INK = {"labelColor": alt.expr("scale('fill', 'mlp')"), "titleColor": alt.expr("scale('fill', 'mlp')")}
BLOCKED = "!isValid(datum.value)"  # minus infinity stands in the table as a missing value


def weights_map(weights, rows, columns, titles):
    """Attention weights: (n_q, n_k) on [0, 1]. `titles` = (row axis, column axis, value)."""
    return _heat_map(np.asarray(weights), rows, columns, tuple(titles), None)


def scores_map(scores, rows, columns, titles, bound=None):
    """Scores around 0.

    (n_q, n_k); -inf is drawn as a grey cell, with a sign where there is room. `bound` fixes the scale for
    several maps.
    """
    scores = np.asarray(scores)
    return _heat_map(scores, rows, columns, tuple(titles), bound or nice_bound(scores))


def _heat_map(values, rows, columns, titles, bound):
    n_q, n_k = values.shape
    if values.size > MAX_CELLS:
        raise ValueError(f"a heat map holds at most {MAX_CELLS} cells, got {n_q} x {n_k}")
    row, column = np.divmod(np.arange(values.size), n_k)
    flat = values.ravel().astype(float)
    data = {
        "row": row + 1,
        "column": column + 1,
        "value": np.where(np.isfinite(flat), flat, np.nan),
        "row_token": [rows[i] for i in row],
        "column_token": [columns[j] for j in column],
    }
    spec = _heat_spec(n_q, n_k, titles, bound)
    return Picture(data, with_params(spec, rows=labels(rows), columns=labels(columns)))


@lru_cache(maxsize=128)
def _heat_spec(n_q, n_k, titles, bound):
    row_title, column_title, value_title = titles
    form = ".3f" if bound is None else ".2f"

    angle = 0 if n_k <= 12 else -60
    base = blank().encode(
        x=alt.X("column:O", **_axis(column_title, "columns", n_k, orient="top", labelAngle=angle)),
        y=alt.Y("row:O", **_axis(row_title, "rows", n_q)),
        tooltip=[
            alt.Tooltip("row_token:N", title=row_title),
            alt.Tooltip("column_token:N", title=column_title),
            alt.Tooltip("value:Q", title=value_title, format=form),
        ],
    )
    colour, strong = _colour(value_title, bound)
    cells = base.mark_rect().encode(colour)
    grey = alt.Fill("hue:N", scale=alt.Scale(domain=list(HUES)), legend=None)
    blocked = (
        base.mark_rect(opacity=0.22, aria=False)
        .transform_filter(BLOCKED)
        .transform_calculate(hue="'neutral'")
    )
    layers = [cells, blocked.encode(grey)]
    if n_k <= MAX_PRINTED:
        layers.append(_ink(base.mark_text(), "on_ground", BLOCKED, alt.value("−∞")))
        number = alt.Text("value:Q", format=".2f")
        printed = base.mark_text(opacity=alt.expr(f"width < {ROOM * n_k} ? 0 : 1"))
        layers += [
            _ink(printed, "on_strong", f"isValid(datum.value) && {strong}", number),
            _ink(printed, "on_pale", f"isValid(datum.value) && !({strong})", number),
        ]
    height = max(270, min(44 * n_q, 560) + 90)
    return finish(alt.layer(*layers).properties(height=height))


def _axis(title, name, n, **options):
    """Places from 1 to n, each under its token, which is a parameter of the spec."""
    token = f"{name}[datum.value - 1]"
    look = alt.Axis(title=title, labelExpr=token, labelOverlap=True, **INK, **options)
    return {"scale": alt.Scale(domain=list(range(1, n + 1))), "axis": look}


def _colour(title, bound):
    """The colour of a value, and the condition for a cell to be strong: its number needs the other ink."""
    if bound is None:
        scale, ticks = alt.Scale(domain=[0, 1], type="sqrt"), [0, 0.1, 0.5, 1]
        strong = f"datum.value >= {STRONG_WEIGHT}"
    else:
        scale = alt.Scale(domain=[-bound, bound], domainMid=0, interpolate="rgb", range="diverging")
        ticks, strong = [-bound, 0, bound], f"abs(datum.value) >= {STRONG_SCORE * bound}"
    legend = alt.Legend(title=title, values=ticks, orient="bottom", format="~g", gradientLength=180, **INK)
    return alt.Color("value:Q", scale=scale, legend=legend), strong


def _ink(marks, name, condition, text):
    """A layer of texts that looks.py gives the ink for its ground; Vega names its group after the layer."""
    return marks.transform_filter(condition).encode(text=text).properties(name=name)


def mark_row(picture, row):
    """The same grid with a frame in the hue of a query around one row (counted from 1)."""
    return _framed(picture, row, 1, "query", {"y": {"field": "row", "type": "ordinal"}})


def mark_cell(picture, row, column):
    """The same grid with a frame in the hue of a key around one cell (counted from 1)."""
    places = {
        channel: {"field": field, "type": "ordinal"} for channel, field in (("x", "column"), ("y", "row"))
    }
    return _framed(picture, row, column, "key", places)


def _framed(picture, row, column, hue, places):
    frame = {
        "transform": [{"filter": f"datum.row == {int(row)} && datum.column == {int(column)}"}],
        "mark": {"type": "rect", "fillOpacity": 0, "strokeWidth": 4, "aria": False},
        "encoding": {
            **places,
            "stroke": {"datum": hue, "type": "nominal", "scale": {"domain": list(HUES)}, "legend": None},
        },
    }
    return picture._replace(spec=picture.spec | {"layer": [*picture.spec["layer"], frame]})
