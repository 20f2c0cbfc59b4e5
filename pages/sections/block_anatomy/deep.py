"""Many blocks on top of each other: two towers, one of which lacks a part, measured at every depth."""

import pandas as pd
import streamlit as st

from core.blocks.encoder_block import encoder_block_backward
from core.blocks.encoder_stack import encoder_stack
from core.experiments import block_anatomy_depth as depth
from pages.shared import charts

GAINS = (0.25, 0.5, 1)
TOWERS = (12, 24, 48)
ON_TOP = {"layer_norm": "size", "the_catch": "diversity"}  # which picture; otherwise the gradient


def deep(s):
    story, n_layers, towers, seed = ask_towers(s)
    pair = [measured(n_layers, seed, **tower) for tower in towers]
    told = numbers_told(s, story, n_layers, pair)
    top = ON_TOP.get(story, "gradient")
    with s.picture:
        by_layer(s, top, pair, told, height=340)
        others = [name for name in depth.Depth._fields if name != top]
        for name, place in zip(others, st.columns(2), strict=True):
            with place:
                by_layer(s, name, pair, told, height=310)
        s.stamp("random", seed=seed)
    s.says("says_equal" if towers[0] == towers[1] else f"says_{story}", **told)
    s.details(
        code=[depth.go_deep, depth.balanced_block, depth.gradients, encoder_stack, encoder_block_backward],
        numbers=lambda: depth_table(towers, pair),
    )


def ask_towers(s):
    """Which story is told, with how many blocks, and the settings of its two towers."""
    with s.inputs:
        story = s.ask.choice("story", (*depth.STORIES, "free"))
        n_layers = s.ask.pick("layers", TOWERS, 12)
        if story == "free":
            towers = ask_freely(s)
        else:
            towers = depth.STORIES[story]
            st.caption(s.words(f"fixed_{story}"))
        seed = s.ask.seed("deep_seed")
    return story, n_layers, towers, seed


def ask_freely(s):
    """A tower with nothing missing, and the reader's own of the same gain."""
    own = {
        "norm": s.ask.choice("deep_norm", ("pre", "post", "off")),
        "residual": s.ask.toggle("deep_residual", True),
        "use_mlp": s.ask.toggle("deep_mlp", True),
        "scale": s.ask.toggle("deep_scale", True),
        "gain": s.ask.pick("gain", GAINS, 1),
    }
    return depth.FULL | {"gain": own["gain"]}, own


@st.cache_data(max_entries=256, show_spinner=False)
def measured(n_layers, seed, **settings):
    return depth.go_deep(n_layers, seed=seed, **settings)


def numbers_told(s, story, n_layers, pair):
    """What titles and sentences quote: the gradient at the input, size and diversity at the output."""
    told = {"n": n_layers, "start": pair[0].diversity[0], "until": depth.blocks_until_same(pair[1])}
    told |= {"with_part": s.words(f"with_{story}"), "without_part": s.words(f"without_{story}")}
    for which, run in zip(("with", "without"), pair, strict=True):
        told[f"gradient_{which}"] = charts.written(run.gradient[0])
        told[f"size_{which}"] = charts.written(run.size[-1])
        told[f"diversity_{which}"] = charts.written(run.diversity[-1])
    return told


def by_layer(s, name, pair, told, height):
    """One measure at every place of both towers."""
    picture = charts.decades(
        [getattr(run, name) for run in pair],
        [(told["with_part"], "first"), (told["without_part"], "neutral")],
        [s.words(axis) for axis in ("block_axis", f"{name}_axis", "block_0")],
        rounding=s.words("rounding") if name == "diversity" else None,
        height=height,
    )
    s.chart(picture, f"{name}_picture", **told)


def depth_table(towers, pair):
    tables = [
        pd.DataFrame({"block": range(len(run.size))} | run._asdict() | tower)
        for tower, run in zip(towers, pair, strict=True)
    ]
    return pd.concat(tables)
