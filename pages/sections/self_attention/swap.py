"""Does the link carry the answer? The two nouns' weights are swapped by hand, and the model answers anew."""

import pandas as pd
import streamlit as st

from core.experiments import pronoun_link
from pages.sections.self_attention import runs
from pages.shared import charts

KINDS = ("right", "other_when_swapped", "right_when_even")


def swap(s):
    with s.inputs:
        seed = s.ask.seed("swap_seed")
        watched = runs.watch_link(s, seed)
    now = watched.seen[-1]
    tested = test(seed, now.flat)
    shares = [getattr(tested, kind) for kind in KINDS]
    with s.picture:
        names = [s.words(f"kinds.{kind}") for kind in KINDS]
        picture = charts.bars(
            names, shares, "attention", (s.words("what"), s.words("share")), domain=(0, 1.15), signs=24
        )
        carries = tested.other_when_swapped > max(0.5, 1 - tested.right)
        name = "picture" if carries else "not_yet_picture"
        s.chart(picture, name, **dict(zip(KINDS, shares, strict=True)))
        runs.stamp(s, watched, seed, now)
    facts = {"seed": seed, "step": now.step, "n": tested.n_sentences} | tested._asdict()
    s.says("says_carries" if carries else "says_not_yet", **facts)
    s.details(
        code=[pronoun_link.swap_test, pronoun_link.with_weights, pronoun_link.swapped, pronoun_link.even],
        numbers=lambda: pd.DataFrame({"what": KINDS, "share": shares}),
    )
    s.tick_while(watched.running)


@st.cache_data(max_entries=32, show_spinner=False)
def test(seed, flat):
    """The swap test of these parameters, once for all readers."""
    return pronoun_link.swap_test(seed, flat)
