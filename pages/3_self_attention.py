"""Page 3.

Where q, k and v come from, what every word then sees, and what order has to do with it. The sentence serves
all sections.
"""

import math

import numpy as np
import pandas as pd
import streamlit as st

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.multi_head import self_attention as self_attention_block
from core.experiments import pronoun_link, self_attention, word_order
from core.experiments.soft_lookup import entropy, favourites
from core.learning import tasks
from pages.sections.self_attention.flip import flip
from pages.sections.self_attention.link import link
from pages.sections.self_attention.one_layer import one_layer
from pages.sections.self_attention.order_trained import order_trained
from pages.sections.self_attention.swap import swap
from pages.shared import charts
from pages.shared.arcs import arcs
from pages.shared.frame import open_page, verbatim

FEATURES = self_attention.FEATURES
SEED = 0  # of the words and heads behind the shuffle

page = open_page(
    "self_attention",
    looks_for=self_attention.LOOKS_FOR,
    nouns=tasks.N_NOUNS,
    verbs=tasks.N_VERBS,
    held_out=tasks.N_HELD_OUT,
    one_layer_steps=pronoun_link.ONE_LAYER_STEPS,
)
words = page.words
chosen = page.sentence(["tired", "hungry", "escaped"])
tokens, n = chosen.tokens, len(chosen.tokens)


def roles(s):
    with s.inputs:
        asks = s.ask.number("word", 1, n, chosen.asks + 1) - 1
        w_q, w_k, w_v = (
            matrix(s, name, w)
            for name, w in zip(("w_q", "w_k", "w_v"), self_attention.hand_set_parameters(), strict=True)
        )
    lexicon = {feature: words(f"lexicon.{feature}") for feature in ("animal", "pronoun")}
    x = self_attention.feature_vectors(tokens, lexicon)
    out, cache = self_attention.attend(x, w_q, w_k, w_v)
    with s.picture:
        sentence_with_arcs(s, "word", asks, cache.weights[asks])
        the_roles(s, asks, {"x": x, "q": cache.q, "k": cache.k, "v": cache.v, "out": out})
        s.stamp("by_hand")
    say_whom_it_prefers(s, asks, x, cache)
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
        numbers=lambda: by_word(score=cache.scores[asks], weight=cache.weights[asks]),
    )


def the_roles(s, asks, arrays):
    """The vectors of one word, each under its name."""
    hues = ("neutral", "query", "key", "value", "output")
    named = [
        (s.words(name), hue, array[asks]) for (name, array), hue in zip(arrays.items(), hues, strict=True)
    ]
    listed = "; ".join(f"{name}: {', '.join(f'{a:.2f}' for a in array)}" for name, _, array in named)
    features = [words(f"features.{feature}") for feature in FEATURES]
    s.chart(charts.vectors(named, features), word=verbatim(tokens[asks]), listed=listed)


def by_word(**columns):
    return pd.DataFrame({"place": np.arange(n) + 1, "word": tokens} | columns)


def matrix(s, name, w):
    """A matrix that the student can edit. A row: what a word is; a column: what it asks for, for example."""
    st.markdown(s.words(f"{name}_is"))
    default = pd.DataFrame(w, columns=FEATURES)
    default.insert(0, "row", [words(f"features.{feature}") for feature in FEATURES])
    labels = {column: words(f"columns.{column}") for column in default}
    return s.ask.grid(name, default, labels, decimals=1)[list(FEATURES)].to_numpy(float)


def sentence_with_arcs(s, name, asks, weights):
    """The sentence; a pick moves the slider of that name, which owns the value."""
    st.markdown(f"**{s.words('arcs', word=verbatim(tokens[asks]))}**")
    arcs(f"{s.key}.arcs", tokens, asks, weights, words("pick"), f"{page.name}.{name}")


def say_whom_it_prefers(s, asks, x, cache):
    weights = cache.weights[asks]
    best = favourites(weights)
    facts = {"word": verbatim(tokens[asks]), "weight": weights[best[0]]}
    if n == 1:
        s.says("says_one")
    elif len(best) == n:
        s.says("says_none_found" if cache.q[asks].any() else "says_even", n=n, **facts)
    elif len(best) > 1:
        names = places_of(s, best)
        s.says("says_tie" if self_attention.are_alike(x[best]) else "says_level", names=names, **facts)
    else:
        s.says(best=verbatim(tokens[best[0]]), rest=1 - facts["weight"], others=n - 1, **facts)


