"""Products grow with the width: what that does to the softmax, and what dividing by √d does."""

import numpy as np
import pandas as pd
import streamlit as st

from core.experiments import soft_lookup
from pages.shared import charts

WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
SEED = 0  # of the random queries and keys behind "why divide"


@st.cache_data(max_entries=4, show_spinner=False)
def spreads(seed):
    return soft_lookup.spread_by_width(seed)


def why_scale(s):
    with s.inputs:
        d = s.ask.pick("d", WIDTHS, 64)
    plain, scaled = spreads(SEED)
    with s.picture:
        both = at_width(plain, scaled, "largest", d)
        s.chart(
            by_width(s, plain, scaled, "largest", d), "largest_picture", d=d, n=soft_lookup.N_KEYS, **both
        )
        both = at_width(plain, scaled, "slope", d)
        s.chart(by_width(s, plain, scaled, "slope", d), "slope_picture", d=d, **both)
        s.stamp("drawn", seed=SEED)
    say_what_it_costs(s, plain, scaled, d)
    s.details(
        code=[soft_lookup.spread_by_width, soft_lookup.spread, soft_lookup.jacobian_norm],
        numbers=lambda: pd.DataFrame(
            {"d": plain.widths}
            | {f"{name}, as it is": column for name, column in plain._asdict().items() if name != "widths"}
            | {f"{name}, scaled": column for name, column in scaled._asdict().items() if name != "widths"}
        ),
    )


def at_width(plain, scaled, field, d):
    """One figure at the width d, without the division and with it."""
    at = WIDTHS.index(d)
    return {"plain": getattr(plain, field)[at], "scaled": getattr(scaled, field)[at]}


def by_width(s, plain, scaled, field, d):
    """One figure at all widths, without the division and with it."""
    series = [(s.words("plain"), "neutral"), (s.words("scaled"), "attention")]
    columns = {
        "x": np.tile(plain.widths, 2),
        "y": np.concatenate([getattr(plain, field), getattr(scaled, field)]),
        "name": np.repeat([name for name, _ in series], plain.widths.size),
    }
    least, log = (1e-4, ("x", "y")) if field == "slope" else (0, ("x",))
    return charts.curves(
        columns,
        series,
        (s.words("width"), s.words(field)),
        log=log,
        domains=((1, WIDTHS[-1]), (least, 1)),
        ticks=WIDTHS[::2],
        at=d,
        height=280,
    )


def say_what_it_costs(s, plain, scaled, d):
    sd, largest, slope = (at_width(plain, scaled, field, d) for field in ("score_sd", "largest", "slope"))
    numbers = {"d": d, "slope": slope["plain"], "scaled_slope": slope["scaled"]}
    if slope["plain"] >= slope["scaled"]:
        s.says("says_small", **numbers)
    else:
        s.says(sd=sd["plain"], **largest, **numbers)
