"""The share of the n x n products in all that a block computes."""

import pandas as pd
import streamlit as st

from core import costs
from core.experiments.bias_and_cost_models import MODELS
from core.published_models import GPT2, GPT3
from pages.shared import charts

SHARE_LENGTHS = tuple(2**i for i in range(8, 18))


def share(s):
    with s.inputs:
        shape = {one.name: one for one in MODELS}[s.ask.choice("model", ("gpt2", "bert", "gpt3"))]
        n = s.ask.pick("length", SHARE_LENGTHS, 1024)
    d, name = shape.d_model, s.words(f"options.model.{shape.name}")
    here = costs.attention_share(n, d)
    narrow, wide = GPT2.d_model, GPT3.d_model
    names = {width: s.words("width", width_d=width) for width in (narrow, wide)}
    data = pd.DataFrame(
        [(m, costs.attention_share(m, width), names[width]) for width in names for m in SHARE_LENGTHS],
        columns=["x", "y", "name"],
    )
    with s.picture:
        series = [(one, "attention") for one in names.values()]
        ends = (SHARE_LENGTHS[0], SHARE_LENGTHS[-1])
        titles = (s.words("n_axis"), s.words("part"))
        ticks = SHARE_LENGTHS[::2]
        picture = charts.curves(data, series, titles, log=("x",), domains=(ends, (0, 1)), ticks=ticks, at=n)
        s.chart(picture, model=name, n=n, d=d, share=here)
        st.caption(s.words("note", narrow=narrow, wide=wide))
        s.stamp("computed")
    key = "says" if n <= shape.n else "says_beyond"
    s.says(key, model=name, n=n, d=d, share=here, half=6 * d, most=shape.n)
    s.details(code=[costs.attention_share, costs.attention_cost], numbers=data)