def places_of(s, some):
    """Words named with their places, which tell equal ones apart."""
    return s.listed([s.words("place", word=verbatim(tokens[i]), place=i + 1) for i in some])


def everyone(s):
    with s.inputs:
        asks = s.ask.number("asks", 1, n, chosen.asks + 1) - 1
        state = s.ask.choice("state", ["scores", "masked", "weights"], "weights")
        shown_head = s.ask.choice("head", ["1", "2", "3", "4", "mean"])
        causal = s.ask.toggle("causal")
        seed = s.ask.number("seed", 0, 20, 0)
    head = None if shown_head == "mean" else int(shown_head)
    look = self_attention.everyone(tokens, seed, causal)
    weights = self_attention.of_head(look.weights, head)
    grid = self_attention.of_head(getattr(look, state), head)
    with s.picture:
        sentence_with_arcs(s, "asks", asks, weights[asks])
        titles = (words("query_axis"), words("key_axis"), s.words(f"{state}_value"))
        if state == "weights":
            picture = charts.weights_map(grid, tokens, tokens, titles)
        else:
            bound = math.ceil(np.abs(look.scores).max())  # of all heads, so that they can be compared
            picture = charts.scores_map(grid, tokens, tokens, titles, bound)
        s.chart(charts.mark_row(picture, asks + 1), message=s.words(f"{state}_picture"), n=n)
        s.stamp("random", seed=seed)
    say_what_it_means(s, asks, weights[asks], seed, causal)
    say_what_the_state_shows(s, state, head, causal)
    s.details(
        code=[self_attention.everyone, self_attention.random_heads, self_attention_block],
        numbers=lambda: pd.DataFrame(grid, columns=[f"{i + 1} {token}" for i, token in enumerate(tokens)]),
    )


def say_what_it_means(s, asks, weights, seed, causal):
    """How far an untrained model is from a choice."""
    visible = asks + 1 if causal else n
    if visible == 1:
        s.says("says_alone", word=verbatim(tokens[asks]))
        return
    best = favourites(weights)
    s.says(
        "says" if len(best) == 1 else "says_tie",
        word=verbatim(tokens[asks]),
        best=places_of(s, best),
        weight=weights[best[0]],
        effective=np.exp(entropy(weights)),
        visible=visible,
        seed=seed,
    )


def say_what_the_state_shows(s, state, head, causal):
    notes = []
    if state == "masked":
        notes.append(s.words("blocked" if causal else "nothing_blocked", blocked=n * (n - 1) // 2, all=n * n))
    if head is None:
        notes.append(s.words("mean_of_heads", heads=self_attention.N_HEADS))
    if notes:
        st.caption(" ".join(notes))


def order(s):
    with s.inputs:
        seed = s.ask.number("shuffle", 0, 20, 0)
        causal = s.ask.toggle("shuffle_causal")
        positions = s.ask.toggle("shuffle_positions")
    did = word_order.shuffle(tokens, seed, causal=causal, positions=positions, seed=SEED)
    shuffled = [tokens[i] for i in did.order]
    largest, size = did.changes.max(), np.abs(did.before).max()
    same = largest < word_order.ROUNDING
    with s.picture:
        s.chart(charts.moves(tokens, did.order, (s.words("before"), s.words("after"))), "moves", n=n)
        picture = charts.changes(
            shuffled, did.changes, (s.words("word_axis"), s.words("change_axis")), word_order.ROUNDING
        )
        s.chart(picture, "changes_none" if same else "changes_some", largest=largest)
        s.stamp("random", seed=SEED)
    if n == 1:
        s.says("says_one")
    elif same:
        s.says("says_no_leak" if causal or positions else "says", largest=largest, size=size)
    else:
        changed = int((did.changes > word_order.ROUNDING).sum())
        causes = s.words("both" if causal and positions else "by_mask" if causal else "by_positions")
        s.says("says_leak", largest=largest, size=size, changed=changed, n=n, causes=causes)
    s.details(
        code=[word_order.shuffle, self_attention.random_heads],
        numbers=lambda: pd.DataFrame(
            {"new place": np.arange(n) + 1, "old place": did.order + 1}
            | {"word": shuffled, "change": did.changes}
        ),
    )


page.show(roles, everyone, link, flip, swap, one_layer, order, order_trained)
