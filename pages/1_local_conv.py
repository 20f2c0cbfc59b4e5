"""Page 1.

Why local convolution fails: what a stack of fixed windows can hear at all, why no fixed place is the right
one, and what is left of a word that is passed on step by step.
"""

import numpy as np
import pandas as pd
import streamlit as st

from core import costs
from core.experiments import local_conv, local_conv_moves, local_conv_paths
from core.learning import pronoun
from core.sentences import MAX_TOKENS
from pages.sections.local_conv.race import race
from pages.shared import charts
from pages.shared.frame import open_page, verbatim
from pages.shared.grammar import spelled, vocabulary

GROWTH = {False: 1, True: 2}  # of the gaps from layer to layer, by the toggle
FURTHEST = MAX_TOKENS - 1  # from the first to the last word of the longest sentence
NEAR = 32  # as far as the stairs are drawn for most sentences
MOST_FILLERS = 19  # sentences of 7 to 26 words
SAMPLES = (20, 50, 100, 200, 500, 1000)  # all even, so that they can be made of pairs
LAST_SEED = 20
PATHS = (
    local_conv_paths.conv_sizes,
    local_conv_paths.conv_stack_backward,
    local_conv_paths.rnn_sizes,
    local_conv_paths.gru_sizes,
    local_conv_paths.attention_sizes,
)

page = open_page("local_conv")


def reach(s):
    with s.inputs:
        k = s.ask.number("k", 3, 9, 3, step=2)
        n_layers = s.ask.number("n_layers", 1, 12, 4)
        doubling = s.ask.toggle("doubling")
        tokens, asks, answer = stretched(s)
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


def stretched(s):
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
        "heard_picture" if field[0, answer] else "unheard_picture",
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
    now = {"contiguous": contiguous[distance], "dilated": dilated[distance], "attention": 1}
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


# --- it moves ---------------------------------------------------------------------------------


def it_moves(s):
    with s.inputs:
        n_fillers = s.ask.number("n_strewn", 0, MOST_FILLERS, 4)
        furthest = local_conv_moves.furthest_noun(n_fillers)
        back = s.ask.number("back", 1, furthest, 5)
        n = s.ask.pick("n_sentences", SAMPLES, 200)
        pairs = s.ask.toggle("pairs")
        seed = s.ask.number("sample_seed", 0, LAST_SEED, 0)
    drawn = local_conv_moves.draw(seed, n, n_fillers, pairs)
    counts = local_conv_moves.count_by_offset(drawn, furthest)
    best = int(counts.fixed.argmax()) + 1
    facts = {
        "n": n,
        "best": best,
        "most": counts.fixed.max(),
        "back": back,
        "right": counts.fixed[back - 1],
        "furthest": furthest,
        "both": counts.both[-1],
        "nearest": counts.nearest[-1],
    }
    with s.picture:
        the_pair(s, local_conv_moves.lecture_pair(seed, n_fillers), back)
        every_offset(s, counts, back, facts)
        s.stamp("drawn", seed=seed)
    lucky = 2 * counts.fixed.max() > n
    s.says("says_pairs" if pairs else "says_lucky" if lucky else "says", **facts)
    s.details(
        code=[
            local_conv_moves.count_by_offset,
            local_conv_moves.draw,
            pronoun.two_noun_sentences,
            pronoun.write_two_nouns,
            pronoun.strew,
        ],
        numbers=lambda: the_sample(drawn),
    )


def the_pair(s, pair, back):
    """One sentence in its two readings, and the same fixed look in both."""
    texts, asks = spelled(pair.ids, vocabulary(page.words)), int(pair.asks[0])
    answers = [int(place) for place in pair.answer]
    found = [text[asks - back] if back <= asks else s.words("nothing") for text in texts]
    labels = [
        s.words("look_right" if asks - back == answer else "look_wrong", back=back, word=word)
        for word, answer in zip(found, answers, strict=True)
    ]
    reasons = [
        s.words("reason", reason=text[asks + 1], word=text[answer])
        for text, answer in zip(texts, answers, strict=True)
    ]
    names = {"asks": texts[0][asks], "first": texts[0][answers[0]], "second": texts[1][answers[1]]}
    sentences = [(text, asks, answer) for text, answer in zip(texts, answers, strict=True)]
    picture = charts.two_readings(sentences, back, reasons, labels)
    s.chart(picture, "pair_picture", **names, reason_1=reasons[0], reason_2=reasons[1], back=back)


