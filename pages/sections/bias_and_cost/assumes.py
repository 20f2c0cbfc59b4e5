"""Who is connected to whom in each layer, and how many numbers it learns."""

import numpy as np
import pandas as pd
import streamlit as st

from core import costs, costs_measured
from core.experiments import bias_and_cost_connections as pairs
from pages.sections.bias_and_cost.layers import HUES, TAPS, table, unbroken
from pages.shared import charts

DRAWN = (4, 6, 8, 12, 16, 24)  # words whose connections are drawn ...
DRAWN_D = 4  # ... and their width: the picture is the same for any
COUNTED = (*DRAWN, *(2**i for i in range(5, 11)))  # words for which parameters are counted
PARAMETERS = {"dense": "n²d²", "attention": "4d²", "rnn": "2d²", "conv": "kd²"}


@st.cache_data(max_entries=128, show_spinner=False)
def connections(n, seed, k, causal):
    """By layer: the strength of every connection, and whether it follows the words or the places."""
    x = pairs.tokens(n, DRAWN_D, seed)
    found = {layer: pairs.connections(layer, x, k=k, causal=causal) for layer in pairs.LAYERS}
    return found, {layer: pairs.follows_the_words(layer, k, causal) for layer in pairs.LAYERS}


def assumes(s):
    with s.inputs:
        n = s.ask.pick("drawn", DRAWN, 12)
        k = s.ask.pick("window", TAPS, 3)
        causal = s.ask.toggle("looks_back")
        seed = s.ask.number("other_words", 0, 9, 0)
    found, follows = connections(n, seed, k, causal)
    joined = {layer: int((strength > 0).sum()) for layer, strength in found.items()}
    learned = {layer: costs.parameters(layer, n, costs_measured.D, k) for layer in pairs.LAYERS}
    with s.picture:
        four_squares(s, found, joined, n, causal)
        s.stamp("connections", d=DRAWN_D, seed=0, words_seed=seed)
        parameters_chart(s, learned, n, k)
        rows = assumptions_table(s, joined, learned, n, follows)
        st.table(rows, border="horizontal", hide_index=True, alt=s.words("table"))
        s.stamp("computed")
    counts = {f"{layer}_pairs": count for layer, count in joined.items()}
    numbers = {layer: learned[layer] for layer in ("dense", "attention")}
    s.says(what_attention_assumes(joined), n=n, d=costs_measured.D, k=k, **counts, **numbers)
    layers = [pairs.fully_connected, pairs.attention, pairs.recurrent, pairs.convolve]
    s.details(code=[pairs.connections, *layers, costs.parameters], numbers=lambda: by_pair(found, n))


def what_attention_assumes(joined):
    """The sentence that these counts allow: attention joins more than the others, or no more than some."""
    as_rnn, as_conv = (joined["attention"] == joined[layer] for layer in ("rnn", "conv"))
    if as_rnn:
        return "says_causal_wide" if as_conv else "says_causal"
    return "says_wide" if as_conv else "says"


def four_squares(s, found, joined, n, causal):
    """Two by two: the layers that see everything above, those that do not below."""
    titles = (s.words("looks"), s.words("looked_at"), s.words("strength"))
    for row in (("dense", "attention"), ("rnn", "conv")):
        for layer, place in zip(row, st.columns(2), strict=True):
            title = f"{layer}_causal" if causal and layer in ("attention", "conv") else layer
            with place:
                s.chart(
                    charts.connections_map(found[layer], HUES[layer], titles),
                    title,
                    n=n,
                    joined=joined[layer],
                )


def parameters_chart(s, learned, n, k):
    d = costs_measured.D
    lines = [
        charts.CostLine(
            s.words(f"layers.{layer}"),
            HUES[layer],
            COUNTED,
            [costs.parameters(layer, m, d, k) for m in COUNTED],
            PARAMETERS[layer],
        )
        for layer in pairs.LAYERS
    ]
    titles, rules = (s.words("n_axis"), s.words("parameters")), [(n, s.words("here", n=n))]
    picture = charts.cost_curves(lines, titles, COUNTED, least=(1e3, 1e10), rules=rules, at=n, powers=True)
    s.chart(picture, "parameters_picture", n=n, d=d, **learned)


def assumptions_table(s, joined, learned, n, follows):
    columns = {
        "layer": [unbroken(s, layer) for layer in pairs.LAYERS],
        "joined": [f"{joined[layer]} / {n * n}" for layer in pairs.LAYERS],
        "follows": [s.words("follows_words" if yes else "follows_places") for yes in follows.values()],
        "learned": [f"{PARAMETERS[layer]} = {learned[layer]:,}" for layer in pairs.LAYERS],
    }
    return table(s, columns)


def by_pair(found, n):
    row, column = np.divmod(np.arange(n * n), n)
    strengths = {layer: strength.ravel() for layer, strength in found.items()}
    return pd.DataFrame({"looks": row + 1, "looked at": column + 1} | strengths)
