"""A few small vectors under each other, number by number: one word in its roles."""

import math
from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts.base import Picture, blank, finish, role_colour, with_params

ROW = 25  # px for one number
ROOM = 125  # px for what is written beside the longest bar
RIGHT = {"expr": f"width - {ROOM}"}


def vectors(named, features):
    """One group of bars for each vector, one bar for each of its numbers.

    Parameters
    ----------
    named : sequence of (name, hue, (d,) array)
    features : sequence of d str
        What each number stands for; it is written beside the bar.
    """
    values = np.array([value for _, _, value in named], dtype=float)  # (n_vectors, d)
    n, d = values.shape
    data = pd.DataFrame(
        {
            "vector": np.repeat(np.arange(n), d) + 1,
            "part": np.tile(np.arange(d), n) + 1,
            "hue": np.repeat([hue for _, hue, _ in named], d),
            "feature": list(features) * n,
            "value": values.ravel(),
        }
    )
    spec = _spec(n, d, max(1, math.ceil(np.abs(values).max())), bool((values < 0).any()))
    return Picture(data, with_params(spec, names=[name for name, _, _ in named]))


@lru_cache(maxsize=64)
def _spec(n, d, bound, has_negative):
    domain, ends = ([-bound, bound], [ROOM, RIGHT]) if has_negative else ([0, bound], [0, RIGHT])
    label = alt.Axis(title=None, labelExpr="names[datum.value - 1]", ticks=False, domain=False)
    base = blank().encode(
        y=alt.Y("vector:O", axis=label, scale=alt.Scale(domain=list(range(1, n + 1)), paddingInner=0.3)),
        yOffset=alt.YOffset("part:O", scale=alt.Scale(domain=list(range(1, d + 1)), paddingInner=0.15)),
        x=alt.X("value:Q", axis=None, scale=alt.Scale(domain=domain, range=ends, nice=False)),
        tooltip=[
            alt.Tooltip("feature:N", title=" "),
            alt.Tooltip("value:Q", title=" ", format=".2f"),
        ],
    )
    left = "datum.value < 0"
    outside = {"align": alt.expr(f"{left} ? 'right' : 'left'"), "dx": alt.expr(f"{left} ? -8 : 8")}
    written = (
        base.transform_calculate(written="format(datum.value, '.2f') + '  ' + datum.feature")
        .mark_text(**outside)
        .encode(text="written:N")
        .properties(name="on_ground")
    )
    bars = base.mark_bar().encode(role_colour())
    return finish(alt.layer(bars, written).properties(height=int(ROW * n * (d + 0.6))))
