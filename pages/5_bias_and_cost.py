"""Page 5.

What each layer assumes about who looks at whom, and what seeing everything costs: the bill by formula and
as measured on this machine, and what blocks, a cache and doing things at once change about it.
"""

import numpy as np
import pandas as pd
import streamlit as st

from core import costs, costs_measured, costs_saved, timing
from core.blocks.attention import scaled_dot_product_attention
from core.blocks.blocked_attention import absorb, blocked_attention
from core.blocks.convolution import convolution
from core.blocks.kv_cache import append, causal_attention_step, step_operations
from core.blocks.recurrence import rnn
from core.experiments import bias_and_cost
from core.experiments import bias_and_cost_connections as pairs
from core.experiments import bias_and_cost_models as models
from core.experiments import bias_and_cost_parallel as parallel_work
from core.experiments import bias_and_cost_savings as savings
from pages.shared import charts
from pages.shared.frame import live_run, open_page

DRAWN = (4, 6, 8, 12, 16, 24)  # words whose connections are drawn ...
DRAWN_D = 4  # ... and their width: the picture is the same for any
COUNTED = (*DRAWN, *(2**i for i in range(5, 11)))  # words for which parameters are counted
LENGTHS = tuple(2**i for i in range(4, 18))  # 16 ... 131,072
WIDTHS = (16, 32, 64, 128, 256, 512, 768, 1024, 4096, 12288)
TAPS = (3, 5, 7, 9, 15)
LEAST = (1e4, 1e15)  # operations: one axis for all settings, so that the lines move and not the axis
FIT_FROM = (16, 64, 256, 1024)
USUAL_FIT = 256
LEAST_MS, LEAST_MIB = (1e-2, 1e3), (1e-3, 1e3)
MIB = 2**20
SHARE_LENGTHS = tuple(2**i for i in range(8, 18))
PROCESSORS = tuple(2**i for i in range(21))  # drawn; up to 2^17 of them can be picked
CHECKED = 24  # words of a text that is computed whole and with the cache
NO_OVERHEAD = 256  # width from which on calling NumPy costs little beside computing
PARAMETERS = {"dense": "n²d²", "attention": "4d²", "rnn": "2d²", "conv": "kd²"}
HUES = {"dense": "mlp", "attention": "attention", "rnn": "rnn", "conv": "conv"}
FORMULAS = {"attention": "4n²d", "rnn": "4nd²", "conv": "2knd²", "dilated": "2knd²"}
BLOCKS = (scaled_dot_product_attention, rnn, convolution)  # which are measured
FACTS = (bias_and_cost.fit_exponent, bias_and_cost.crossover)  # which are read off the measurements
GROWTH = {"attention": 2, "rnn": 1, "conv": 1}  # exponents of n in the formulas

page = open_page("bias_and_cost")
words = page.words
NAMES = {layer: words(f"layers.{layer}") for layer in ("dense", *FORMULAS)}
UNBROKEN = {layer: "\u2060".join(name.replace(" ", "\u00a0")) for layer, name in NAMES.items()}  # in tables


def compared(one, other, form):
    """Whether `one` is "more", "equal" or "less", as both stand on screen in this format."""
    first, second = (float(format(value, form).rstrip("%")) for value in (one, other))
    return "equal" if first == second else "more" if first > second else "less"


# --- what each assumes ------------------------------------------------------------------------


@st.cache_data(max_entries=128, show_spinner=False)
def connections(n, seed, k, causal):
    """By layer: the strength of every connection, and whether it follows the words or the places."""
    x = pairs.tokens(n, DRAWN_D, seed)
    found = {layer: pairs.connections(layer, x, k=k, causal=causal) for layer in pairs.LAYERS}
    return found, {layer: pairs.follows_the_words(layer, k, causal) for layer in pairs.LAYERS}


