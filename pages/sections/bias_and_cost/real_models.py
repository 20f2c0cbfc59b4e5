"""The n x n scores of published models, and of longer inputs that nobody published."""

import pandas as pd
import streamlit as st

from core.experiments import bias_and_cost_models as models
from core.published_models import GPT3, Shape
from core.units import in_units
from pages.shared import charts
from pages.shared.amounts import bytes_in_words

SHAPES = (*models.MODELS, *models.WHAT_IF)
ATTENDS = ["name", "n", "n_layers", "n_heads", "d_model"]  # what the scores depend on
BYTES = {"four": 4, "two": 2}  # that a number takes


def real_models(s):
    with s.inputs:
        number = BYTES[s.ask.choice("number", tuple(BYTES))]
    found = {shape.name: models.score_bytes(shape, number) for shape in SHAPES}
    with s.picture:
        sizes_chart(s, found, number)
        st.caption(s.words("note"))
        s.stamp("computed")
    longer, gpt3 = models.WHAT_IF[0].n // GPT3.n, found[GPT3.name]
    one, every = bytes_in_words(gpt3.one), bytes_in_words(gpt3.every)
    s.says(number=number, one=one, every=every, longer=longer, times=longer**2)
    s.details(
        code=[Shape, models.score_bytes, in_units],
        numbers=lambda: pd.concat(
            [pd.DataFrame(SHAPES)[ATTENDS], pd.DataFrame(found.values())], axis="columns"
        ),
    )


def sizes_chart(s, found, number):
    rows = []
    for shape in SHAPES:
        name = s.words(shape.name, n=shape.n, layers=shape.n_layers, heads=shape.n_heads)
        one, every = found[shape.name]
        rows.append(
            charts.Size(name, one, every, bytes_in_words(one), bytes_in_words(every), shape in models.MODELS)
        )
    titles = (s.words("memory"), s.words("one"), s.words("every"))
    values = {shape.name: row.every_text for shape, row in zip(SHAPES, rows, strict=True)}
    s.chart(charts.sizes(rows, "attention", titles), number=number, **values)
