"""What is left of a word that is passed on step by step, by its distance."""

import numpy as np
import pandas as pd
import streamlit as st

from core.experiments import local_conv, local_conv_paths
from pages.shared import charts

PATHS = (
    local_conv_paths.conv_sizes,
    local_conv_paths.conv_stack_backward,
    local_conv_paths.rnn_sizes,
    local_conv_paths.gru_sizes,
    local_conv_paths.attention_sizes,
)


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
        seed = s.ask.seed("path_seed")
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
