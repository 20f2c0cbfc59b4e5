"""One sentence in two readings, below each other: what the pronoun means, and a look at a fixed place.

Above the words an arc leads from the pronoun to the noun that is meant, below them another one to the word
so many places back.
"""

from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts.base import Picture, blank, finish, role_colour, with_params
from pages.shared.charts.word_axis import word_axis, word_layers, word_rows

ABOVE, BELOW, GAP = 80, 68, 10  # px: the arc over a sentence, the one under it, air between two sentences
LABEL = 22  # px for what is written at an arc
FOOT = 18  # px between the row of the words and the ends of the arcs
COLUMNS = ("kind", "x", "y", "path", "hue", "lit", "name")


def two_readings(sentences, look, reasons, labels):
    """Draw sentences of the same words in the same places, except the last ones.

    Parameters
    ----------
    sentences : sequence of (tokens, asks, answer)
        `asks` and `answer` are places from 0; the first sentence stands at the top.
    look : int
        The fixed look, in places back from the pronoun; it may end before the sentence begins.
    reasons, labels : sequence of str
        What is written at the upper and at the lower arc of each sentence.
    """
    (tokens, asks, first), (_, _, second) = sentences
    params, room = word_axis(tokens, asks, first)
    pitch, rows = ABOVE + FOOT + room + BELOW + GAP, []
    for i, (tokens, asks, answer) in enumerate(sentences):
        y = (len(sentences) - 1 - i) * pitch + BELOW + room + FOOT  # px from the bottom
        rows += [(kind, x, y, i, hue, True, name) for kind, x, hue, name in word_rows(tokens, asks, answer)]
        rows += _arc("meant", i, asks, answer, (y, ABOVE - LABEL - 8), "key", True)
        rows.append(("reason", (asks + answer) / 2 + 1, y + ABOVE - LABEL - 8, i, "key", True, reasons[i]))
        low, hit = y - room - FOOT, asks - look == answer
        rows += _arc("look", i, asks, max(asks - look, -0.5), (low, LABEL + 12 - BELOW), "conv", hit)
        rows.append(("label", asks - look / 2 + 1, low + LABEL + 12 - BELOW, i, "conv", hit, labels[i]))
    data = pd.DataFrame(rows, columns=COLUMNS).astype({"x": float, "y": float})
    spec = _spec(len(sentences) * pitch - GAP)
    return Picture(data, with_params(spec, **params, second=second + 1))


def _arc(kind, path, start, end, rise, hue, lit):
    """Half an ellipse from one word to another, with a head at its end; `rise` = (foot, height), signed."""
    foot, height = rise
    middle, half = (start + end) / 2 + 1, (start - end) / 2
    for angle in np.linspace(0, np.pi, 31):
        x, y = middle + half * np.cos(angle), foot + height * np.sin(angle)
        yield kind, x, y, path, hue, lit, ""
    yield f"{kind}_head", middle - half, foot, path, hue, lit, ""


@lru_cache(maxsize=16)
def _spec(height):
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=alt.expr("[0.5, n + 0.5]"), nice=False, zero=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[0, height], nice=False))
    dimmed = alt.condition("datum.lit", alt.value(1), alt.value(0.55))
    dash = alt.condition("datum.lit", alt.value([1, 0]), alt.value([7, 6]))

    def only(kind):
        return blank().transform_filter(f"datum.kind == '{kind}'").encode(x, y, role_colour())

    line = {"strokeWidth": 4.5, "interpolate": "monotone"}
    label = {"fontSize": 16, "fontWeight": 600, **_inside()}
    head = {"filled": True, "size": 200, "opacity": 1}
    layers = [
        only("meant").mark_line(**line).encode(detail="path:N", order=alt.Order("x:Q")),
        only("meant_head").mark_point(shape="triangle-down", **head),
        only("look")
        .mark_line(**line)
        .encode(detail="path:N", order=alt.Order("x:Q"), strokeDash=dash, opacity=dimmed),
        only("look_head").mark_point(shape="triangle-up", **head).encode(opacity=dimmed),
        only("reason").mark_text(dy=-14, **label).encode(text="name:N"),
        only("label").mark_text(dy=14, **label).encode(text="name:N"),
        *word_layers(x, y, roles=("asks", "answer", "second")),
    ]
    return finish(alt.layer(*layers).properties(height=height))


def _inside():
    """A label near the edge of the picture grows inwards."""
    at = "(datum.x - 0.5) / n * width"
    return {"align": alt.expr(f"{at} < 110 ? 'left' : {at} > width - 110 ? 'right' : 'center'")}
