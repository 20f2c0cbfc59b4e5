"""What all pictures share: hues, text sizes, and the way from a chart to a spec that is drawn many times.

Specs are built with Altair once per kind and size, and cached: building one costs 30 ms, drawing a finished
one 1-3 ms. What changes with every tweak is the table; tokens go in as a parameter of the spec, so that
they are labels and never column names.

Fixed meanings: each role and each model has one hue; weights are coloured on [0, 1] by their square root (a
linear scale is blank from 16 tokens on); scores on [-m, m] around a neutral 0. Rows are queries, columns
are keys, the first token stands at the top.
"""

from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from core.sentences import shorten

# The order of the theme's categorical colours (.streamlit/config.toml).
ROLES = ("query", "key", "value", "output", "attention", "conv", "rnn", "gru", "mlp", "neutral")
FREE = ("first", "second", "third")  # for what has no hue of its own; they mean something in one picture only
HUES = ROLES + FREE
DASHES = ([1, 0], [8, 4], [2, 3], [12, 4, 2, 4], [5, 2], [1, 5])  # the second way to tell series apart
LOOKS = {
    "axis": {
        "labelFontSize": 16,
        "titleFontSize": 16,
        "titleFontWeight": "normal",
        "labelLimit": 0,
        "gridOpacity": 0.35,
    },
    "axisBand": {"labelFlush": False},  # else the first and the last name are moved aside
    "legend": {"labelFontSize": 16, "titleFontSize": 16, "labelLimit": 0, "titleLimit": 0},
    "text": {"fontSize": 15},
    "view": {"strokeOpacity": 0},
}


class Picture(NamedTuple):
    """What is drawn: a table and the spec that says how."""

    columns: dict | pd.DataFrame  # a data frame costs a millisecond that a dictionary of columns does not
    spec: dict

    @property
    def data(self):
        """Give the table as a data frame."""
        return pd.DataFrame(self.columns)


TABLE = alt.NamedData("table")


def blank():
    """A chart whose table comes when it is drawn."""
    return alt.Chart(TABLE)


def role_colour():
    """Colour by the column "hue"; what it means stands beside the marks, so there is no legend."""
    return alt.Color("hue:N").scale(domain=list(HUES)).legend(None)


def columns_of(text):
    """How wide a text is, in signs: those of Chinese count for two."""
    return sum(2 if ord(sign) > 0x2E80 else 1 for sign in text)


def legend_of(names, wide=0):
    """A legend above the picture: `wide` columns, or one row; on a phone as many columns as fit."""
    longest = max(map(columns_of, names))
    narrow = max(1, 36 // (longest + 6))
    return alt.Legend(
        title=None,
        values=list(names),
        orient="top",
        columns=alt.expr(f"width < 420 ? {narrow} : {wide}"),
        symbolType="stroke",
        symbolStrokeWidth=4,
        symbolSize=400,
    )


def named_colour(series):
    """Colour and legend by the column "name", for series that have a hue, two of them the same at most.

    The theme hands out its colours by place, over and over again, so each name is put where its hue stands;
    the other places stay unused.
    """
    places = [f"_{hue}" for hue in HUES]
    for name, hue in series:
        place = HUES.index(hue)
        if places[place] != f"_{hue}":  # taken: its hue comes again one round later
            places += [f"_{hue}_again" for hue in HUES][: 2 * len(HUES) - len(places)]
            place += len(HUES)
        places[place] = name
    legend = legend_of([name for name, _ in series])
    return alt.Color("name:N").scale(domain=places).legend(legend)


def finish(chart, **params):
    """A spec to draw.

    The chart without its data and theme, our text sizes, and parameters such as the tokens.
    """
    spec = chart.to_dict()
    for part in ("datasets", "config"):
        spec.pop(part, None)
    for unit in (spec, *spec.get("layer", [])):
        if unit.get("data") == TABLE.to_dict():
            del unit["data"]  # the table is given to the whole picture when it is drawn
        if "mark" in unit and "tooltip" not in unit.get("encoding", {}):
            _pass_by(unit["mark"])
    return with_params(spec | {"config": LOOKS}, **params)


def _pass_by(mark):
    """Frames, guides and the like say nothing of their own: screen readers hear the picture's description."""
    if mark["type"] != "text":
        mark["aria"] = False


def with_params(spec, **params):
    """The same spec with named values in it, to be read by its expressions."""
    named = [{"name": name, "value": value} for name, value in params.items()]
    return spec | {"params": [*spec.get("params", []), *named]} if named else spec


def labels(tokens, n_signs=8):
    """Tokens as axis labels: short, and told apart by their place, not by their text."""
    return [shorten(token, n_signs) for token in tokens]


def nice_bound(values):
    """The largest magnitude, rounded up to 1, 2 or 5 times a power of ten: few different scales exist."""
    largest = float(np.max(np.abs(values), initial=0, where=np.isfinite(values)))
    if largest == 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(largest))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= largest * (1 - 1e-12)))