def assumes(s):
    with s.inputs:
        n = s.ask.pick("drawn", DRAWN, 12)
        k = s.ask.pick("window", TAPS, 3)
        causal = s.ask.toggle("looks_back")
        seed = s.ask.number("other_words", 0, 9, 0)
    found, follows = connections(n, seed, k, causal)
    joined = {layer: int((strength > 0).sum()) for layer, strength in found.items()}
    learned = {layer: costs.parameters(layer, n, costs_measured.D, k) for layer in pairs.LAYERS}
    with s.picture:
        four_squares(s, found, joined, n, causal)
        s.stamp("connections", d=DRAWN_D, seed=0, words_seed=seed)
        parameters_chart(s, learned, n, k)
        table = assumptions_table(s, joined, learned, n, follows)
        st.table(table, border="horizontal", hide_index=True, alt=s.words("table"))
        s.stamp("computed")
    counts = {f"{layer}_pairs": count for layer, count in joined.items()}
    numbers = {layer: learned[layer] for layer in ("dense", "attention")}
    s.says(what_attention_assumes(joined), n=n, d=costs_measured.D, k=k, **counts, **numbers)
    layers = [pairs.fully_connected, pairs.attention, pairs.recurrent, pairs.convolve]
    s.details(code=[pairs.connections, *layers, costs.parameters], numbers=lambda: by_pair(found, n))


def what_attention_assumes(joined):
    """The sentence that these counts allow: attention joins more than the others, or no more than some."""
    as_rnn, as_conv = (joined["attention"] == joined[layer] for layer in ("rnn", "conv"))
    if as_rnn:
        return "says_causal_wide" if as_conv else "says_causal"
    return "says_wide" if as_conv else "says"


def four_squares(s, found, joined, n, causal):
    """Two by two: the layers that see everything above, those that do not below."""
    titles = (s.words("looks"), s.words("looked_at"), s.words("strength"))
    for row in (("dense", "attention"), ("rnn", "conv")):
        for layer, place in zip(row, st.columns(2), strict=True):
            title = f"{layer}_causal" if causal and layer in ("attention", "conv") else layer
            with place:
                s.chart(
                    charts.connections_map(found[layer], HUES[layer], titles),
                    title,
                    n=n,
                    joined=joined[layer],
                )


def parameters_chart(s, learned, n, k):
    d = costs_measured.D
    lines = [
        charts.CostLine(
            NAMES[layer],
            HUES[layer],
            COUNTED,
            [costs.parameters(layer, m, d, k) for m in COUNTED],
            PARAMETERS[layer],
        )
        for layer in pairs.LAYERS
    ]
    titles, rules = (words("n_axis"), s.words("parameters")), [(n, words("here", n=n))]
    picture = charts.cost_curves(lines, titles, COUNTED, least=(1e3, 1e10), rules=rules, at=n, powers=True)
    s.chart(picture, "parameters_picture", n=n, d=d, **learned)


def assumptions_table(s, joined, learned, n, follows):
    columns = {
        "layer": [UNBROKEN[layer] for layer in pairs.LAYERS],
        "joined": [f"{joined[layer]} / {n * n}" for layer in pairs.LAYERS],
        "follows": [s.words("follows_words" if yes else "follows_places") for yes in follows.values()],
        "learned": [f"{PARAMETERS[layer]} = {learned[layer]:,}" for layer in pairs.LAYERS],
    }
    return pd.DataFrame({s.words(f"columns.{name}"): column for name, column in columns.items()})


def by_pair(found, n):
    row, column = np.divmod(np.arange(n * n), n)
    strengths = {layer: strength.ravel() for layer, strength in found.items()}
    return pd.DataFrame({"looks": row + 1, "looked at": column + 1} | strengths)


