"""One horizontal bar a name, with its number beside it."""

from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts.base import Picture, blank, finish, labels, role_colour, with_params


def bars(names, values, hue, titles, *, domain=None, form=".2f"):
    """Bars for names in the given order.

    Names are labels of places, so equal ones stay apart. `titles` = (names, values).
    """
    data = pd.DataFrame(
        {
            "place": np.arange(len(names)) + 1,
            "value": np.asarray(values, dtype=float),
            "name": list(names),
            "hue": hue,
        }
    )
    spec = _spec(len(names), tuple(titles), domain and tuple(domain), form)
    return Picture(data, with_params(spec, names=labels(names, 14)))


@lru_cache(maxsize=64)
def _spec(n, titles, domain, form):
    name_title, value_title = titles
    axis = alt.Axis(title=name_title, labelExpr="names[datum.value - 1]")
    scale = alt.Scale(domain=list(domain), clamp=True) if domain else alt.Scale(padding=60, nice=False)
    base = blank().encode(
        y=alt.Y("place:O", axis=axis, scale=alt.Scale(domain=list(range(1, n + 1)))),
        x=alt.X("value:Q", title=value_title, scale=scale, axis=alt.Axis(tickCount=5)),
        tooltip=[
            alt.Tooltip("name:N", title=name_title),
            alt.Tooltip("value:Q", title=value_title, format=form),
        ],
    )
    outside = {
        "align": alt.expr("datum.value < 0 ? 'right' : 'left'"),
        "dx": alt.expr("datum.value < 0 ? -6 : 6"),
    }
    number = (
        base.mark_text(**outside).encode(text=alt.Text("value:Q", format=form)).properties(name="on_ground")
    )
    return finish(
        alt.layer(base.mark_bar(height=22).encode(role_colour()), number).properties(height=44 * n + 70)
    )
