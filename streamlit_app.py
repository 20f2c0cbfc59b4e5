"""Home: the lecture in one view, and the entry point of `streamlit run`."""

import pandas as pd
import streamlit as st

from core.experiments import self_attention
from pages.shared import charts
from pages.shared.arcs import arcs
from pages.shared.frame import PAGES, open_page, verbatim

# The parts that the lecture counts, and the pages on which each is at work.
PARTS = {
    "dot_product": (2, 3, 4, 5),
    "softmax": (2, 3, 4, 5),
    "weighted_mean": (2, 3, 4, 5),
    "matrix_product": (3, 4, 5),
    "backprop": (2, 3),
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
    lexicon = {feature: words(f"lexicon.{feature}") for feature in ("animal", "pronoun")}
    x = self_attention.feature_vectors(sentence.tokens, lexicon)
    out, looked = self_attention.attend(x, *self_attention.hand_set_parameters())
    scores, weights = looked.scores[asks], looked.weights[asks]
    with s.inputs:
        st.markdown(s.words("formula"))
    with s.picture:
        arcs(f"{s.key}.arcs", sentence.tokens, asks, weights, s.words("picker"), f"{page.name}.asks")
        left, middle, right = st.columns(3)
        axis = s.words("word")
        with left:
            picture = charts.bars(sentence.tokens, scores, "query", (axis, "q · k / √d"))
            s.chart(picture, "scores", asks=sentence.tokens[asks])
        with middle:
            picture = charts.bars(sentence.tokens, weights, "attention", (axis, "softmax"), domain=(0, 1.2))
            s.chart(picture, "weights", asks=sentence.tokens[asks])
        with right:
            features = [words(f"features.{feature}") for feature in self_attention.FEATURES]
            picture = charts.bars(
                features, out[asks], "output", (s.words("feature"), "Σ w · v"), domain=(0, 1.2)
            )
            s.chart(picture, "output", asks=sentence.tokens[asks])
        s.stamp("by_hand_words")
    best = self_attention.favourites(weights)
    asking = verbatim(sentence.tokens[asks])
    if len(best) == len(sentence.tokens):
        s.says("says_all", asks=asking, n=len(best), weight=weights[0])
    else:
        found = " ".join(verbatim(sentence.tokens[i]) for i in best)
        s.says(asks=asking, found=found, score=scores[best[0]], weight=weights[best[0]])
    s.details(
        code=[self_attention.attend, self_attention.scaled_dot_product_attention],
        numbers=lambda: pd.DataFrame({"token": sentence.tokens, "score": scores, "weight": weights}),
    )


def parts(s):
    names = {part: s.words(part) for part in PARTS}
    titles = {number: words(f"nav.{name}") for number, name in enumerate(PAGES) if number > 1}
    with s.inputs:
        st.markdown(s.words("lessons"))
    with s.picture:
        used = [(names[part], titles[number]) for part, numbers in PARTS.items() for number in numbers]
        picture = charts.table_of_dots(used, list(names.values()), list(titles.values()), "attention")
        s.chart(picture)
        s.stamp("counted")
    s.says(n=len(PARTS))
    s.details(
        code=[self_attention.scaled_dot_product_attention],
        numbers=lambda: pd.DataFrame(used, columns=["part", "page"]),
    )


lecture_map()
with st.expander(words("in_class.title"), icon=":material/school:"):
    st.markdown(words("in_class.text"))
sentence = page.sentence(["tired", "hungry", "escaped"])
page.show(miniature, parts)