# --- by formula -------------------------------------------------------------------------------


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
    ratio = values["attention"] / values["rnn"]
    if projections:
        s.says("says_projections", n=n, ratio=ratio)
    elif n == d:
        s.says("says_equal", n=n, operations=values["rnn"])
    elif n > d:
        s.says(n=n, d=d, ratio=ratio)
    else:
        s.says("says_cheaper", n=n, d=d, ratio=1 / ratio)
    s.details(
        code=[costs.attention_cost, costs.rnn_cost, costs.conv_cost, costs.layers_to_reach],
        numbers=lambda: pd.DataFrame({"n": LENGTHS} | by_n),
    )


def operations_picture(s, by_n, n, d, projections):
    growth = dict.fromkeys(by_n, "n") | {"attention": "n² + n" if projections else "n²"}
    lines = [
        charts.CostLine(NAMES[layer], layer, LENGTHS, by_n[layer], growth[layer]) for layer in costs.LAYERS
    ]
    rules = [(n, words("here", n=n))]
    if not projections:
        rules.append((d, s.words("crossing", d=d)))
    titles = (words("n_axis"), s.words("operations"))
    return charts.cost_curves(lines, titles, LENGTHS, least=LEAST, rules=rules, at=n, powers=True)


def bill_table(s, bill, projections):
    formulas = FORMULAS | ({"attention": "4n²d + 8nd²"} if projections else {})
    columns = {
        "layer": [UNBROKEN[layer] for layer in bill],
        "operations": [f"{formulas[layer]} = {cost.operations:,}" for layer, cost in bill.items()],
        "between": [f"{cost.between:,}" for cost in bill.values()],
        "serial": [f"{cost.serial_steps:,}" for cost in bill.values()],
        "path": [f"{cost.longest_path:,}" for cost in bill.values()],
    }
    return pd.DataFrame({s.words(f"columns.{name}"): column for name, column in columns.items()})


# --- measured ---------------------------------------------------------------------------------


def measured(s):
    run = live_run.child_run(costs_measured.__name__)
    done, records = run.done, list(run.seen)  # in this order: once it is done, all records are there
    found, machine = bias_and_cost.collect(records)
    with s.inputs:
        n_from = s.ask.pick("fit_from", FIT_FROM, USUAL_FIT)
        times = {name: bias_and_cost.fit_exponent(one.n, one.seconds, n_from) for name, one in found.items()}
        peaks = {name: bias_and_cost.fit_exponent(one.n, one.bytes, n_from) for name, one in found.items()}
        count, whole = progress_of_layers(records)
        how_far(s, run, count, whole)
        exponents = exponents_table(s, found, times, peaks)
        st.table(exponents, border="horizontal", hide_index=True, alt=s.words("table"))
        if is_whole(found):
            what_the_fit_says(s, found["attention"], n_from)
        st.caption(setting(s))
    crossing = crossing_of(found)
    with s.picture:
        time_chart(s, found, times, crossing, n_from)
        memory_chart(s, found, peaks, n_from)
        stamp(s, run, machine, count == whole)
    if is_whole(found):
        what_the_crossing_says(s, found, crossing)
    s.details(
        code=[costs_measured.layers, timing.best_seconds, timing.peak_bytes, *BLOCKS, *FACTS],
        numbers=lambda: measured_table(found),
    )
    s.tick_while(not done)  # the others appear with it: when it ends, the whole page is drawn again


def is_whole(found):
    """Whether every layer has been measured at every length."""
    return all(len(one.n) == len(costs_measured.SIZES) for one in found.values())


def progress_of_layers(records):
    whole = len(costs_measured.SIZES) * len(costs.LAYERS) * costs_measured.ROUNDS
    return sum("layer" in record for record in records), whole


def progress_of(records, kind, whole):
    return sum(record.get("kind") == kind for record in records), whole


def how_far(s, run, count, whole):
    """The state of the measurement, while there is something to say about it."""
    if count < whole and run.failed:
        st.warning(s.words("failed", count=count, whole=whole))
    elif count < whole and not run.done:
        st.progress(count / whole, text=s.words("progress", count=count, whole=whole))


