"""Words under the columns of a picture, readable at every width of the screen.

They lie in one line, or by turns in two; where that is too narrow (a phone, a long sentence) they stand on
end, and some are left out, but never the two that the picture is about. The browser decides, because only it
knows the width: the expressions below read `width`, and the parameters that `word_axis` gives.
"""

import altair as alt

from core.sentences import is_han, shorten
from pages.shared.charts.base import blank, role_colour

SIGN, HAN_SIGN, GAP = 8, 16, 6  # px: how wide signs are at 16 px, and the air between two words
SQUARE_SCRIPTS = 0x2E80  # from here on signs are about as wide as they are high
STANDING = 20  # px that a word on end takes
FIRST_LINE, SECOND_LINE = 31, 54  # px below the row of the words


def word_axis(tokens, asks, answer):
    """Parameters of a spec with `word_layers`, and the room in px that standing words need.

    `asks` and `answer` are places from 0. The room is rounded up: specs of few different sizes are made.
    """
    names = [shorten(token, 8) for token in tokens]
    lines = {"widest": column_width(names), "widest_of_two": column_width(names, lines=2)}
    room = max(3, -(-max(map(width, names)) // 20)) * 20
    return {"n": len(names), "asks": asks + 1, "answer": answer + 1, **lines}, room


def word_rows(tokens, asks, answer):
    """(kind, place from 1, hue, name) of every word."""
    roles = {answer: "key", asks: "query"}
    for place, token in enumerate(tokens):
        kind = "role" if place in roles else "word"
        yield kind, place + 1, roles.get(place, "neutral"), shorten(token, 8)


def word_layers(x, y, roles=("asks", "answer")):
    """Layers that write the rows of `word_rows` below the place y.

    `roles` are the parameters that name places to be kept clear of other words.
    """
    text = blank().encode(x, y, text="name:N")
    marked = text.transform_filter("datum.kind == 'role'").mark_text(fontSize=16, fontWeight=700, **_place())
    words = text.transform_filter("datum.kind == 'word'").transform_filter(_has_room(roles))
    return [
        marked.encode(role_colour()),
        words.mark_text(fontSize=16, **_place()).properties(name="on_ground"),
    ]


def width(name):
    """About how many px a word is wide."""
    return sum(HAN_SIGN if is_han(sign) or ord(sign) >= SQUARE_SCRIPTS else SIGN for sign in name)


def column_width(names, lines=1):
    """How wide a column must be for words that lie by turns in so many lines; neighbours share room."""
    widths = [width(name) + GAP for name in names]
    return max(((a + b) / 2 / lines for a, b in zip(widths, widths[lines:], strict=False)), default=0)


def _place():
    stand = "width / n < widest_of_two"
    second = "(width / n < widest && abs(datum.x - asks) % 2 == 1)"
    return {
        "angle": alt.expr(f"{stand} ? -90 : 0"),
        "align": alt.expr(f"{stand} ? 'right' : 'center'"),
        "baseline": "middle",
        "dx": alt.expr(f"{stand} ? -20 : 0"),
        "dy": alt.expr(f"{stand} ? 0 : {second} ? {SECOND_LINE} : {FIRST_LINE}"),
    }


def _has_room(roles):
    every = f"max(1, ceil({STANDING} * n / width))"
    apart = " && ".join(f"abs(datum.x - {role}) * width / n >= {STANDING}" for role in roles)
    return f"width / n >= widest_of_two || ((datum.x - asks) % {every} == 0 && {apart})"
