"""What a stack of windows hears of a sentence, and how many layers a distance takes."""

import numpy as np
import pandas as pd

from core import costs
from core.experiments import local_conv
from core.sentences import MAX_TOKENS
from pages.shared import charts
from pages.shared.text import verbatim

GROWTH = {False: 1, True: 2}  # of the gaps from layer to layer, by the toggle
FURTHEST = MAX_TOKENS - 1  # from the first to the last word of the longest sentence
NEAR = 32  # as far as the stairs are drawn for most sentences


def reach(s, sentence):
    with s.inputs:
        k = s.ask.number("k", 3, 9, 3, step=2)
        n_layers = s.ask.number("n_layers", 1, 12, 4)
        doubling = s.ask.toggle("doubling")
        tokens, asks, answer = stretched(s, sentence)
    n, distance = len(tokens), abs(asks - answer)
    gaps = local_conv.dilations(n_layers, doubling)
    field = local_conv.receptive_field(n, asks, k, gaps)
    heard = bool(field[0, answer])
    with s.picture:
        heard_by_layer(s, tokens, asks, answer, k, gaps, field)
        needed_by_distance(s, k, distance)
        s.stamp("computed")
    s.says(
        "says_itself" if distance == 0 else "says_heard" if heard else "says_unheard",
        asks=verbatim(tokens[asks]),
        answer=verbatim(tokens[answer]),
        t=distance,
        k=k,
        kind=s.words("dilated" if doubling else "contiguous"),
        needed=costs.layers_to_reach(distance, k, GROWTH[doubling]),
        n_layers=n_layers,
    )
    s.details(
        code=[local_conv.receptive_field, local_conv.sees, local_conv.offsets, costs.layers_to_reach],
        numbers=lambda: by_word(tokens, asks, k, field[0]),
    )


def stretched(s, sentence):
    """The sentence with fillers between its two words, and where these two stand now."""
    tokens, n = sentence.tokens, len(sentence.tokens)
    most = min(24, MAX_TOKENS - n) if n > 1 else 0
    n_fillers = s.ask.number("n_fillers", 0, most, 0 if sentence.is_own else min(4, most))
    asks = s.ask.number("asks", 1, n, sentence.asks + 1) - 1
    answer = s.ask.number("answer", 1, n, sentence.answer + 1) - 1
    return local_conv.stretch(tokens, asks, answer, s.words("fillers").split(), n_fillers)


def heard_by_layer(s, tokens, asks, answer, k, gaps, field):
    """The tower over the sentence: what the asking word hears, and the way towards the wanted one."""
    way = local_conv.route(len(tokens), asks, answer, k, gaps)
    titles = [s.words(name) for name in ("layer", "words", "attention", "heard", "unheard")]
    links = local_conv.links(field, k, gaps)
    s.chart(
        charts.reach_map(tokens, asks, answer, field, links, way, titles),
        "itself_picture" if asks == answer else "heard_picture" if field[0, answer] else "unheard_picture",
        asks=tokens[asks],
        answer=tokens[answer],
        n_layers=len(gaps),
        n_heard=field[0].sum(),
        missing=abs(int(way[0]) - answer),
    )


def needed_by_distance(s, k, distance):
    """How the number of layers grows with the distance, for both kinds of window and for attention."""
    furthest = NEAR if distance <= NEAR else FURTHEST
    contiguous, dilated = (
        [costs.layers_to_reach(t, k, growth) for t in range(furthest + 1)] for growth in GROWTH.values()
    )
    now = {"contiguous": contiguous[distance], "dilated": dilated[distance], "attention": min(distance, 1)}
    names = [s.words(f"{kind}_stairs", needed=needed) for kind, needed in now.items()]
    series = [
        (names[0], "conv", False, contiguous[1:]),
        (names[1], "conv", True, dilated[1:]),
        (names[2], "attention", False, [1] * furthest),
    ]
    titles = (s.words("distance"), s.words("needed"), s.words("at", t=distance))
    s.chart(charts.stairs(series, titles, distance), "needed_picture", k=k, t=distance, **now)


def by_word(tokens, asks, k, heard):
    distance = [abs(place - asks) for place in range(len(tokens))]
    return pd.DataFrame(
        {
            "position": np.arange(1, len(tokens) + 1),
            "token": tokens,
            "distance": distance,
            "heard": heard,
            "layers, contiguous": [costs.layers_to_reach(t, k) for t in distance],
            "layers, doubling": [costs.layers_to_reach(t, k, growth=2) for t in distance],
        }
    )
