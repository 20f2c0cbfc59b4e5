"""What every word then sees, in all heads at once, before anybody trained them."""

import math

import numpy as np
import pandas as pd
import streamlit as st

from core.blocks.multi_head import self_attention as self_attention_block
from core.experiments import self_attention
from core.experiments.soft_lookup import entropy, favourites
from pages.sections.self_attention.in_sentence import places_of, sentence_with_arcs
from pages.shared import charts
from pages.shared.text import verbatim


def everyone(s, chosen):
    tokens, n = chosen.tokens, len(chosen.tokens)
    with s.inputs:
        asks = s.ask.number("asks", 1, n, chosen.asks + 1) - 1
        state = s.ask.choice("state", ["scores", "masked", "weights"], "weights")
        shown_head = s.ask.choice("head", ["1", "2", "3", "4", "mean"])
        causal = s.ask.toggle("causal")
        seed = s.ask.seed("seed")
    head = None if shown_head == "mean" else int(shown_head)
    look = self_attention.everyone(tokens, seed, causal)
    weights = self_attention.of_head(look.weights, head)
    grid = self_attention.of_head(getattr(look, state), head)
    with s.picture:
        sentence_with_arcs(s, "asks", tokens, asks, weights[asks])
        titles = (s.page.words("query_axis"), s.page.words("key_axis"), s.words(f"{state}_value"))
        if state == "weights":
            picture = charts.weights_map(grid, tokens, tokens, titles)
        else:
            bound = math.ceil(np.abs(look.scores).max())  # of all heads, so that they can be compared
            picture = charts.scores_map(grid, tokens, tokens, titles, bound)
        s.chart(charts.mark_row(picture, asks + 1), message=s.words(f"{state}_picture"), n=n)
        s.stamp("random", seed=seed)
    say_what_it_means(s, tokens, asks, weights[asks], seed, causal)
    say_what_the_state_shows(s, n, state, head, causal)
    s.details(
        code=[self_attention.everyone, self_attention.random_heads, self_attention_block],
        numbers=lambda: pd.DataFrame(grid, columns=[f"{i + 1} {token}" for i, token in enumerate(tokens)]),
    )


def say_what_it_means(s, tokens, asks, weights, seed, causal):
    """How far an untrained model is from a choice."""
    visible = asks + 1 if causal else len(tokens)
    if visible == 1:
        s.says("says_alone", word=verbatim(tokens[asks]))
        return
    best = favourites(weights)
    s.says(
        "says" if len(best) == 1 else "says_tie",
        word=verbatim(tokens[asks]),
        best=places_of(s, tokens, best),
        weight=weights[best[0]],
        effective=np.exp(entropy(weights)),
        visible=visible,
        seed=seed,
    )


def say_what_the_state_shows(s, n, state, head, causal):
    notes = []
    if state == "masked":
        notes.append(s.words("blocked" if causal else "nothing_blocked", blocked=n * (n - 1) // 2, all=n * n))
    if head is None:
        notes.append(s.words("mean_of_heads", heads=self_attention.N_HEADS))
    if notes:
        st.caption(" ".join(notes))