def wait_for(s, run, count, whole):
    """What stands beside a picture that comes later in the same run."""
    if not run.done and count < whole:
        st.caption(s.words("waiting"))
    else:
        how_far(s, run, count, whole)


def stamp(s, run, machine, complete):
    if machine and (complete or run.done):
        s.stamp("measured", **machine)
    elif not run.done:
        s.stamp("measuring")


def exponents_table(s, found, times, peaks):
    def shown(value, form=".2f"):
        return "–" if value is None else format(value, form)

    speeds = [speed_of(found[layer], layer) for layer in costs.LAYERS]
    columns = {
        "layer": [UNBROKEN[layer] for layer in costs.LAYERS],
        "formula": [str(GROWTH[layer]) for layer in costs.LAYERS],
        "time": [shown(law and law.exponent) for law in times.values()],
        "memory": [shown(law and law.exponent) for law in peaks.values()],
        "speed": [shown(speed, ".1f") for speed in speeds],
    }
    return pd.DataFrame({s.words(f"columns.{name}"): column for name, column in columns.items()})


def speed_of(one, layer):
    """10^9 operations a second at the longest input so far."""
    if not one.n.size:
        return None
    operations = bias_and_cost.bill(int(one.n[-1]), costs_measured.D, costs_measured.K)[layer].operations
    return float(bias_and_cost.speed(one, operations)[-1])


def setting(s):
    first, *_, last = costs_measured.SIZES
    return s.words("setting", d=costs_measured.D, k=costs_measured.K, first=first, last=last)


def what_the_fit_says(s, one, n_from):
    exponent, later = (
        bias_and_cost.fit_exponent(one.n, one.seconds, n).exponent for n in (n_from, USUAL_FIT)
    )
    if n_from < USUAL_FIT:
        key = f"fit_short_{compared(exponent, later, '.2f')}"
    elif exponent > 2.05:
        key = "fit_above"
    else:
        key = "fit_near" if exponent >= 1.95 else "fit_below"
    st.markdown(s.words(key, exponent=exponent, n_from=n_from, later=later, usual=USUAL_FIT))


def crossing_of(found):
    """Where attention comes to take longer than the recurrent network, as far as both were measured."""
    one, other = found["attention"], found["rnn"]
    both = min(len(one.n), len(other.n))
    return bias_and_cost.crossover(one.n[:both], one.seconds[:both], other.seconds[:both])


def time_chart(s, found, laws, crossing, n_from):
    rules = [(costs_measured.D, s.words("formula_crossing", n=costs_measured.D))]
    if crossing and is_whole(found):
        rules.append((crossing, s.words("measured_crossing", n=crossing)))
    values = {name: one.seconds * 1e3 for name, one in found.items()}
    picture = growth_picture(s, found, values, laws, n_from, words("ms"), LEAST_MS, 1e3, rules)
    longest = costs_measured.SIZES[-1]
    if is_whole(found):
        exponents = {f"{name}_exponent": law.exponent for name, law in laws.items()}
        lasts = {name: value[-1] for name, value in values.items()}
        s.chart(picture, "time_picture", longest=longest, n_from=n_from, **exponents, **lasts)
    else:
        s.chart(picture, "time_so_far", longest=longest)


def memory_chart(s, found, laws, n_from):
    values = {name: one.bytes / MIB for name, one in found.items()}
    picture = growth_picture(s, found, values, laws, n_from, words("mib"), LEAST_MIB, 1 / MIB)
    longest = costs_measured.SIZES[-1]
    if is_whole(found):
        lasts = {name: value[-1] for name, value in values.items()}
        times = lasts["attention"] / lasts["conv"]
        s.chart(picture, "memory_picture", longest=longest, times=times, **lasts)
    else:
        s.chart(picture, "memory_so_far", longest=longest)


