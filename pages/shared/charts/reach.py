"""What the output at one word can hear: a tower of convolution layers over the sentence, attention below it.

Every word is a column. Row 0 are the words, row l the outputs of layer l. Under the words hangs attention's
one link.
"""

from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd

from core.sentences import is_han, shorten
from pages.shared.charts.base import Picture, blank, finish, role_colour, with_params

ROW, ARC = 36, 74  # px: one layer; the arc and its label
SIGN, HAN_SIGN, GAP = 8, 16, 6  # px: how wide signs are at 16 px, and the air between two words
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
    names = [shorten(token, 8) for token in tokens]
    room = max(3, -(-max(map(width, names)) // 20)) * 20  # for labels that stand on end; few different values
    rows = [*_cells(tokens, field, titles), *_links(links), *_route(route, reached=route[0] == answer)]
    rows += [
        *_labels(names, asks, answer),
        *_marks(len(tokens), asks, answer, len(route) - 1, titles[2], room),
    ]
    data = pd.DataFrame(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))
    spec = _spec(len(route) - 1, room, tuple(titles[:2]))
    return Picture(
        data,
        with_params(
            spec,
            n=len(tokens),
            asks=asks + 1,
            answer=answer + 1,
            widest=column_width(names),
            widest_of_two=column_width(names, 2),
        ),
    )


def width(name):
    """About how many px a label is wide."""
    return sum(HAN_SIGN if is_han(sign) or ord(sign) > 0x2E80 else SIGN for sign in name)


def column_width(names, lines=1):
    """How wide a column must be for labels that lie by turns in so many lines; neighbours share room."""
    widths = [width(name) + GAP for name in names]
    return max(((a + b) / 2 / lines for a, b in zip(widths, widths[lines:], strict=False)), default=0)


def _cells(tokens, field, titles):
    for layer, row in enumerate(field):
        for place, heard in enumerate(row):
            hue = "conv" if heard else "neutral"
            name = f"{tokens[place]} · {titles[3] if heard else titles[4]}"
            yield "cell", place + 1, layer, None, None, hue, bool(heard), name


def _links(links):
    if len(links) <= MAX_LINKS:
        for layer, looking, seen in links.tolist():
            yield "link", looking + 1, layer, seen + 1, layer - 1, "conv", True, ""


def _route(route, reached):
    for layer in range(1, len(route)):
        yield "route", route[layer] + 1, layer, route[layer - 1] + 1, layer - 1, "conv", bool(reached), ""


def _labels(names, asks, answer):
    roles = {answer: "key", asks: "query"}
    for place, name in enumerate(names):
        kind = "role" if place in roles else "word"
        yield kind, place + 1, 0, None, None, roles.get(place, "neutral"), True, name


def _marks(n, asks, answer, n_layers, label, room):
    """Rings around the two words, and attention's link with its head at the wanted word."""
    yield "ring", answer + 1, 0, None, None, "key", True, ""
    yield "ring", asks + 1, n_layers, None, None, "query", True, ""
    top, bottom = -0.5 - room / ROW, -0.5 - (room + ARC - 30) / ROW
    middle, half = (
        (asks + answer) / 2 + 1,
        (asks - answer) / 2 or n / 40,
    )  # a loop if the word looks for itself
    for angle in np.linspace(0, np.pi, 31):
        x, y = middle + half * np.cos(angle), top + (bottom - top) * np.sin(angle)
        yield "arc", x, y, None, None, "attention", True, ""
    yield "head", middle - half, top, None, None, "attention", True, ""
    yield "arc_label", middle, bottom, None, None, "attention", True, label


@lru_cache(maxsize=64)
def _spec(n_layers, room, titles):
    layer_title, words = titles
    bottom = -0.5 - (room + ARC) / ROW
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=alt.expr("[0.5, n + 0.5]"), nice=False, zero=False))
    axis = alt.Axis(
        values=list(range(n_layers + 1)),
        labelExpr=f"datum.value == 0 ? {words!r} : datum.value",
        grid=False,
        ticks=False,
        domain=False,
        titleAnchor="end",
        titleAlign="right",
    )
    scale = alt.Scale(domain=[bottom, n_layers + 0.6], nice=False, zero=False)
    y = alt.Y("y:Q", title=layer_title, axis=axis, scale=scale)

    def only(*kinds):
        return (
            blank().transform_filter(alt.FieldOneOfPredicate("kind", list(kinds))).encode(x, y, role_colour())
        )

    def lines(kind, **look):
        return only(kind).mark_rule(**look).encode(x2="x2:Q", y2="y2:Q")

    cell = alt.expr("pow(max(3, min(22, 0.62 * width / n)), 2)")
    ring = alt.expr("pow(max(9, min(31, 0.62 * width / n + 9)), 2)")
    layers = [
        lines("link", strokeWidth=1.5, opacity=0.35),
        lines("route", strokeWidth=5, strokeCap="round"),
        only("cell")
        .mark_circle(size=cell)
        .encode(
            opacity=alt.condition("datum.lit", alt.value(1), alt.value(0.3)),
            tooltip=[alt.Tooltip("name:N", title=words), alt.Tooltip("y:Q", title=layer_title, format="d")],
        ),
        only("ring").mark_point(size=ring, strokeWidth=3.5, opacity=1),
        only("arc").mark_line(strokeWidth=4.5, interpolate="monotone").encode(order="index:Q"),
        only("head").mark_point(shape="triangle-up", filled=True, size=220, opacity=1),
        only("arc_label").mark_text(dy=16, fontSize=16, fontWeight=600, **_inside()).encode(text="name:N"),
        only("role").mark_text(fontSize=16, fontWeight=700, **_words_below()).encode(text="name:N"),
        only("word")
        .transform_filter(_has_room())
        .mark_text(fontSize=16, **_words_below())
        .encode(text="name:N")
        .properties(name="on_ground"),
    ]
    height = round((n_layers + 0.6 - bottom) * ROW)
    return finish(alt.layer(*layers).properties(height=height))


def _words_below():
    """Labels lie in one line, or by turns in two, and stand on end where that is too narrow (a phone)."""
    stand = "width / n < widest_of_two"
    second = "(width / n < widest && abs(datum.x - asks) % 2 == 1)"
    return {
        "angle": alt.expr(f"{stand} ? -90 : 0"),
        "align": alt.expr(f"{stand} ? 'right' : 'center'"),
        "baseline": "middle",
        "dx": alt.expr(f"{stand} ? -20 : 0"),
        "dy": alt.expr(f"{stand} ? 0 : {second} ? 54 : 31"),
    }


def _has_room():
    """Where even standing labels have no room, some are left out; never the two marked."""
    every = "max(1, ceil(20 * n / width))"
    return (
        f"width / n >= widest_of_two || ((datum.x - asks) % {every} == 0"
        f" && abs(datum.x - asks) * width / n >= 20 && abs(datum.x - answer) * width / n >= 20)"
    )


def _inside():
    """The label of a short arc at the edge of the picture grows inwards."""
    at = "(datum.x - 0.5) / n * width"
    return {"align": alt.expr(f"{at} < 90 ? 'left' : {at} > width - 90 ? 'right' : 'center'")}