def every_offset(s, counts, back, facts):
    windows = [(s.words(name), getattr(counts, name)) for name in ("nearest", "both")]
    titles = [s.words(name) for name in ("b_axis", "share", "fixed")]
    s.chart(charts.offset_bars(counts.fixed, windows, facts["n"], back, titles), "offsets_picture", **facts)


def the_sample(sentences):
    words = vocabulary(page.words)
    return pd.DataFrame(
        {
            "sentence": [" ".join(text) for text in spelled(sentences.ids, words)],
            "meant": [words[target] for target in sentences.targets],
            "places back": sentences.asks - sentences.answer,
        }
    )


# --- passing on -------------------------------------------------------------------------------


@st.cache_data(max_entries=512, show_spinner=False)
def sizes(kind, *settings):
    """What arrives from every distance, computed once for all readers."""
    return getattr(local_conv_paths, f"{kind}_sizes")(*settings)


def passing_on(s):
    with s.inputs:
        far = s.ask.number("far", 1, local_conv_paths.N - 1, 20)
        rho = s.ask.number("rho", 0.5, 1.2, 0.8, step=0.05)
        bent = s.ask.toggle("tanh")
        k = s.ask.number("path_k", 3, 7, 3, step=2)
        n_layers = s.ask.number("path_layers", 1, 8, 4)
        seed = s.ask.number("path_seed", 0, LAST_SEED, 0)
    arrives = {
        "conv": sizes("conv", k, n_layers, seed),
        "rnn": sizes("rnn", rho, seed, "tanh" if bent else "linear"),
        "theory": local_conv_paths.powers(sizes("rnn", rho, seed, "linear")[0], rho),
        "gru": sizes("gru", seed),
        "match": sizes("attention", seed, far),
        "equal": sizes("attention", seed),
    }
    told = {name: told_size(s, found[far]) for name, found in arrives.items()}
    with s.picture:
        every_distance(s, arrives, far, bent, told)
        s.stamp("random", seed=seed)
    s.says(
        "says_heard" if arrives["conv"][far] > 0 else "says_deaf",
        t=far,
        reach=local_conv.reach(n_layers, k),
        share=told_size(s, arrives["gru"][far] / arrives["gru"][1]),
        **told,
    )
    s.details(
        code=[local_conv_paths.sizes_by_distance, *PATHS],
        numbers=lambda: pd.DataFrame({"t": np.arange(local_conv_paths.N)} | arrives),
    )


def told_size(s, size):
    """A size with two digits that count; one that is no number any more is told in words."""
    return charts.two_digits(size) if np.isfinite(size) else s.words("overflow")


def every_distance(s, arrives, far, bent, told):
    looks = {
        "conv": ("conv", False),
        "rnn": ("rnn", False),
        "theory": ("neutral", True),
        "gru": ("gru", False),
        "match": ("attention", False),
        "equal": ("attention", True),
    }
    names = {name: s.words(f"{name}_line") for name in looks} | (
        {"rnn": s.words("tanh_line")} if bent else {}
    )
    series = [(names[name], *look, arrives[name]) for name, look in looks.items()]
    titles = (s.words("t_axis"), s.words("size_axis"))
    ends = (s.words("zero"), s.words("overflow"))
    s.chart(charts.gain_curves(series, titles, far, ends), "sizes_picture", t=far, **told)


sentence = page.sentence(["tired", "hungry", "escaped"])
page.show(reach, it_moves, passing_on, race)
