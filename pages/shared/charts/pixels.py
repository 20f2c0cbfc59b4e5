"""A small picture of signed numbers, pixel by pixel: no axes, the pointer tells row and column."""

from functools import lru_cache

import altair as alt
import numpy as np

from pages.shared.charts.base import HUES, Picture, blank, finish

HEIGHT = 370  # px, legend included


def pixels(values, titles, bound):
    """Draw one cell a pixel, coloured around 0.

    Parameters
    ----------
    values : (n_rows, n_columns) array
    titles : (row, column, value)
    bound : float
        The scale ends at -bound and bound; pictures to be compared have the same.
    """
    values = np.asarray(values, dtype=float)
    row, column = (index.ravel() + 1 for index in np.indices(values.shape))
    data = {"row": row, "column": column, "value": values.ravel()}
    return Picture(data, _spec(*values.shape, tuple(titles), float(bound)))


@lru_cache(maxsize=64)
def _spec(n_rows, n_columns, titles, bound):
    row_title, column_title, value_title = titles

    def places(n):
        return {"axis": None, "scale": alt.Scale(domain=list(range(1, n + 1)), padding=0)}

    scale = alt.Scale(domain=[-bound, bound], domainMid=0, interpolate="rgb", range="diverging")
    legend = alt.Legend(
        title=value_title, values=[-bound, 0, bound], orient="bottom", format="~g", gradientLength=180
    )
    base = blank().encode(
        alt.X("column:O", **places(n_columns)),
        alt.Y("row:O", **places(n_rows)),
        tooltip=[
            alt.Tooltip("row:O", title=row_title),
            alt.Tooltip("column:O", title=column_title),
            alt.Tooltip("value:Q", title=value_title, format=".3~g"),
        ],
    )
    line = alt.Stroke("hue:N", scale=alt.Scale(domain=list(HUES)), legend=None)
    grid = base.transform_calculate(hue="'neutral'").mark_rect(
        fillOpacity=0, strokeWidth=0.5, strokeOpacity=0.4, aria=False
    )
    cells = base.mark_rect().encode(alt.Color("value:Q", scale=scale, legend=legend))
    return finish(alt.layer(cells, grid.encode(line)).properties(height=HEIGHT))
