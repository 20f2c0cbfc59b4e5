"""The sentence with arcs: pick the word that asks, and see by the thickness of the arcs where it looks.

A components-v2 component: its script runs in the page itself, needs no build step, and follows the theme's
variables.
"""

from pathlib import Path

import streamlit as st

from core.sentences import shorten

HERE = Path(__file__).parent

_arcs = st.components.v2.component(
    "lecture_arcs",
    html='<div class="scene"><svg class="arcs" aria-hidden="true"></svg><div class="words"></div></div>\n',
    css=(HERE / "arcs.css").read_text(encoding="utf-8"),
    js=(HERE / "arcs.js").read_text(encoding="utf-8"),
)
_language = st.components.v2.component(
    "lecture_language",
    js="export default function ({data}) {\n  document.documentElement.lang = data.lang\n}\n",
)


def arcs(key, tokens, asks, weights, label, pick_key):
    """Draw the sentence; a pick goes to the input `pick_key` (counted from 1), which owns value and URL.

    Parameters
    ----------
    tokens : sequence of str, length n
    asks : int
        The asking token, counted from 0.
    weights : (n,) array
        What the asking token gives to each token; the arcs are drawn from it.
    label : str
        What the picker is for, in the reader's language.
    """

    def take():
        picked = st.session_state[key].get("query")
        if isinstance(picked, int) and 0 <= picked < len(tokens):
            st.session_state[pick_key] = picked + 1

    data = {
        "tokens": [{"short": shorten(token, 16), "whole": token} for token in tokens],
        "weights": [round(float(w), 4) for w in weights],
        "query": asks,
        "label": label,
    }
    _arcs(key=key, data=data, on_query_change=take)


def set_document_language(language):
    """Tell browsers and screen readers which language the page is in; Streamlit always says English."""
    _language(key="_html_lang", data={"lang": "zh-CN" if language == "zh" else language}, height=1)
