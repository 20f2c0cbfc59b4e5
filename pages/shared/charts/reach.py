"""What the output at one word can hear: a tower of convolution layers over the sentence, attention below it.

Every word is a column. Row 0 are the words, row l the outputs of layer l. Under the words hangs attention's
one link.
"""

from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts.base import Picture, blank, finish, role_colour, with_params
from pages.shared.charts.word_axis import word_axis, word_layers, word_rows

ROW, ARC = 36, 74  # px: one layer; the arc and its label
MAX_LINKS = 400  # beyond that the lines are a grey mass, and a browser's work
COLUMNS = ("kind", "x", "y", "x2", "y2", "hue", "lit", "name")


def reach_map(tokens, asks, answer, field, links, route, titles):
    """Who is heard, layer by layer.

    Parameters
    ----------
    tokens : sequence of str, length n
    asks, answer : int
        Places of the asking and of the wanted word, from 0.
    field : (n_layers + 1, n) bool array
        What the asking word's output depends on; row 0 are the words.
    links : (n_links, 3) int array
        Layer, looking word, seen word.
    route : (n_layers + 1,) int array
        The way from the asking word towards the wanted one, lowest layer first.
    titles : (layers, words, attention, heard, not heard)
        Title of the rows, name of row 0, label of the arc, and what the tooltip calls a cell.
    """
    n_layers = len(route) - 1
    params, room = word_axis(tokens, asks, answer)
    rows = [*_cells(tokens, field, titles), *_links(links), *_route(route, reached=route[0] == answer)]
    rows += [(kind, *at(x, 0), hue, True, name) for kind, x, hue, name in word_rows(tokens, asks, answer)]
    rows += [*_rings(asks, answer, n_layers), *_attention(len(tokens), asks, answer, room, titles[2])]
    data = pd.DataFrame(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))
    return Picture(data, with_params(_spec(n_layers, room, tuple(titles[:2])), **params))


def at(x, y):
    """A place: a line that ends where it begins."""
    return x, y, x, y


def _cells(tokens, field, titles):
    for layer, row in enumerate(field):
        for place, heard in enumerate(row):
            hue = "conv" if heard else "neutral"
            name = f"{tokens[place]} · {titles[3] if heard else titles[4]}"
            yield "cell", *at(place + 1, layer), hue, bool(heard), name


def _links(links):
    if len(links) <= MAX_LINKS:
        for layer, looking, seen in links.tolist():
            yield "link", looking + 1, layer, seen + 1, layer - 1, "conv", True, ""


def _route(route, reached):
    for layer in range(1, len(route)):
        yield "route", route[layer] + 1, layer, route[layer - 1] + 1, layer - 1, "conv", bool(reached), ""


def _rings(asks, answer, n_layers):
    yield "ring", *at(answer + 1, 0), "key", True, ""
    yield "ring", *at(asks + 1, n_layers), "query", True, ""


def _attention(n, asks, answer, room, label):
    """One arc below the words, with its head at the wanted word; a loop if the word looks for itself."""
    top, bottom = -0.5 - room / ROW, -0.5 - (room + ARC - 30) / ROW
    middle, half = (asks + answer) / 2 + 1, (asks - answer) / 2 or n / 40
    for angle in np.linspace(0, np.pi, 31):
        x, y = middle + half * np.cos(angle), top + (bottom - top) * np.sin(angle)
        yield "arc", *at(x, y), "attention", True, ""
    yield "head", *at(middle - half, top), "attention", True, ""
    yield "arc_label", *at(middle, bottom), "attention", True, label


@lru_cache(maxsize=64)
def _spec(n_layers, room, titles):
    bottom, top = -0.5 - (room + ARC) / ROW, n_layers + 0.6
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=alt.expr("[0.5, n + 0.5]"), nice=False, zero=False))
    scale = alt.Scale(domain=[bottom, top], nice=False, zero=False)
    y = alt.Y("y:Q", title=titles[0], axis=_layer_axis(n_layers, titles[1]), scale=scale)
    tooltip = [alt.Tooltip("name:N", title=titles[1]), alt.Tooltip("y:Q", title=titles[0], format="d")]
    layers = [*_convolution_layers(x, y, tooltip), *_attention_layers(x, y), *word_layers(x, y)]
    return finish(alt.layer(*layers).properties(height=round((top - bottom) * ROW)))


def _layer_axis(n_layers, words):
    """Rows are numbered like the layers; row 0 has a name."""
    return alt.Axis(
        values=list(range(n_layers + 1)),
        labelExpr=f"datum.value == 0 ? {words!r} : datum.value",
        grid=False,
        ticks=False,
        domain=False,
        titleAnchor="end",
        titleAlign="right",
    )


def _only(kind, x, y):
    return blank().transform_filter(f"datum.kind == '{kind}'").encode(x, y, role_colour())


def _convolution_layers(x, y, tooltip):
    """Cells are as large as the columns allow."""
    cell = alt.expr("pow(max(3, min(22, 0.62 * width / n)), 2)")
    ring = alt.expr("pow(max(9, min(31, 0.62 * width / n + 9)), 2)")
    ends = {"x2": "x2:Q", "y2": "y2:Q"}
    lit = alt.condition("datum.lit", alt.value(1), alt.value(0.3))
    return [
        _only("link", x, y).mark_rule(strokeWidth=1.5, opacity=0.35).encode(**ends),
        _only("route", x, y).mark_rule(strokeWidth=5, strokeCap="round").encode(**ends),
        _only("cell", x, y).mark_circle(size=cell).encode(opacity=lit, tooltip=tooltip),
        _only("ring", x, y).mark_point(size=ring, strokeWidth=3.5, opacity=1),
    ]


def _attention_layers(x, y):
    label = _only("arc_label", x, y).mark_text(dy=16, fontSize=16, fontWeight=600, **_inside())
    return [
        _only("arc", x, y).mark_line(strokeWidth=4.5, interpolate="monotone"),
        _only("head", x, y).mark_point(shape="triangle-up", filled=True, size=220, opacity=1),
        label.encode(text="name:N"),
    ]


def _inside():
    """The label of a short arc at the edge of the picture grows inwards."""
    at = "(datum.x - 0.5) / n * width"
    return {"align": alt.expr(f"{at} < 90 ? 'left' : {at} > width - 90 ? 'right' : 'center'")}
