"""How many steps something takes at each whole distance.

The first stairs rise highest, so the upper left corner stays free for the names.
"""

from functools import lru_cache

import altair as alt
import pandas as pd

from pages.shared.charts.base import Picture, blank, finish, role_colour, with_params

HEIGHT, LINE = 350, 25  # px: the picture, one line of its names


def stairs(series, titles, at):
    """Stairs over the distances 1, 2, 3, ...

    Parameters
    ----------
    series : sequence of (name, hue, dashed, values)
        Values are whole numbers, one for each distance.
    titles : (x axis, y axis, heading of the names)
    at : int
        The distance to mark on all stairs; 0 marks none.
    """
    furthest, highest = len(series[0][3]), max(max(values) for *_, values in series)
    rows = [
        ("stair", x, value, name, hue, dashed)
        for name, hue, dashed, values in series
        for x, value in enumerate(values, start=1)
    ]
    rows += [("here", *row[1:]) for row in rows if row[1] == at]
    rows += [("name", i, 0, name, hue, dashed) for i, (name, hue, dashed, _) in enumerate(series, start=1)]
    columns = ("kind", "x", "y", "name", "hue", "dashed")
    data = pd.DataFrame(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))
    return Picture(data, with_params(_spec(furthest, int(highest), tuple(titles[:2])), heading=titles[2]))


@lru_cache(maxsize=32)
def _spec(furthest, highest, titles):
    x_title, y_title = titles
    x_axis = alt.Axis(values=[1, *range(8, furthest + 1, 8)])
    y_axis = alt.Axis(tickCount=min(5, highest), format="d")
    x = alt.X("x:Q", title=x_title, axis=x_axis, scale=alt.Scale(domain=[0, furthest + 0.5], nice=False))
    y = alt.Y("y:Q", title=y_title, axis=y_axis, scale=alt.Scale(domain=[0, 1.1 * highest], nice=False))
    tooltip = [
        alt.Tooltip("name:N", title=" "),
        alt.Tooltip("x:Q", title=x_title, format="d"),
        alt.Tooltip("y:Q", title=y_title, format="d"),
    ]
    dash = alt.condition("datum.dashed", alt.value([9, 5]), alt.value([1, 0]))
    on_axes = {kind: _only(kind).encode(x, y, role_colour(), tooltip=tooltip) for kind in ("stair", "here")}
    layers = [
        on_axes["stair"]
        .mark_line(strokeWidth=3.5, interpolate="step-before")
        .encode(strokeDash=dash, detail="name:N"),
        on_axes["stair"].mark_point(size=240, opacity=0, filled=True),  # for the pointer
        _plumb_line().encode(x, y),
        on_axes["here"].mark_circle(size=170, opacity=1),
        *_names(dash),
    ]
    return finish(alt.layer(*layers).properties(height=HEIGHT))


def _only(kind):
    return blank().transform_filter(f"datum.kind == '{kind}'")


def _plumb_line():
    """From the highest mark down to the distance axis; looks.py gives it the ink of the text."""
    highest = blank().transform_filter("datum.kind == 'here'").transform_aggregate(y="max(y)", x="max(x)")
    return (
        highest.mark_rule(strokeWidth=2, strokeDash=[4, 4]).encode(y2=alt.Y2Datum(0)).properties(name="here")
    )


def _names(dash):
    """The heading, and below it each name behind a piece of its line, in the free corner."""
    look = {"align": "left", "baseline": "middle", "fontSize": 16}
    heading = (
        blank().transform_filter("datum.kind == 'name' && datum.x == 1").transform_calculate(text="heading")
    )
    heading = heading.mark_text(**look, x=8, y=10).encode(text="text:N").properties(name="on_ground")
    line = alt.expr(f"10 + {LINE} * datum.x")
    name = _only("name").encode(role_colour())
    return [
        heading,
        name.mark_point(shape="stroke", size=900, strokeWidth=3.5, opacity=1, x=22, y=line).encode(
            strokeDash=dash
        ),
        name.mark_text(**look, fontWeight=600, x=46, y=line).encode(text="name:N"),
    ]