def growth_picture(s, found, values, laws, n_from, title, least, unit, rules=()):
    """Measured points with their fitted lines; `unit` takes seconds or bytes to what the axis shows."""
    sizes = costs_measured.SIZES
    lines = []
    for layer, law in laws.items():
        end = f"n^{law.exponent:.2f}" if law else ""
        fit = law.at(sizes) * unit if law else None
        lines.append(charts.CostLine(NAMES[layer], layer, found[layer].n, values[layer], end, fit))
    unfitted = (n_from, s.words("unfitted")) if n_from > sizes[0] else None
    titles = (words("n_axis"), title)
    return charts.cost_curves(lines, titles, sizes, least=least, rules=rules, unfitted=unfitted)


def measured_table(found):
    """One row a length; what is not measured yet stays open."""
    columns = {
        f"{layer}, {what}": pd.Series(getattr(one, what), dtype=float)
        for layer, one in found.items()
        for what in ("seconds", "bytes")
    }
    return pd.DataFrame({"n": pd.Series(costs_measured.SIZES)} | columns)


def what_the_crossing_says(s, found, crossing):
    d = costs_measured.D
    if crossing is None:
        dearer = found["attention"].seconds[-1] > found["rnn"].seconds[-1]
        s.says("says_dearer" if dearer else "says_cheaper", d=d, longest=costs_measured.SIZES[-1])
        return
    speeds = {name: speed_of(found[name], name) for name in ("rnn", "conv")}
    s.says("says" if crossing > d else "says_earlier", d=d, n=crossing, **speeds)


# --- what can be saved ------------------------------------------------------------------------


def blocked(s):
    run = live_run.child_run(costs_measured.__name__)
    records = list(run.seen)
    found, machine = bias_and_cost.collect(records)
    whole = len(costs_saved.BLOCKED_SIZES) * len(costs_saved.BLOCKS) + 1
    count, _ = progress_of(records, "blocked", whole)
    with s.inputs:
        block = s.ask.pick("block", costs_saved.BLOCKS, 256)
        wait_for(s, run, count, whole)
    plain = savings.from_length(found["attention"], costs_saved.BLOCKED_SIZES[0])
    pieces, long = savings.blocked_by_length(records, block), savings.longest(records)
    difference = savings.largest_difference(records)
    with s.picture:
        blocked_memory(s, plain, pieces, block, count == whole)
        blocked_time(s, plain, pieces, block, count == whole)
        if difference is not None:
            st.caption(s.words("note", n=costs_saved.COMPARED, difference=difference))
        stamp(s, run, machine, count == whole)
    if long and count == whole:
        what_blocks_save(s, long, plain, pieces, block)
    s.details(
        code=[costs_saved.in_blocks, blocked_attention, absorb],
        numbers=lambda: blocked_table(plain, pieces),
    )


def what_blocks_save(s, long, plain, pieces, block):
    longest, share = savings.time_share(pieces, plain)
    s.says(
        f"says_{compared(share, 1, '.0%')}",
        n=long.n,
        long_block=costs_saved.LONG_BLOCK,
        extra=long.extra / MIB,
        plain=savings.stored_bytes(long.n) / MIB,
        seconds=long.seconds,
        longest=longest,
        block=block,
        share=share,
    )


def blocked_memory(s, plain, pieces, block, whole):
    lengths = (*costs_saved.BLOCKED_SIZES, costs_saved.LONG)
    beyond = lengths[-2:]  # from the longest input of which all was held at once
    lines = [
        charts.CostLine(s.words("plain"), "attention", plain.n, plain.bytes / MIB),
        charts.CostLine(s.words("pieces", block=block), "attention", pieces.n, pieces.bytes / MIB),
        charts.CostLine(s.words("stored"), "neutral", beyond, savings.stored_bytes(beyond) / MIB),
    ]
    picture = charts.cost_curves(lines, (words("n_axis"), words("mib")), lengths, least=(1e-1, 1e4))
    if whole:
        last = {
            "n": int(plain.n[-1]),
            "plain": plain.bytes[-1] / MIB,
            "pieces": savings.at(pieces, plain.n[-1]).bytes / MIB,
            "start": int(plain.n[0]),
            "plain_first": plain.bytes[0] / MIB,
            "pieces_first": savings.at(pieces, plain.n[0]).bytes / MIB,
        }
        s.chart(picture, "memory_picture", block=block, **last)
    else:
        s.chart(picture, "memory_so_far", block=block)


