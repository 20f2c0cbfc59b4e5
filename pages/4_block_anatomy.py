"""Page 4.

What a Transformer block is made of: everything drawn here is read from a forward pass that just ran.
"""

import numpy as np
import pandas as pd
import streamlit as st

from core.blocks.encoder_block import encoder_block, encoder_block_backward, init_block
from core.blocks.encoder_stack import encoder_stack
from core.blocks.positions import sinusoidal_positions
from core.blocks.rotary import rotary
from core.blocks.sublayer import sublayer
from core.experiments import block_anatomy
from core.experiments import block_anatomy_depth as depth
from core.experiments import block_anatomy_positions as places
from core.sentences import word_vectors
from pages.sections.block_anatomy.stack_it import stack_it
from pages.sections.block_anatomy.take_one_away import take_one_away
from pages.sections.block_anatomy.tiny_gpt import tiny_gpt
from pages.shared import charts
from pages.shared.frame import open_page, verbatim

# All steps there can be, in the order in which they run; which of them did run is read from the passage.
STEPS = ("words", "input", "norm_1", "attention", "add_1", "norm_2", "mlp", "add_2")
STEPS_POST = ("words", "input", "attention", "add_1", "norm_1", "mlp", "add_2", "norm_2")
HEADS = (1, 2, 4, 8)
WIDTH = 32  # of the words in the comparison of both orders
FACTORS = (0.25, 0.5, 1, 2, 4, 8)  # how much larger their vectors are made
HUES = {"attention": "attention", "mlp": "mlp"}  # of the boxes; all others are neutral
PART_HUES = ["attention", "mlp", "neutral"]  # of the bars, in the order of Counts
BASES = ("10000", "100")
GAINS = (0.25, 0.5, 1)
TOWERS = (12, 24, 48)
ON_TOP = {"layer_norm": "size", "the_catch": "diversity"}  # which picture; otherwise the gradient

page = open_page("block_anatomy")
tokens = page.sentence(["tired", "hungry", "escaped"]).tokens


def through(s):
    passage, steps, seed = run(s)
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
            look_inside(s, passage, sizes, names.index(shown))
        s.stamp("random", seed=seed)
    like = block_anatomy.likeness(passage.cache.stages[0].array, passage.out)
    s.says("says" if passage.bypasses else "says_alone", like=like, spread=sizes.spread[-1])
    s.details(
        code=[block_anatomy.pass_through, encoder_block, sublayer, init_block],
        numbers=as_table(passage, sizes),
    )


def run(s):
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
        seed = s.ask.number("seed", 0, 20, 0)
    passage = block_anatomy.pass_through(word_vectors(tokens, d_model, seed), seed=seed, **switches)
    return passage, STEPS_POST if switches["norm"] == "post" else STEPS, seed


def as_boxes(s, passage, sizes, marked):
    """One box a stage that ran, with its mean and spread beside it."""
    return [
        charts.Box(
            s.words(f"stages.{stage.name}"),
            " × ".join(map(str, stage.array.shape)),
            (s.words("mean", value=mean), s.words("spread", value=spread)),
            HUES.get(stage.name, "neutral"),
            stage.name in marked,
        )
        for stage, mean, spread in zip(passage.stages, sizes.mean, sizes.spread, strict=True)
    ]


def as_table(passage, sizes):
    names = [stage.name for stage in passage.stages]
    shapes = [str(stage.array.shape) for stage in passage.stages]
    return pd.DataFrame({"stage": names, "shape": shapes} | sizes._asdict())


def look_inside(s, passage, sizes, i):
    """The numbers of one stage: who looks at whom, or words by features. One sentence says what it did."""
    name, array = passage.stages[i]
    if name == "attention":
        all_weights = passage.cache.attention.attention.weights  # (n_heads, n, n)
        head = int(s.ask.choice("head", [str(h) for h in range(1, len(all_weights) + 1)]))
        axes = [s.words(axis) for axis in ("asks_axis", "looked_at_axis", "weight")]
        picture = charts.weights_map(all_weights[head - 1], tokens, tokens, axes)
        text = looks(s, all_weights[head - 1])
        s.chart(picture, "weights_picture", head=head, text=text)
    else:
        n, d_model = array.shape
        axes = [s.words(axis) for axis in ("word_axis", "feature_axis", "value")]
        features = list(map(str, range(1, d_model + 1)))
        picture = charts.scores_map(array, tokens, features, axes, block_anatomy.whole_bound(array))
        text = made_by(s, passage, sizes, i)
        s.chart(picture, "stage_picture", stage=s.words(f"stages.{name}"), n=n, d=d_model, text=text)
    st.markdown(text)


