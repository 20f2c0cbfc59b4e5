"""A tower of boxes, read from the bottom up, with lines that lead past some of them."""

from functools import lru_cache
from typing import NamedTuple

import altair as alt
import pandas as pd

from pages.shared.charts.base import HUES, Picture, blank, finish, role_colour

PITCH = 68  # px from one box to the next
FRAME = 24  # px around all of them
HALF = 0.35  # of a box's height, in pitches
LEFT, RIGHT, LANE, NOTES = 16, 67, 5, 70  # places across, in per cent of the width
MIDDLE = (LEFT + RIGHT) / 2
# Every mark is a row of one table; what a kind of mark has no use for stays as it is here.
EMPTY = {
    "kind": "",
    "text": "",
    "about": "",
    "hue": "neutral",
    "align": "left",
    "bold": False,
    "marked": False,
}
EMPTY |= dict.fromkeys(("x", "x2", "y", "y2", "path", "order"), 0.0)


class Box(NamedTuple):
    """One box: two lines of text in it, two beside it."""

    name: str
    shape: str
    notes: tuple[str, str]
    hue: str = "neutral"
    marked: bool = False


def tower(boxes, bypasses=()):
    """Boxes from bottom to top, joined by arrows.

    Parameters
    ----------
    boxes : sequence of Box
    bypasses : sequence of (from, to)
        Places in `boxes` (from 0): lines that lead past what stands between.
    """
    rows = []
    for y, box in enumerate(boxes, start=1):
        rows += _box(y, box)
        if y < len(boxes):
            rows += _arrow_up(y)
    for start, end in bypasses:
        rows += _bypass(start + 1, end + 1)
    return Picture(pd.DataFrame([EMPTY | row for row in rows]), _spec(len(boxes)))


def _box(y, box):
    yield {
        "kind": "box",
        "x": LEFT,
        "x2": RIGHT,
        "y": y - HALF,
        "y2": y + HALF,
        "hue": box.hue,
        "marked": box.marked,
        "text": box.name,
        "about": " · ".join((box.shape, *box.notes)),
    }
    lines = ((MIDDLE, "center", box.name, box.shape), (NOTES, "left", *box.notes))
    for x, align, *texts in lines:
        for up, text in zip((0.11, -0.17), texts, strict=True):
            bold = align == "center" and up > 0
            yield {"kind": "text", "x": x, "y": y + up, "align": align, "bold": bold, "text": text}


def _arrow_up(y):
    low, high = y + HALF, y + 1 - HALF
    yield {"kind": "stem", "x": MIDDLE, "y": low, "y2": high - 0.1}
    yield {"kind": "up", "x": MIDDLE, "y": high - 0.07}


def _bypass(start, end):
    """Out at the upper part of one box, in at the lower part of another, so that two lines never meet."""
    low, high = start + HALF / 2, end - HALF / 2
    corners = ((LEFT, low), (LANE, low), (LANE, high), (LEFT - 2, high))
    for order, (x, y) in enumerate(corners):
        yield {"kind": "bypass", "path": start, "order": order, "x": x, "y": y}
    yield {"kind": "right", "x": LEFT - 1.6, "y": high}


@lru_cache(maxsize=32)
def _spec(n):
    across = alt.Scale(domain=[0, 100], nice=False, zero=False)
    upwards = alt.Scale(domain=[0.5, n + 0.5], nice=False, zero=False)

    def only(kind):
        return (
            blank()
            .transform_filter(alt.FieldEqualPredicate(field="kind", equal=kind))
            .encode(x=alt.X("x:Q", scale=across, axis=None), y=alt.Y("y:Q", scale=upwards, axis=None))
        )

    stroke = alt.Stroke("hue:N").scale(domain=list(HUES)).legend(None)
    fill = alt.Fill("hue:N").scale(domain=list(HUES)).legend(None)
    looks = {
        "fillOpacity": alt.expr("datum.marked ? 0.28 : 0.07"),
        "strokeWidth": alt.expr("datum.marked ? 4 : 2"),
    }
    about = [alt.Tooltip("text:N", title=" "), alt.Tooltip("about:N", title=" ")]
    texts = {
        "align": alt.expr("datum.align"),
        "fontSize": alt.expr("datum.bold ? 17 : 15"),
        "fontWeight": alt.expr("datum.bold ? 600 : 400"),
    }
    layers = [
        only("stem").mark_rule(strokeWidth=3).encode(role_colour(), y2="y2:Q"),
        only("up").mark_point(shape="triangle-up", size=110, filled=True, opacity=1).encode(role_colour()),
        only("bypass")
        .mark_line(strokeWidth=4, strokeJoin="round")
        .encode(role_colour(), order="order:Q", detail="path:N"),
        only("right")
        .mark_point(shape="triangle-right", size=170, filled=True, opacity=1)
        .encode(role_colour()),
        only("box")
        .mark_rect(cornerRadius=8, **looks)
        .encode(stroke, fill, x2="x2:Q", y2="y2:Q", tooltip=about),
        only("text").mark_text(baseline="middle", **texts).encode(text="text:N").properties(name="on_ground"),
    ]
    return finish(alt.layer(*layers).properties(height=PITCH * n + FRAME))
