"""Which things go with which: a dot where a row and a column belong together."""

from functools import lru_cache

import altair as alt
import pandas as pd

from pages.shared.charts.base import Picture, blank, finish, role_colour


def table_of_dots(pairs, rows, columns, hue):
    """Dots for (row, column) pairs; rows and columns stand in the order given."""
    data = pd.DataFrame(pairs, columns=["row", "column"])
    return Picture(data.assign(hue=hue), _spec(tuple(rows), tuple(columns)))


@lru_cache(maxsize=8)
def _spec(rows, columns):
    places = {"domain": False, "ticks": False, "grid": True, "title": None}
    narrow = "width < 420 ? split(datum.value, ' ')[0] : datum.value"  # on a phone the number of the page
    axis = alt.Axis(orient="top", labelAngle=0, labelExpr=narrow, **places)
    x = alt.X("column:N", scale=alt.Scale(domain=columns), axis=axis)
    y = alt.Y("row:N", scale=alt.Scale(domain=rows), axis=alt.Axis(**places))
    dots = blank().mark_circle(size=260, opacity=1).encode(x, y, role_colour(), tooltip=["row:N", "column:N"])
    return finish(dots.properties(height=44 * len(rows) + 40))