def looks(s, weights):
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


def pre_or_post(s):
    with s.inputs:
        factor = s.ask.pick("factor", FACTORS, 1)
        seed = s.ask.number("pair_seed", 0, 20, 0)
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
        by_size(s, factor, seed)
        s.stamp("random", seed=seed)
    pre, post = (passage.out for passage in orders)
    given = orders.pre.stages[0].array.std()
    s.says(factor=factor, given=given, pre=pre.std(), mean=post.mean(), post=post.std())
    s.details(code=[block_anatomy.both_orders, sublayer], numbers=pd.concat(tables))


def by_size(s, factor, seed):
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


def parameters(s):
    with s.inputs:
        d_model = s.ask.pick("count_width", (8, 16, 32, 64), 32)
        widening = s.ask.pick("widening", (1, 2, 4, 8), 4)
        n_heads = s.ask.pick("count_heads", HEADS, 4)
    counts = block_anatomy.count_parameters(block_anatomy.block_of(d_model, n_heads, widening))
    one_head = block_anatomy.count_parameters(block_anatomy.block_of(d_model, 1, widening))
    total = sum(counts)
    numbers = counts._asdict() | {"total": total, "share": counts.mlp / total}
    with s.picture:
        parts = [s.words(f"part_{part}") for part in counts._fields]
        titles = (s.words("part"), s.words("count"))
        s.chart(charts.bars(parts, counts, PART_HUES, titles, form=",d"), **numbers)
        s.stamp("computed")
    s.says(heads=n_heads, difference=total - sum(one_head), **numbers)
    s.details(
        code=[block_anatomy.count_parameters, init_block],
        numbers=pd.DataFrame({"part": counts._fields, "parameters": counts}),
    )


# --- positions --------------------------------------------------------------------------------


def positions(s):
    compared, turned, seed = compare_positions(s)
    n, d = compared.rows.shape
    found = places.by_distance(compared.products)
    values = {"n": n, "d": d, "own": found.mean[n - 1], "apart": charts.written(places.deviation(found))}
    with s.picture:
        axes = [s.words(axis) for axis in ("position_axis", "number_axis", "value")]
        numbered = [[str(i) for i in range(1, size + 1)] for size in (n, d)]
        rows = charts.scores_map(compared.rows, *numbered, axes, None if turned else 1)
        s.chart(rows, "turned_picture" if turned else "rows_picture", **values)
        titles = [s.words(title) for title in ("distance", "product", "least", "most")]
        s.chart(charts.distance_dots(*found, titles), "distance_picture", **values)
        s.stamp("random", seed=seed) if turned else s.stamp("computed")
    kind = ("rotary_odd" if d % 2 else "rotary") if turned else ("odd" if d % 2 else "even")
    s.says("says_one" if n == 1 else f"says_{kind}", largest=found.most.max(), **values)
    made_by = [places.turned_pairs, rotary] if turned else [places.added_waves, sinusoidal_positions]
    s.details(
        code=[*made_by, places.by_distance, places.deviation],
        numbers=lambda: pd.DataFrame(found._asdict()),
    )


def compare_positions(s):
    """The positions that the inputs want, whether they are turned, and the seed of what is turned."""
    with s.inputs:
        turned = s.ask.choice("kind", ("sinusoids", "rotary")) == "rotary"
        n, d = s.ask.number("n", 1, 64, 32), s.ask.number("positions_width", 1, 64, 32)
        base = int(s.ask.choice("base", BASES))
        seed = s.ask.number("turn_seed", 0, 20, 0) if turned else None
    compared = places.turned_pairs(n, d, base, seed) if turned else places.added_waves(n, d, base)
    return compared, turned, seed


# --- deep -------------------------------------------------------------------------------------


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
        seed = s.ask.number("deep_seed", 0, 20, 0)
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
        [(told["with_part"], "output"), (told["without_part"], "neutral")],
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


page.show(through, pre_or_post, parameters, positions, deep, take_one_away, stack_it, tiny_gpt)
