"""The n x n scores of published models, and of longer inputs that nobody published."""

import pandas as pd
import streamlit as st

from core.experiments import bias_and_cost_models as models
from pages.shared import charts

SHAPES = (*models.MODELS, *models.WHAT_IF)
BYTES = {"four": 4, "two": 2}  # that a number takes


def real_models(s):
    with s.inputs:
        number = BYTES[s.ask.choice("number", tuple(BYTES))]
    found = {shape.name: models.score_bytes(shape, number) for shape in SHAPES}
    with s.picture:
        sizes_chart(s, found, number)
        st.caption(s.words("note"))
        s.stamp("computed")
    longer, gpt3 = models.WHAT_IF[0].n // models.GPT3.n, found[models.GPT3.name]
    one, every = in_words(gpt3.one), in_words(gpt3.every)
    s.says(number=number, one=one, every=every, longer=longer, times=longer**2)
    s.details(
        code=[models.Shape, models.score_bytes, models.in_units],
        numbers=lambda: pd.concat([pd.DataFrame(SHAPES), pd.DataFrame(found.values())], axis="columns"),
    )


def sizes_chart(s, found, number):
    rows = []
    for shape in SHAPES:
        name = s.words(shape.name, n=shape.n, layers=shape.n_layers, heads=shape.n_heads)
        one, every = found[shape.name]
        rows.append(charts.Size(name, one, every, in_words(one), in_words(every), shape in models.MODELS))
    titles = (s.words("memory"), s.words("one"), s.words("every"))
    values = {shape.name: row.every_text for shape, row in zip(SHAPES, rows, strict=True)}
    s.chart(charts.sizes(rows, "attention", titles), number=number, **values)


def in_words(n_bytes):
    """Write 16 MiB, 1 GiB, 1.1 MiB: one decimal where there are few."""
    amount, unit = models.in_units(n_bytes)
    digits = 0 if amount >= 10 or amount == int(amount) else 1
    return f"{amount:,.{digits}f}\u00a0{unit}"
