"""Sizes in memory on a logarithmic axis: one row a thing, from its smallest piece to all of it."""

from functools import lru_cache
from typing import NamedTuple

import altair as alt
import pandas as pd

from pages.shared.charts.base import Picture, blank, finish, role_colour, with_params

ROW = 72  # px
UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB")
DOMAIN = [2.0**11, 2.0**64]  # with room for what is written beside the smallest and the largest


class Size(NamedTuple):
    """One row: a name, the bytes of a piece and of all, both also in words; `real` is False for a what-if."""

    name: str
    one: int
    every: int
    one_text: str
    every_text: str
    real: bool = True


def sizes(rows, hue, titles):
    """Draw two dots a row, joined. `titles` = (bytes axis, one piece, all of it)."""
    kinds = (("one", titles[1]), ("every", titles[2]))
    records = [
        {
            "place": place,
            "kind": kind,
            "bytes": float(getattr(row, kind)),
            "text": getattr(row, f"{kind}_text"),
            "other": float(row.every),
            "about": about,
            "real": row.real,
        }
        for place, row in enumerate(rows, start=1)
        for kind, about in kinds
    ]
    data = pd.DataFrame(records).assign(hue=hue)
    return Picture(data, with_params(_spec(len(rows), titles[0]), names=[row.name for row in rows]))


@lru_cache(maxsize=8)
def _spec(n, title):
    axis = alt.Axis(
        values=[2.0 ** (10 * i) for i in range(1, len(UNITS) + 1)],
        labelExpr=f"{list(UNITS)}[round(log(datum.value) / LN2 / 10) - 1]",
    )
    x = alt.X("bytes:Q", title=title, scale=alt.Scale(type="log", domain=DOMAIN, nice=False), axis=axis)
    y = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[n + 0.45, 0.35], nice=False))
    base = blank().transform_calculate(name="names[datum.place - 1]")
    base = base.encode(x, y, role_colour())
    tooltip = [
        alt.Tooltip("name:N", title=" "),
        alt.Tooltip("about:N", title=" "),
        alt.Tooltip("text:N", title=title),
    ]
    piece, whole = (base.transform_filter(f"datum.kind == '{kind}'") for kind in ("one", "every"))
    dashes = alt.condition("datum.real", alt.value([1, 0]), alt.value([6, 5]))
    dot = {"size": 190, "strokeWidth": 3, "opacity": 1}
    text = {"fontSize": 16, "fontWeight": 600}
    name = blank().transform_filter("datum.kind == 'one'").transform_calculate(name="names[datum.place - 1]")
    name = name.mark_text(align="left", fontSize=16, dy=-24, x=4).encode(y, text="name:N")
    layers = [
        piece.mark_rule(strokeWidth=3).encode(x2="other:Q", strokeDash=dashes),
        piece.mark_point(filled=False, **dot).encode(tooltip=tooltip),
        whole.mark_point(filled=True, **dot).encode(tooltip=tooltip),
        piece.mark_text(align="right", dx=-12, **text).encode(text="text:N"),
        whole.mark_text(align="left", dx=12, **text).encode(text="text:N"),
        name.properties(name="on_ground"),
    ]
    return finish(alt.layer(*layers).properties(height=ROW * n + 60))
