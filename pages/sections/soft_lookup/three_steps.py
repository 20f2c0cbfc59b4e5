"""From products to the answer, step by step, with the arithmetic of one entry."""

import numpy as np
import pandas as pd
import streamlit as st

from core.experiments import soft_lookup
from pages.shared import charts
from pages.shared.text import verbatim

SYMBOLS = ("q · k", "q · k / √d", "exp(s − max s)", "w", "w · v")  # of the five steps


def three_steps(s, given):
    names, query, keys, values = given
    with s.inputs:
        step = s.ask.number("step", 1, 5, 1)
        with st.container(horizontal=True):
            move(s, "previous", -1, step > 1)
            move(s, "next", +1, step < 5)
        entry = s.ask.number("entry", 1, len(names), 1) - 1
        shift = s.ask.toggle("shift")
    did = soft_lookup.steps(query, keys, values, 100.0 if shift else 0.0)
    shown = (did.products, did.scores, did.powers, did.weights, did.parts[:, 0])[step - 1]
    title = s.words(f"step_{step}")
    hue = ("query", "query", "query", "output", "value")[step - 1]
    with s.picture:
        picture = charts.bars(names, shown, hue, (s.words("entry_axis"), SYMBOLS[step - 1]), form=".3f")
        listed = ", ".join(f"{name} {value:.3f}" for name, value in zip(names, shown, strict=True))
        s.chart(picture, step=title, listed=listed)
        s.stamp("by_hand")
        worked_out(s, given, did, entry, step, shift)
    if shift:
        unshifted = soft_lookup.steps(query, keys, values)
        s.says("says_shift", difference=np.abs(did.weights - unshifted.weights).max())
    else:
        s.says(n=len(names), x=did.out[0], y=did.out[1], total=did.weights.sum())
    columns = dict(zip(("product", "score", "exponential", "weight"), did[:4], strict=True))
    s.details(code=[soft_lookup.steps], numbers=lambda: pd.DataFrame({"name": names} | columns))


def move(s, name, by, possible):
    """A button that takes the step slider along."""
    key = f"{s.page.name}.step"

    def go():
        st.session_state[key] = min(max(st.session_state.get(key, 1) + by, 1), 5)

    st.button(s.words(name), key=f"{s.key}.{name}", on_click=go, disabled=not possible)


def worked_out(s, given, did, i, step, shift):
    """The arithmetic of one entry up to the chosen step."""
    names, query, keys, values = given
    numbers = {
        "q1": query[0],
        "q2": query[1],
        "k1": keys[i, 0],
        "k2": keys[i, 1],
        "product": did.products[i],
        "shifted": s.words("work_shifted") if shift else "",
        "score": did.scores[i],
        "largest": did.scores.max(),
        "power": did.powers[i],
        "total": did.powers.sum(),
        "weight": did.weights[i],
        "v1": values[i, 0],
        "v2": values[i, 1],
        "p1": did.parts[i, 0],
        "p2": did.parts[i, 1],
    }
    st.markdown(s.words("work", name=verbatim(names[i])))
    st.code(
        "\n".join(s.words(f"work_{n}", **numbers) for n in range(1, step + 1)), language=None, wrap_lines=True
    )
