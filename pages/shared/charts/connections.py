"""Who is connected to whom: a square of pairs, the stronger the connection the fuller the hue.

Rows are those that look, columns those that are looked at; an empty cell is no connection at all.
"""

from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts.base import HUES, Picture, blank, finish, with_params

MAX_CELLS = 48 * 48
SIDE = 330  # px, axes included
FAINTEST = 0.25  # opacity of a weak connection: still to be told from none


def connections_map(strength, hue, titles, form=".2f"):
    """Draw one cell a pair.

    Parameters
    ----------
    strength : (n_rows, n_columns) array
        0 where there is no connection. The strongest one has the full hue.
    hue : str
        One of HUES.
    titles : (row axis, column axis, value)
    form : str
        Format of the value in the tooltip.
    """
    strength = np.asarray(strength, dtype=float)
    if strength.size > MAX_CELLS:
        raise ValueError(f"at most {MAX_CELLS} pairs can be drawn, got {strength.shape}")
    row, column = np.divmod(np.arange(strength.size), strength.shape[1])
    data = pd.DataFrame({"row": row + 1, "column": column + 1, "value": strength.ravel()})
    strongest = strength.max(initial=0) or 1.0
    spec = _spec(*strength.shape, tuple(titles), form)
    return Picture(data, with_params(spec, hue=hue, strongest=float(strongest)))


@lru_cache(maxsize=64)
def _spec(n_rows, n_columns, titles, form):
    row_title, column_title, value_title = titles

    def axis(title, n, **options):
        every = max(1, -(-n // 8))
        look = alt.Axis(
            title=title,
            values=list(range(1, n + 1, every)),
            labelAngle=0,
            ticks=False,
            domain=False,
            **options,
        )
        return {
            "scale": alt.Scale(domain=list(range(1, n + 1)), paddingInner=0.12, paddingOuter=0.06),
            "axis": look,
        }

    base = blank().encode(
        x=alt.X("column:O", **axis(column_title, n_columns, orient="top")),
        y=alt.Y("row:O", **axis(row_title, n_rows)),
    )
    tooltip = [
        alt.Tooltip("row:O", title=row_title),
        alt.Tooltip("column:O", title=column_title),
        alt.Tooltip("value:Q", title=value_title, format=form),
    ]
    fill = alt.Fill("hue:N", scale=alt.Scale(domain=list(HUES)), legend=None)
    shade = alt.Opacity(
        "shade:Q", scale=alt.Scale(domain=[0, 1], range=[FAINTEST, 1], clamp=True), legend=None
    )
    empty = base.transform_filter("datum.value == 0").transform_calculate(hue="'neutral'")
    joined = base.transform_filter("datum.value > 0")
    joined = joined.transform_calculate(hue="hue", shade="datum.value / strongest")
    layers = [
        empty.mark_rect(fillOpacity=0.09).encode(fill),
        joined.mark_rect(cornerRadius=2).encode(fill, shade, tooltip=tooltip),
    ]
    return finish(alt.layer(*layers).properties(height=SIDE))
