"""What pairs of positions give against how far apart they stand: one dot if the distance alone decides."""

from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts.base import Picture, blank, finish, role_colour, with_params

WIDEST, NARROWEST = 11, 3  # px: a dot, where positions are few and many


def distance_dots(distance, least, mean, most, titles, hue="attention"):
    """A dot at the mean of all pairs of one distance, and a bar from the least of them to the most.

    Parameters
    ----------
    distance, least, mean, most : (n_distances,) array
    titles : (distance axis, value axis, least, most)
    """
    data = pd.DataFrame({"x": distance, "y": mean, "least": least, "most": most, "hue": hue})
    low, high = _ends(least, most)
    params = {"reach": int(np.abs(distance).max(initial=0)) + 1, "low": low, "high": high}
    return Picture(data, with_params(_spec(tuple(titles)), **params))


def _ends(least, most):
    """Ends of a value axis that holds 0 and everything drawn, with some room beyond."""
    low, high = min(0.0, float(np.min(least))), max(0.0, float(np.max(most)))
    room = 0.08 * (high - low) or 1.0
    return low - room, high + room


@lru_cache(maxsize=16)
def _spec(titles):
    x_title, y_title, least, most = titles
    x_scale = alt.Scale(domain=alt.expr("[-reach, reach]"), nice=False)
    y_scale = alt.Scale(domain=alt.expr("[low, high]"), nice=False)
    tooltip = [
        alt.Tooltip("x:Q", title=x_title, format="d"),
        alt.Tooltip("y:Q", title=y_title, format=".4f"),
        alt.Tooltip("least:Q", title=least, format=".4f"),
        alt.Tooltip("most:Q", title=most, format=".4f"),
    ]
    axis = alt.Axis(tickCount=8, tickMinStep=1, format="d")
    base = blank().encode(alt.X("x:Q", title=x_title, scale=x_scale, axis=axis), role_colour())
    y = alt.Y("y:Q", title=y_title, scale=y_scale, axis=alt.Axis(tickCount=5, format="~g"))
    dot = f"max({NARROWEST}, min({WIDEST}, 0.3 * width / reach))"
    bar = base.mark_rule(strokeWidth=alt.expr(dot), opacity=0.35, strokeCap="round")
    layers = [
        bar.encode(y=alt.Y("least:Q", title=y_title, scale=y_scale), y2="most:Q"),
        base.mark_line(strokeWidth=1.5, opacity=0.5).encode(y),
        base.mark_circle(size=alt.expr(f"pow({dot}, 2)"), opacity=1).encode(y, tooltip=tooltip),
    ]
    return finish(alt.layer(*layers).properties(height=330))
