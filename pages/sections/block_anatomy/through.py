"""A sentence goes through one block: every stage that ran, and the numbers inside it."""

import streamlit as st

from core.blocks.encoder_block import encoder_block, init_block
from core.blocks.sublayer import sublayer
from core.experiments import block_anatomy
from core.sentences import word_vectors
from pages.sections.block_anatomy.block import HEADS, as_boxes, as_table
from pages.shared import charts
from pages.shared.text import verbatim

# All steps there can be, in the order in which they run; which of them did run is read from the passage.
STEPS = ("words", "input", "norm_1", "attention", "add_1", "norm_2", "mlp", "add_2")
STEPS_POST = ("words", "input", "attention", "add_1", "norm_1", "mlp", "add_2", "norm_2")


def through(s, tokens):
    passage, steps, seed = run(s, tokens)
    sizes = block_anatomy.sizes(passage.stages)
    names = [stage.name for stage in passage.stages]
    with s.picture:
        wanted = s.ask.choice("stage", steps, "attention")
        shown = wanted if wanted in names else names[-1]
        left, right = st.columns([6, 7])
        with left:
            boxes = as_boxes(s, passage, sizes, [shown])
            listed = ", ".join(f"{box.name} ({', '.join((box.shape, *box.notes))})" for box in boxes)
            s.chart(charts.tower(boxes, passage.bypasses), n=len(names), listed=listed)
        with right:
            if shown != wanted:
                st.markdown(s.words("did_not_run", wanted=s.words(f"stages.{wanted}")))
            look_inside(s, tokens, passage, sizes, names.index(shown))
        s.stamp("random", seed=seed)
    like = block_anatomy.likeness(passage.cache.stages[0].array, passage.out)
    s.says("says" if passage.bypasses else "says_alone", like=like, spread=sizes.spread[-1])
    s.details(
        code=[block_anatomy.pass_through, encoder_block, sublayer, init_block],
        numbers=as_table(passage, sizes),
    )


def run(s, tokens):
    """Send the sentence through the block that the switches describe."""
    with s.inputs:
        switches = {
            "norm": s.ask.choice("norm", ("pre", "post", "off")),
            "residual": s.ask.toggle("residual", True),
            "use_mlp": s.ask.toggle("mlp", True),
            "positions": s.ask.toggle("positions", True),
            "scale": s.ask.toggle("scale", True),
            "n_heads": s.ask.pick("heads", HEADS, 4),
        }
        d_model = s.ask.pick("width", (16, 32, 64), 32)
        seed = s.ask.seed("seed")
    passage = block_anatomy.pass_through(word_vectors(tokens, d_model, seed), seed=seed, **switches)
    return passage, STEPS_POST if switches["norm"] == "post" else STEPS, seed


def look_inside(s, tokens, passage, sizes, i):
    """The numbers of one stage: who looks at whom, or words by features. One sentence says what it did."""
    name, array = passage.stages[i]
    if name == "attention":
        all_weights = passage.cache.attention.attention.weights  # (n_heads, n, n)
        head = int(s.ask.choice("head", [str(h) for h in range(1, len(all_weights) + 1)]))
        axes = [s.words(axis) for axis in ("asks_axis", "looked_at_axis", "weight")]
        picture = charts.weights_map(all_weights[head - 1], tokens, tokens, axes)
        text = looks(s, tokens, all_weights[head - 1])
        s.chart(picture, "weights_picture", head=head, text=text)
    else:
        n, d_model = array.shape
        axes = [s.words(axis) for axis in ("word_axis", "feature_axis", "value")]
        features = list(map(str, range(1, d_model + 1)))
        picture = charts.scores_map(array, tokens, features, axes, block_anatomy.whole_bound(array))
        text = made_by(s, passage, sizes, i)
        s.chart(picture, "stage_picture", stage=s.words(f"stages.{name}"), n=n, d=d_model, text=text)
    st.markdown(text)


def looks(s, tokens, weights):
    """What the strongest link of a head is."""
    if len(weights) == 1:
        return s.words("did_attention_alone")
    asks, looked_at, weight = block_anatomy.strongest_look(weights)
    return s.words(
        "did_attention",
        asks=verbatim(tokens[asks]),
        asks_place=asks + 1,
        looked_at=verbatim(tokens[looked_at]),
        looked_at_place=looked_at + 1,
        weight=weight,
        equal=1 / len(weights),
    )


def made_by(s, passage, sizes, i):
    """What the stage did to the numbers it was given."""
    name, array = passage.stages[i]
    kind = name.split("_")[0]  # norm_1 and norm_2 say the same
    before = max(i - 1, 0)
    values = {"before": sizes.spread[before], "after": sizes.spread[i]}
    if kind == "words" or (kind == "input" and i == 0):
        kind, values = "words", {"n": array.shape[0], "d": array.shape[1]}
    elif kind == "norm":
        values = {"least_before": sizes.least[before], "most_before": sizes.most[before]}
        values |= {"least": sizes.least[i], "most": sizes.most[i]}
    elif kind == "add":
        start = next(start for start, end in passage.bypasses if end == i)
        values |= {"bypass": sizes.spread[start]}
    elif kind == "mlp":
        hidden = passage.cache.mlp.layer_2.x.shape[-1]
        values = {"hidden": hidden, "awake": block_anatomy.awake_units(passage.cache.mlp)}
    return s.words(f"did_{kind}", **values)
