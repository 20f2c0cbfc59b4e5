"""Home: the lecture in one view, and the entry point of `streamlit run`."""

import pandas as pd
import streamlit as st

from core.blocks.attention import scaled_dot_product_attention
from core.experiments import self_attention
from core.experiments.soft_lookup import favourites
from pages.shared import charts
from pages.shared.arcs import arcs
from pages.shared.frame import PAGES, open_page, verbatim

# The parts that the lecture counts, and the pages on which each is at work: whose functions call it.
PARTS = {
    "dot_product": (1, 2, 3, 4, 5),
    "softmax": (1, 2, 3, 4, 5),
    "weighted_mean": (1, 2, 3, 4, 5),
    "matrix_product": (1, 2, 3, 4, 5),
    "backprop": (1, 2, 3, 4, 5),
    "mlp": (3, 4),
    "normalisation": (3, 4),
}

page = open_page("home")
words = page.words


def lecture_map():
    """The five steps of the lecture: each a question, a short answer and a way there."""
    steps = [name for name in PAGES if name != "home"]
    for number, (name, place) in enumerate(zip(steps, st.columns(len(steps)), strict=True), start=1):
        with place.container(border=True, height="stretch"):
            st.markdown(f"**{number} · {words(f'map.{name}.question')}**")
            st.markdown(words(f"map.{name}.answer"))
            page.link_to(name)


def miniature(s):
    with s.inputs:
        asks = s.ask.number("asks", 1, len(sentence.tokens), sentence.asks + 1) - 1
        st.markdown(s.words("formula"))
    lexicon = {feature: words(f"lexicon.{feature}") for feature in ("animal", "pronoun")}
    x = self_attention.feature_vectors(sentence.tokens, lexicon)
    out, looked = self_attention.attend(x, *self_attention.hand_set_parameters())
    scores, weights = looked.scores[asks], looked.weights[asks]
    with s.picture:
        arcs(f"{s.key}.arcs", sentence.tokens, asks, weights, s.words("picker"), f"{page.name}.asks")
        three_bars(s, asks, scores, weights, out[asks])
        s.stamp("by_hand_words")
    say_what_it_finds(s, asks, looked)
    s.details(
        code=[self_attention.attend, scaled_dot_product_attention],
        numbers=lambda: pd.DataFrame({"token": sentence.tokens, "score": scores, "weight": weights}),
    )


def three_bars(s, asks, scores, weights, out):
    """Scores, weights and output of the word that asks, side by side."""
    word, tokens = s.words("word"), sentence.tokens
    features = [words(f"features.{feature}") for feature in self_attention.FEATURES]
    rows = (
        ("scores", tokens, scores, "query", (word, "q · k / √d"), None),
        ("weights", tokens, weights, "attention", (word, "softmax"), (0, 1.2)),
        ("output", features, out, "output", (s.words("feature"), "Σ w · v"), (0, 1.2)),
    )
    for place, (name, labels, values, hue, titles, domain) in zip(st.columns(3), rows, strict=True):
        with place:
            s.chart(charts.bars(labels, values, hue, titles, domain=domain), name, asks=tokens[asks])


def say_what_it_finds(s, asks, looked):
    tokens, scores, weights = sentence.tokens, looked.scores[asks], looked.weights[asks]
    best = favourites(weights)
    facts = {"asks": verbatim(tokens[asks]), "weight": weights[best[0]], "n": len(tokens)}
    if len(tokens) == 1:
        s.says("says_one", **facts)
    elif len(best) == len(tokens):  # the query of a pronoun is not 0, but may meet no animal
        s.says("says_none_found" if looked.q[asks].any() else "says_all", **facts)
    else:
        found = s.listed([verbatim(tokens[i]) for i in best])
        key = "says" if len(best) == 1 else "says_tie"
        s.says(key, found=found, score=scores[best[0]], **facts)


def parts(s):
    names = {part: s.words(part) for part in PARTS}
    titles = {number: words(f"nav.{name}") for number, name in enumerate(PAGES) if number > 0}
    with s.inputs:
        st.markdown(s.words("lessons"))
    with s.picture:
        used = [(names[part], titles[number]) for part, numbers in PARTS.items() for number in numbers]
        picture = charts.table_of_dots(used, list(names.values()), list(titles.values()), "attention")
        s.chart(picture)
        s.stamp("listed")
    s.says(n=len(PARTS))
    s.details(
        code=[scaled_dot_product_attention],
        numbers=lambda: pd.DataFrame(used, columns=["part", "page"]),
    )


lecture_map()
with st.expander(words("in_class.title"), icon=":material/school:"):
    st.markdown(words("in_class.text"))
sentence = page.sentence(["tired", "hungry", "escaped"])
page.show(miniature, parts)
