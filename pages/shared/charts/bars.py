"""One horizontal bar a name, with its number beside it."""

from functools import lru_cache

import altair as alt
import numpy as np

from pages.shared.charts.base import Picture, blank, finish, labels, role_colour, with_params


def bars(names, values, hue, titles, *, domain=None, form=".2f", signs=14):
    """Bars for names in the given order.

    Names are labels of places, so equal ones stay apart. `titles` = (names, values). The value axis holds
    all bars and their numbers, or runs over `domain`. Names are cut to so many `signs`.
    """
    values = np.asarray(values, dtype=float)
    places = np.arange(len(names)) + 1
    data = {
        "place": places,
        "value": values,
        "name": list(names),
        "hue": [hue] * len(names) if isinstance(hue, str) else list(hue),
    }
    low, high = domain or _room(values)
    spec = _spec(len(names), tuple(titles), form)
    return Picture(data, with_params(spec, names=labels(names, signs), low=low, high=high))


def _room(values):
    """Ends of an axis that shows 0, all values, and a number beside the longest bars."""
    low, high = min(0.0, values.min(initial=0)), max(0.0, values.max(initial=0))
    room = 0.3 * (high - low) or 1.0
    return low - (room if low < 0 else 0), high + (room if high > 0 or low == 0 else 0)


@lru_cache(maxsize=64)
def _spec(n, titles, form):
    name_title, value_title = titles
    row = 44 if n <= 12 else 26  # px
    axis = alt.Axis(title=name_title, labelExpr="names[datum.value - 1]")
    ends = alt.Scale(domain=alt.expr("[low, high]"), nice=False)  # there before the data are
    base = blank().encode(
        y=alt.Y("place:O", axis=axis, scale=alt.Scale(domain=list(range(1, n + 1)))),
        x=alt.X("value:Q", title=value_title, scale=ends, axis=alt.Axis(tickCount=4)),
        tooltip=[
            alt.Tooltip("name:N", title=name_title),
            alt.Tooltip("value:Q", title=value_title, format=form),
        ],
    )
    bar = base.mark_bar(height=row // 2).encode(role_colour())
    side = {
        "align": alt.expr("datum.value < 0 ? 'right' : 'left'"),
        "dx": alt.expr("datum.value < 0 ? -6 : 6"),
    }
    number = base.mark_text(**side).encode(text=alt.Text("value:Q", format=form)).properties(name="on_ground")
    return finish(alt.layer(bar, number).properties(height=row * n + 70))