def blocked_time(s, plain, pieces, block, whole):
    lengths = (*costs_saved.BLOCKED_SIZES, costs_saved.LONG)
    laws = [bias_and_cost.fit_exponent(one.n, one.seconds, USUAL_FIT) for one in (plain, pieces)]
    names = (s.words("plain"), s.words("pieces", block=block))
    lines = [
        charts.CostLine(name, "attention", one.n, one.seconds * 1e3)
        for name, one in zip(names, (plain, pieces), strict=True)
    ]
    picture = charts.cost_curves(lines, (words("n_axis"), words("ms")), lengths, least=(1e-1, 1e4))
    if whole and all(laws):
        exponents = {"plain": laws[0].exponent, "pieces": laws[1].exponent}
        s.chart(picture, "time_picture", block=block, start=max(USUAL_FIT, lengths[0]), **exponents)
    elif plain.n.size or pieces.n.size:
        s.chart(picture, "time_so_far", block=block)


def blocked_table(plain, pieces):
    kinds = {"plain": plain, "blocked": pieces}
    tables = [pd.DataFrame(one._asdict()).assign(attention=name) for name, one in kinds.items()]
    return pd.concat(tables, ignore_index=True)[["attention", "n", "seconds", "bytes"]]


def skipping(s):
    run = live_run.child_run(costs_measured.__name__)
    records = list(run.seen)
    _, machine = bias_and_cost.collect(records)
    count, whole = progress_of(records, "skipping", len(costs_saved.SKIPPED_BLOCKS))
    n = costs_saved.SKIPPED_SIZE
    with s.inputs:
        block = s.ask.pick("tile", costs_saved.SKIPPED_BLOCKS, 256)
        wait_for(s, run, count, whole)
    some, every = savings.count_blocks(n // block, 1)  # as many blocks as n tokens give in larger ones
    skipped, share = savings.skipped(records), some / every
    with s.picture:
        titles = (s.words("asking"), s.words("asked"), s.words("allowed"))
        tiles = charts.connections_map(savings.tiles(n, block), "attention", titles, ".0%")
        s.chart(tiles, "tiles_picture", n=n, block=block, some=some, every=every, share=share)
        s.stamp("counted")
        share_chart(s, skipped, block, n)
        stamp(s, run, machine, count == whole)
    taken = dict(zip(skipped.block, skipped.measured, strict=True)).get(block)
    if taken is not None:
        key = "says_nothing" if taken > 0.97 else f"says_{compared(taken, share, '.0%')}"
        s.says(key, block=block, n=n, share=share, taken=taken)
    s.details(
        code=[costs_saved.skipping, blocked_attention, savings.tiles],
        numbers=lambda: pd.DataFrame(skipped._asdict()),
    )


def share_chart(s, skipped, block, n):
    sizes = costs_saved.SKIPPED_BLOCKS
    names = (s.words("counted"), s.words("measured"))
    counted = pd.DataFrame({"x": sizes, "y": [savings.counted_share(n, b) for b in sizes], "name": names[0]})
    measured = pd.DataFrame({"x": skipped.block, "y": skipped.measured, "name": names[1]})
    data = pd.concat([counted, measured], ignore_index=True).astype({"x": float, "y": float})
    series = ((names[0], "neutral"), (names[1], "attention"))
    domains = ((sizes[0], sizes[-1]), (0, 1.2))
    titles = (s.words("block_axis"), s.words("share"))
    s.chart(
        charts.curves(data, series, titles, log=("x",), domains=domains, ticks=sizes, at=block, height=260),
        "share_picture",
        n=n,
        first=savings.counted_share(n, sizes[0]),
        last=savings.counted_share(n, sizes[-1]),
    )


def one_more_token(s):
    run = live_run.child_run(costs_measured.__name__)
    records = list(run.seen)
    _, machine = bias_and_cost.collect(records)
    places, d = costs_saved.PLACES, costs_saved.D
    count, whole = progress_of(records, "token", len(places))
    with s.inputs:
        t = s.ask.pick("t", places, 1024)
        wait_for(s, run, count, whole)
    bill, steps = savings.step_bill(t, d), savings.steps(records)
    with s.picture:
        bills = [savings.step_bill(place, d) for place in places]
        again, cached = [one.again for one in bills], [one.cached for one in bills]
        counted = step_picture(s, places, again, cached, t, s.words("operations"), (1e4, 1e10), powers=True)
        s.chart(counted, "operations_picture", t=t, d=d, again=bill.again, cached=bill.cached)
        s.stamp("computed")
        micro = (steps.t, steps.again * 1e6, steps.cached * 1e6)
        took = step_picture(s, *micro, t, s.words("us"), (1, 1e5))
        if count == whole:
            at = list(steps.t).index(t)
            s.chart(took, "time_picture", t=t, again=micro[1][at], cached=micro[2][at])
        elif steps.t.size:
            s.chart(took, "time_so_far")
        st.caption(s.words("note", n=CHECKED, difference=savings.cache_difference(CHECKED)))
        stamp(s, run, machine, count == whole)
    values = {"t": t, "operations": bill.again / bill.cached, "kib": bill.bytes / 1024}
    if count == whole:
        measured = steps.again[at] / steps.cached[at]
        s.says("says" if measured < values["operations"] else "says_more", **values, measured=measured)
    else:
        s.says("says_counted", **values)
    s.details(
        code=[causal_attention_step, append, step_operations, costs_saved.step_seconds],
        numbers=lambda: pd.DataFrame(
            {
                "t": places,
                "operations again": again,
                "operations cached": cached,
                "bytes": [one.bytes for one in bills],
            }
        ),
    )


def step_picture(s, places, again, cached, t, title, least, powers=False):
    lines = [
        charts.CostLine(s.words("again"), "attention", places, again),
        charts.CostLine(s.words("cached"), "attention", places, cached),
    ]
    titles, rules = (s.words("t_axis"), title), [(t, s.words("token", t=t))]
    return charts.cost_curves(lines, titles, costs_saved.PLACES, least=least, rules=rules, powers=powers)


# --- real models ------------------------------------------------------------------------------


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


def share(s):
    with s.inputs:
        shape = {one.name: one for one in models.MODELS}[s.ask.choice("model", ("gpt2", "bert", "gpt3"))]
        n = s.ask.pick("length", SHARE_LENGTHS, 1024)
    d, name = shape.d_model, words(f"options.model.{shape.name}")
    here = costs.attention_share(n, d)
    narrow, wide = models.GPT2.d_model, models.GPT3.d_model
    names = {width: s.words("width", width_d=width) for width in (narrow, wide)}
    data = pd.DataFrame(
        [(m, costs.attention_share(m, width), names[width]) for width in names for m in SHARE_LENGTHS],
        columns=["x", "y", "name"],
    )
    with s.picture:
        series = [(one, "attention") for one in names.values()]
        ends = (SHARE_LENGTHS[0], SHARE_LENGTHS[-1])
        titles = (words("n_axis"), s.words("part"))
        ticks = SHARE_LENGTHS[::2]
        picture = charts.curves(data, series, titles, log=("x",), domains=(ends, (0, 1)), ticks=ticks, at=n)
        s.chart(picture, model=name, n=n, d=d, share=here)
        st.caption(s.words("note", narrow=narrow, wide=wide))
        s.stamp("computed")
    key = "says" if n <= shape.n else "says_beyond"
    s.says(key, model=name, n=n, d=d, share=here, half=6 * d, most=shape.n)
    s.details(code=[costs.attention_share, costs.attention_cost], numbers=data)


# --- expensive but parallel -------------------------------------------------------------------


def parallel(s):
    run = live_run.child_run(costs_measured.__name__)
    records = list(run.seen)
    _, machine = bias_and_cost.collect(records)
    count, whole = progress_of(records, "chain", len(costs_measured.WIDTHS))
    with s.inputs:
        wait_for(s, run, count, whole)
        st.markdown(s.words("model_inputs"))
        n = s.ask.pick("model_n", LENGTHS, 1024)
        d = s.ask.pick("model_d", WIDTHS, 64)
        processors = s.ask.pick("processors", PROCESSORS[:18], 1024)
    orders = parallel_work.orders(records)
    with s.picture:
        orders_chart(s, orders, count == whole)
        stamp(s, run, machine, count == whole)
        bill = {layer: bias_and_cost.bill(n, d, costs_measured.K)[layer] for layer in costs.LAYERS}
        model_chart(s, bill, n, d, processors)
        s.stamp("model")
    if count == whole:
        ratio = dict(zip(orders.d, orders.chain / orders.product, strict=True))
        least = costs_measured.WIDTHS[0]
        s.says(d=NO_OVERHEAD, ratio=ratio[NO_OVERHEAD], least=least, least_ratio=ratio[least])
    what_the_model_says(s, bill, n)
    s.details(
        code=[costs_measured.as_a_chain, costs_measured.as_one_product, parallel_work.ideal_steps],
        numbers=lambda: pd.DataFrame(orders._asdict()),
    )


def orders_chart(s, orders, whole):
    lines = [
        charts.CostLine(s.words("chain"), "rnn", orders.d, orders.chain * 1e3),
        charts.CostLine(s.words("product"), "attention", orders.d, orders.product * 1e3),
    ]
    picture = charts.cost_curves(
        lines,
        (s.words("d_axis"), words("ms")),
        costs_measured.WIDTHS,
        least=(1e-2, 1e2),
        unfitted=(NO_OVERHEAD, s.words("overhead")),
    )
    n = costs_measured.STEPS
    if whole:
        last = {"d": int(orders.d[-1]), "chain": orders.chain[-1] * 1e3, "product": orders.product[-1] * 1e3}
        s.chart(picture, "orders_picture", n=n, ratio=last["chain"] / last["product"], **last)
    elif orders.d.size:
        s.chart(picture, "orders_so_far", n=n)


def model_chart(s, bill, n, d, processors):
    lines = [
        charts.CostLine(NAMES[layer], layer, PROCESSORS, parallel_work.ideal_steps(cost, PROCESSORS))
        for layer, cost in bill.items()
    ]
    titles = (words("inputs.processors"), s.words("steps"))
    picture = charts.cost_curves(
        lines,
        titles,
        PROCESSORS,
        least=(1, 1e8),
        rules=[(processors, s.words("here", p=processors))],
        at=processors,
        powers=True,
    )
    now = {layer: float(parallel_work.ideal_steps(cost, processors)) for layer, cost in bill.items()}
    s.chart(picture, "model_picture", n=n, d=d, p=processors, **now)


def what_the_model_says(s, bill, n):
    attention, chain = bill["attention"], bill["rnn"]
    if attention.operations <= chain.operations:
        key, p = "model_always", 1
    else:
        key, p = "model_later", parallel_work.overtaking(attention, chain)
    enough = parallel_work.enough_processors(chain)
    s.says(key, n=n, p=p, enough=enough, k=costs_measured.K)


page.show(assumes, by_formula, measured, blocked, skipping, one_more_token, real_models, share, parallel)
