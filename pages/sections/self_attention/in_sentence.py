"""Words in their sentence: arcs from one to all others, and names that tell equal ones apart."""

import streamlit as st

from pages.shared.arcs import arcs
from pages.shared.text import verbatim


def sentence_with_arcs(s, name, tokens, asks, weights):
    """The sentence; a pick moves the slider of that name, which owns the value."""
    st.markdown(f"**{s.words('arcs', word=verbatim(tokens[asks]))}**")
    arcs(f"{s.key}.arcs", tokens, asks, weights, s.page.words("pick"), f"{s.page.name}.{name}")


def places_of(s, tokens, some):
    """Words named with their places, which tell equal ones apart."""
    return s.listed([s.words("place", word=verbatim(tokens[i]), place=i + 1) for i in some])
