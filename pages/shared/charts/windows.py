"""Small maps of one neighbourhood, three by three: where each of nine heads looks, around one pixel."""

from functools import lru_cache

import altair as alt
import numpy as np

from pages.shared.charts.base import HUES, Picture, blank, finish

GAP = 2  # cells between two maps: room for what stands above each
HEIGHT = 400  # px, legend included


def windows(maps, names, titles, first, side):
    """Draw nine maps of the same cells.

    Parameters
    ----------
    maps : (9, n, n) array
        Weights on [0, 1], n odd; not a number where there is nothing to look at. The cell in the middle
        belongs to the one that asks.
    names : sequence of 9 str
        What stands above each.
    titles : (row, column, value)
    first : (int, int)
        Row and column of the first cell, as the tooltip names them.
    side : int
        Cells whose row or column is not in 1 ... side get a dashed frame: they are padding.
    """
    maps = np.asarray(maps, dtype=float)
    n, values = maps.shape[1], maps.ravel()
    which, down, across = (index.ravel() for index in np.indices(maps.shape))
    row, column = first[0] + down, first[1] + across
    inside = (row >= 1) & (row <= side) & (column >= 1) & (column <= side)
    data = {
        "x": which % 3 * (n + GAP) + across + 1,
        "y": which // 3 * (n + GAP) + GAP + down + 1,
        "row": row,
        "column": column,
        "value": values,
        "kind": np.where(np.isnan(values), "none", np.where(inside, "cell", "ring")),
        "asks": (down == n // 2) & (across == n // 2),
        "name": np.array(names, dtype=object)[which],
    }
    return Picture(data, _spec(n, tuple(titles)))


@lru_cache(maxsize=16)
def _spec(n, titles):
    row_title, column_title, value_title = titles
    legend = alt.Legend(title=value_title, values=[0, 0.1, 0.5, 1], orient="bottom", gradientLength=180)
    shade = alt.Color("value:Q", scale=alt.Scale(domain=[0, 1], type="sqrt"), legend=legend)
    tooltip = [
        alt.Tooltip("row:Q", title=row_title, format="d"),
        alt.Tooltip("column:Q", title=column_title, format="d"),
        alt.Tooltip("value:Q", title=value_title, format=".3~g"),
    ]
    x, y = _places(alt.X, "x:O", 3 * n + 2 * GAP), _places(alt.Y, "y:O", 3 * (n + GAP))
    base = blank().encode(x, y, tooltip=tooltip)
    frame = {"fillOpacity": 0, "aria": False}
    layers = [
        _in_hue(base, "neutral", "datum.kind == 'none'", alt.Fill).mark_rect(opacity=0.22, aria=False),
        base.transform_filter("datum.kind != 'none'").mark_rect().encode(shade),
        _in_hue(base, "neutral", "datum.kind == 'cell'").mark_rect(
            strokeWidth=0.5, strokeOpacity=0.4, **frame
        ),
        _in_hue(base, "neutral", "datum.kind == 'ring'").mark_rect(strokeDash=[2, 2], **frame),
        _in_hue(base, "query", "datum.asks").mark_rect(strokeWidth=3, **frame),
        _headings(base, n),
    ]
    return finish(alt.layer(*layers).properties(height=HEIGHT))


def _places(channel, field, n_places):
    return channel(field, axis=None, scale=alt.Scale(domain=list(range(1, n_places + 1)), padding=0))


def _in_hue(base, hue, condition, channel=alt.Stroke):
    """The cells that meet the condition, lined or filled with a hue."""
    colour = channel("hue:N", scale=alt.Scale(domain=list(HUES)), legend=None)
    return base.transform_filter(condition).transform_calculate(hue=repr(hue)).encode(colour)


def _headings(base, n):
    """The name of each map, above the column in its middle."""
    one = base.transform_filter("datum.asks").transform_calculate(top=f"datum.y - {(n + 1) // 2}")
    y = _places(alt.Y, "top:O", 3 * (n + GAP))
    return one.mark_text(fontSize=16).encode(y, text="name:N").properties(name="on_ground")
