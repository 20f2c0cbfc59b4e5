"""The n x n scores of published models, and of longer inputs that nobody published."""

import pandas as pd
import streamlit as st

from core.experiments import bias_and_cost_models as models
from pages.shared import charts


def real_models(s):
    with s.inputs:
        number = {"four": 4, "two": 2}[s.ask.choice("number", ("four", "two"))]
    shapes = (*models.MODELS, *models.WHAT_IF)
    found = [models.score_bytes(shape, number) for shape in shapes]
    rows = [
        charts.Size(
            s.words(shape.name, n=shape.n, layers=shape.n_layers, heads=shape.n_heads),
            size.one,
            size.every,
            in_words(size.one),
            in_words(size.every),
            shape in models.MODELS,
        )
        for shape, size in zip(shapes, found, strict=True)
    ]
    with s.picture:
        titles = (s.words("memory"), s.words("one"), s.words("every"))
        sizes = {shape.name: row.every_text for shape, row in zip(shapes, rows, strict=True)}
        s.chart(charts.sizes(rows, "attention", titles), number=number, **sizes)
        st.caption(s.words("note"))
        s.stamp("computed")
    longer = models.WHAT_IF[0].n // models.GPT3.n
    s.says(
        number=number, one=in_words(found[2].one), every=rows[2].every_text, longer=longer, times=longer**2
    )
    s.details(
        code=[models.Shape, models.score_bytes, models.in_units],
        numbers=lambda: pd.DataFrame(shapes).assign(
            one=[f.one for f in found], every=[f.every for f in found]
        ),
    )


def in_words(n_bytes):
    amount, unit = models.in_units(n_bytes)
    return (
        f"{amount:,.0f}\u00a0{unit}" if amount >= 10 or amount == int(amount) else f"{amount:.1f}\u00a0{unit}"
    )
