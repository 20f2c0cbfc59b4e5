"""A query looks the table up, hard and soft."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from core.blocks.attention import scaled_dot_product_attention
from core.experiments import soft_lookup
from core.geometry import hull
from pages.sections.soft_lookup.planes import axes, bound
from pages.shared import charts
from pages.shared.text import verbatim

KEYS = np.array([(2.0, 0.0), (1.41, 1.41), (-1.0, 1.73), (0.0, -2.0)])
VALUES = np.array([(3.0, 1.0), (1.0, 3.0), (-3.0, 2.0), (-1.0, -3.0)])


class Given(NamedTuple):
    """What later sections work with: the table, and the query that looks it up."""

    names: list[str]
    query: np.ndarray  # (2,)
    keys: np.ndarray  # (n, 2)
    values: np.ndarray  # (n, 2)


def hard_and_soft(s):
    with s.inputs:
        angle = s.ask.number("angle", -180, 180, 20, step=5)
        length = s.ask.number("length", 0.0, 4.0, 1.5, step=0.1)
        names, keys, values = dictionary(s)
    query = soft_lookup.query_at(angle, length)
    found = soft_lookup.look_up(query, keys, values)
    best = s.listed([verbatim(names[i]) for i in found.best])
    with s.picture:
        left, right = st.columns(2)
        with left:
            keys_picture(s, (names, query, keys), found, best, angle=angle, length=length)
        with right:
            answer_picture(s, names, values, found.out)
        s.stamp("by_hand")
    say_what_is_found(s, names, found, best)
    s.details(
        code=[soft_lookup.look_up, scaled_dot_product_attention],
        numbers=lambda: pd.DataFrame({"name": names, "product": found.products, "weight": found.weights}),
    )
    return Given(names, query, keys, values)


def keys_picture(s, dictionary, found, best, **setting):
    """The query among the keys."""
    names, query, keys = dictionary
    arrows = [(name, "key", *k) for name, k in zip(names, keys, strict=True)]
    arrows.append((s.words("query"), "query", *query))
    s.chart(
        charts.plane(arrows, axes(s), bound=bound(keys, query)),
        "keys_picture" if len(found.best) == 1 else "tie_picture",
        best=best,
        product=found.products[found.best[0]],
        **setting,
    )


def answer_picture(s, names, values, out):
    """The soft answer among the values."""
    points = [(name, "value", *v) for name, v in zip(names, values, strict=True)]
    points.append((s.words("answer"), "output", *out))
    picture = charts.plane([], axes(s), points=points, hull=values[hull(values)], bound=bound(values))
    s.chart(picture, "values_picture", x=out[0], y=out[1])


def say_what_is_found(s, names, found, best):
    x, y = found.out
    if found.hit is not None:
        share = found.weights[found.hit]
        s.says("says_hit", name=verbatim(names[found.hit]), share=share, rest=1 - share)
    else:
        key = "says_miss" if len(found.best) == 1 else "says_tie"
        s.says(key, best=best, share=found.weights[found.best[0]], x=x, y=y)


def dictionary(s):
    """The table that the student can edit: names, keys and values."""
    columns = {"name": s.page.words("table.names").split()}
    columns |= {"k1": KEYS[:, 0], "k2": KEYS[:, 1], "v1": VALUES[:, 0], "v2": VALUES[:, 1]}
    table = s.ask.grid("table", pd.DataFrame(columns), {c: s.page.words(f"columns.{c}") for c in columns})
    keys, values = (np.column_stack([table[f"{kind}1"], table[f"{kind}2"]]) for kind in "kv")
    return table["name"].tolist(), keys, values
