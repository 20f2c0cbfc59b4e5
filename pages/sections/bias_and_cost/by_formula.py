"""The bill of each layer by formula: operations over the lengths, and a table of all that is charged."""

import pandas as pd
import streamlit as st

from core import costs
from core.experiments import bias_and_cost
from pages.sections.bias_and_cost.layers import LENGTHS, TAPS, WIDTHS, table, unbroken
from pages.shared import charts

LEAST = (1e4, 1e15)  # operations: one axis for all settings, so that the lines move and not the axis
FORMULAS = {"attention": "4n²d", "rnn": "4nd²", "conv": "2knd²", "dilated": "2knd²"}


def by_formula(s):
    with s.inputs:
        n = s.ask.pick("n", LENGTHS, 1024)
        d = s.ask.pick("d", WIDTHS, 64)
        k = s.ask.pick("k", TAPS, 3)
        projections = s.ask.toggle("projections")
    bill = bias_and_cost.bill(n, d, k, projections)
    by_n = bias_and_cost.operations_by_n(LENGTHS, d, k, projections)
    with s.picture:
        values = {layer: bill[layer].operations for layer in costs.LAYERS}
        title = "picture_projections" if projections else "picture"
        s.chart(operations_picture(s, by_n, n, d, projections), title, n=n, d=d, k=k, **values)
        st.table(bill_table(s, bill, projections), border="horizontal", hide_index=True, alt=s.words("table"))
        st.caption(s.words("note"))
        s.stamp("computed")
    what_the_bill_says(s, n, d, projections, values)
    s.details(
        code=[costs.attention_cost, costs.rnn_cost, costs.conv_cost, costs.layers_to_reach],
        numbers=lambda: pd.DataFrame({"n": LENGTHS} | by_n),
    )


def operations_picture(s, by_n, n, d, projections):
    growth = dict.fromkeys(by_n, "n") | {"attention": "n² + n" if projections else "n²"}
    lines = [
        charts.CostLine(s.words(f"layers.{layer}"), layer, LENGTHS, by_n[layer], growth[layer])
        for layer in costs.LAYERS
    ]
    rules = [(n, s.words("here", n=n))]
    if not projections:
        rules.append((d, s.words("crossing", d=d)))
    titles = (s.words("n_axis"), s.words("operations"))
    return charts.cost_curves(lines, titles, LENGTHS, least=LEAST, rules=rules, at=n, powers=True)


def bill_table(s, bill, projections):
    formulas = FORMULAS | ({"attention": "4n²d + 8nd²"} if projections else {})
    columns = {
        "layer": [unbroken(s, layer) for layer in bill],
        "operations": [f"{formulas[layer]} = {cost.operations:,}" for layer, cost in bill.items()],
        "between": [f"{cost.between:,}" for cost in bill.values()],
        "serial": [f"{cost.serial_steps:,}" for cost in bill.values()],
        "path": [f"{cost.longest_path:,}" for cost in bill.values()],
    }
    return table(s, columns)


def what_the_bill_says(s, n, d, projections, values):
    ratio = values["attention"] / values["rnn"]
    if projections:
        s.says("says_projections", n=n, ratio=ratio)
    elif n == d:
        s.says("says_equal", n=n, operations=values["rnn"])
    elif n > d:
        s.says(n=n, d=d, ratio=ratio)
    else:
        s.says("says_cheaper", n=n, d=d, ratio=1 / ratio)
