"""The norm before or after each part: both orders, box by box and for words of any size."""

import numpy as np
import pandas as pd
import streamlit as st

from core.blocks.sublayer import sublayer
from core.experiments import block_anatomy
from core.sentences import word_vectors
from pages.sections.block_anatomy.block import as_boxes, as_table
from pages.shared import charts

WIDTH = 32  # of the words in the comparison of both orders
FACTORS = (0.25, 0.5, 1, 2, 4, 8)  # how much larger their vectors are made


def pre_or_post(s, tokens):
    with s.inputs:
        factor = s.ask.pick("factor", FACTORS, 1)
        seed = s.ask.seed("pair_seed")
    orders = block_anatomy.both_orders(word_vectors(tokens, WIDTH, seed), factor, seed)
    tables = []
    with s.picture:
        for name, passage, place in zip(orders._fields, orders, st.columns(2), strict=True):
            sizes = block_anatomy.sizes(passage.stages)
            boxes = as_boxes(s, passage, sizes, ("norm_1", "norm_2"))
            listed = ", ".join(f"{box.name} ({box.notes[1]})" for box in boxes)
            with place:
                s.chart(charts.tower(boxes, passage.bypasses), f"{name}_picture", listed=listed)
            tables.append(as_table(passage, sizes).assign(order=name))
        by_size(s, tokens, factor, seed)
        s.stamp("random", seed=seed)
    pre, post = (passage.out for passage in orders)
    given = orders.pre.stages[0].array.std()
    s.says(factor=factor, given=given, pre=pre.std(), mean=post.mean(), post=post.std())
    s.details(code=[block_anatomy.both_orders, sublayer], numbers=pd.concat(tables))


def by_size(s, tokens, factor, seed):
    """The spread that leaves the block against the size of the words, for both orders."""
    outs = spreads(tokens, seed)  # (2, n_factors)
    names = [s.words(order) for order in block_anatomy.Orders._fields]
    frame = pd.DataFrame(
        {"x": np.tile(FACTORS, 2), "y": outs.ravel(), "name": np.repeat(names, len(FACTORS))}
    )
    picture = charts.curves(
        frame,
        [(name, "output") for name in names],
        (s.words("size"), s.words("out_spread")),
        log=("x", "y"),
        domains=((min(FACTORS), max(FACTORS)), (0.5, 16)),
        ticks=FACTORS,
        at=factor,
        height=280,
    )
    grows = np.all(np.diff(outs[0]) > 0)  # what the parts make may cancel a little of a short sentence
    message = s.words("size_grows" if grows else "size_dips")
    s.chart(picture, "size_picture", message=message, small=outs[0, 0], large=outs[0, -1], after=outs[1, -1])


@st.cache_data(max_entries=32, show_spinner=False)
def spreads(tokens, seed):
    return block_anatomy.spread_by_size(word_vectors(tokens, WIDTH, seed), FACTORS, seed)
