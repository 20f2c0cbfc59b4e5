"""Where the query, the key and the value of a word come from: three matrices that can be edited."""

import numpy as np
import pandas as pd
import streamlit as st

from core.blocks.attention import scaled_dot_product_attention
from core.experiments import self_attention
from core.experiments.soft_lookup import favourites
from pages.sections.self_attention.in_sentence import places_of, sentence_with_arcs
from pages.shared import charts
from pages.shared.text import verbatim

FEATURES = self_attention.FEATURES


def roles(s, chosen):
    tokens, n = chosen.tokens, len(chosen.tokens)
    with s.inputs:
        asks = s.ask.number("word", 1, n, chosen.asks + 1) - 1
        w_q, w_k, w_v = (
            matrix(s, name, w)
            for name, w in zip(("w_q", "w_k", "w_v"), self_attention.hand_set_parameters(), strict=True)
        )
    lexicon = {feature: s.page.words(f"lexicon.{feature}") for feature in ("animal", "pronoun")}
    x = self_attention.feature_vectors(tokens, lexicon)
    out, cache = self_attention.attend(x, w_q, w_k, w_v)
    with s.picture:
        sentence_with_arcs(s, "word", tokens, asks, cache.weights[asks])
        the_roles(s, tokens, asks, {"x": x, "q": cache.q, "k": cache.k, "v": cache.v, "out": out})
        s.stamp("by_hand")
    say_whom_it_prefers(s, tokens, asks, x, cache)
    if chosen.is_own:
        unknown = int(x[:, FEATURES.index("other")].sum())
        st.caption(s.words("unknown", unknown=unknown, **lexicon))
    s.details(
        code=[
            self_attention.attend,
            scaled_dot_product_attention,
            self_attention.hand_set_parameters,
            self_attention.feature_vectors,
        ],
        numbers=lambda: by_word(tokens, score=cache.scores[asks], weight=cache.weights[asks]),
    )


def the_roles(s, tokens, asks, arrays):
    """The vectors of one word, each under its name."""
    hues = ("neutral", "query", "key", "value", "output")
    named = [
        (s.words(name), hue, array[asks]) for (name, array), hue in zip(arrays.items(), hues, strict=True)
    ]
    listed = "; ".join(f"{name}: {', '.join(f'{a:.2f}' for a in array)}" for name, _, array in named)
    features = [s.page.words(f"features.{feature}") for feature in FEATURES]
    s.chart(charts.vectors(named, features), word=verbatim(tokens[asks]), listed=listed)


def by_word(tokens, **columns):
    return pd.DataFrame({"place": np.arange(len(tokens)) + 1, "word": tokens} | columns)


def matrix(s, name, w):
    """A matrix that the student can edit. A row: what a word is; a column: what it asks for, for example."""
    st.markdown(s.words(f"{name}_is"))
    default = pd.DataFrame(w, columns=FEATURES)
    default.insert(0, "row", [s.page.words(f"features.{feature}") for feature in FEATURES])
    labels = {column: s.page.words(f"columns.{column}") for column in default}
    return s.ask.grid(name, default, labels, decimals=1)[list(FEATURES)].to_numpy(float)


def say_whom_it_prefers(s, tokens, asks, x, cache):
    n, weights = len(tokens), cache.weights[asks]
    best = favourites(weights)
    facts = {"word": verbatim(tokens[asks]), "weight": weights[best[0]]}
    if n == 1:
        s.says("says_one")
    elif len(best) == n:
        s.says("says_none_found" if cache.q[asks].any() else "says_even", n=n, **facts)
    elif len(best) > 1:
        names = places_of(s, tokens, best)
        s.says("says_tie" if self_attention.are_alike(x[best]) else "says_level", names=names, **facts)
    else:
        s.says(best=verbatim(tokens[best[0]]), rest=1 - facts["weight"], others=n - 1, **facts)
