"""Vectors and points in the plane; a unit is equally long on both axes."""

from functools import lru_cache

import altair as alt
import numpy as np

from core.sentences import shorten
from pages.shared.charts.base import Picture, blank, finish, role_colour

SIDE = 330  # px


def plane(arrows, titles, *, points=(), hull=None, trail=None, bound=4):
    """Arrows from 0, loose points, the hull of some points, a trail.

    Parameters
    ----------
    arrows, points : sequences of (name, hue, x, y)
    titles : (x axis, y axis)
    hull, trail : (n, 2) arrays, optional
        Corners of the hull of the values, and where the output came along.
    bound : int
        Both axes run from -bound to bound.
    """
    rows = [("arrow", *arrow) for arrow in arrows] + [("point", *point) for point in points]
    for kind, hue, corners in (("hull", "value", hull), ("trail", "output", trail)):
        rows += [(kind, "", hue, x, y) for x, y in ([] if corners is None else corners)]
    kinds, names, hues, xs, ys = zip(*rows, strict=True)
    x, y = np.array(xs, dtype=float), np.array(ys, dtype=float)
    labels = _label_places(x, y, np.array(kinds) == "arrow", bound)
    columns = {
        "kind": kinds,
        "name": [shorten(name, 8) for name in names],
        "hue": hues,
        "order": np.arange(x.size),
    }
    data = columns | {"x": x, "y": y} | labels
    return Picture(data, _spec(bound, tuple(titles)))


def _label_places(x, y, is_arrow, bound):
    """Names stand further out than the heads of their arrows, and above loose points."""
    pixel = bound / (SIDE / 2)
    length = np.maximum(np.hypot(x, y), 1e-9)
    outwards = is_arrow & (length > 22 * pixel)
    sideways = outwards & (np.abs(x) > 0.4 * length)
    longer = 1 + np.where(sideways, 13, 22) * pixel / length
    return {
        "label_x": np.where(outwards, x * longer, x),
        "label_y": np.where(outwards, y * longer, y + 22 * pixel),
        "align": np.select([sideways & (x > 0), sideways], ["left", "right"], "center"),
    }


@lru_cache(maxsize=32)
def _spec(bound, titles):
    scale, ticks = (
        alt.Scale(domain=[-bound, bound]),
        list(range(-bound, bound + 1, 2 if bound <= 8 else bound // 4)),
    )
    tooltip = [alt.Tooltip("name:N", title=" "), *(alt.Tooltip(f"{c}:Q", format=".2f") for c in "xy")]

    def axes(x="x", y="y"):
        return {
            "x": alt.X(f"{x}:Q", scale=scale, axis=alt.Axis(title=titles[0], values=ticks)),
            "y": alt.Y(f"{y}:Q", scale=scale, axis=alt.Axis(title=titles[1], values=ticks)),
        }

    def only(*kinds):
        return blank().transform_filter(alt.FieldOneOfPredicate("kind", list(kinds)))

    def path(kind, **look):
        return only(kind).mark_line(**look).encode(role_colour(), order="order:Q", **axes())

    places = only("arrow", "point").encode(tooltip=tooltip)
    layers = [
        path("hull", filled=True, opacity=0.16, interpolate="linear-closed"),
        path("trail", strokeWidth=2, strokeDash=[5, 3]),
        only("arrow")
        .mark_rule(strokeWidth=4)
        .encode(role_colour(), x2=alt.X2Datum(0), y2=alt.Y2Datum(0), **axes()),
        places.mark_circle(size=190, opacity=1).encode(role_colour(), **axes()),
        places.mark_text(fontSize=16, fontWeight=600, align=alt.expr("datum.align")).encode(
            role_colour(), text="name:N", **axes("label_x", "label_y")
        ),
    ]
    return finish(alt.layer(*layers).properties(width=SIDE, height=SIDE))
