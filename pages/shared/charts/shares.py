"""What things are made of: one bar a thing, all equally long, cut into the shares of its parts."""

from functools import lru_cache

import altair as alt
import pandas as pd

from pages.shared.charts.base import Picture, blank, finish, legend_of, named_colour, with_params

ROW = 52  # px
BAR = (0.04, 0.36)  # from the middle of a row to the edges of its bar, downwards; the name stands above

BOLD = "datum.marked ? 700 : 400"


def shares(rows, parts, titles, marked=None):
    """Draw each row's parts as shares of their sum.

    Parameters
    ----------
    rows : sequence of (name, counts)
        From the top. `counts` has a number of 0 or more for every part, their sum is above 0.
    parts : sequence of (name, hue)
        From the left; at most two of a hue.
    titles : (things, parts, shares axis)
    marked : int, optional
        The row whose name is bold, counted from 0.
    """
    records = []
    for place, (_, counts) in enumerate(rows, start=1):
        start = 0.0
        for (part, _), count in zip(parts, counts, strict=True):
            share = count / sum(counts)
            middle = {"place": place, "marked": place - 1 == marked, "name": part, "share": share}
            records.append(middle | {"start": start, "end": min(start + share, 1.0)})
            start += share
    spec = _spec(len(rows), tuple(parts), tuple(titles))
    return Picture(pd.DataFrame(records), with_params(spec, names=[name for name, _ in rows]))


@lru_cache(maxsize=8)
def _spec(n, parts, titles):
    thing, part, share = titles
    legend = legend_of([name for name, _ in parts])
    legend.symbolType, legend.symbolStrokeWidth = "square", 0  # areas are filled
    scale = alt.Scale(domain=[n + 0.5, 0.4], nice=False)
    axis = alt.Axis(format=".0%", values=[0, 0.25, 0.5, 0.75, 1])
    x = alt.X("start:Q", title=share, scale=alt.Scale(domain=[0, 1], nice=False), axis=axis)
    tooltip = [
        alt.Tooltip("thing:N", title=thing),
        alt.Tooltip("name:N", title=part),
        alt.Tooltip("share:Q", title=share, format=".2%"),
    ]
    base = blank().transform_calculate(
        thing="names[datum.place - 1]",
        top=f"datum.place + {BAR[0]}",
        bottom=f"datum.place + {BAR[1]}",
    )
    bar = base.mark_rect().encode(
        x,
        alt.X2("end:Q"),
        alt.Y("top:Q", axis=None, scale=scale),
        alt.Y2("bottom:Q"),
        named_colour(parts).legend(legend),
    )
    bar = bar.encode(tooltip=tooltip)
    name = (
        base.transform_filter("datum.start == 0 && datum.share > 0")
        .mark_text(align="left", baseline="bottom", dy=-3, fontSize=16, fontWeight=alt.expr(BOLD))
        .encode(x, alt.Y("top:Q", axis=None, scale=scale), text="thing:N", tooltip=tooltip[:1])
    )
    return finish(alt.layer(bar, name.properties(name="on_ground")).properties(height=ROW * n + 110))
