"""Page 5.

What seeing everything costs: the bill of one layer, by formula and as measured on this machine.
"""

import pandas as pd
import streamlit as st

from core import costs, costs_measured
from core.blocks.attention import scaled_dot_product_attention
from core.blocks.convolution import convolution
from core.blocks.recurrence import rnn
from core.experiments import bias_and_cost
from pages.shared import charts
from pages.shared.frame import live_run, open_page

LENGTHS = tuple(2**i for i in range(4, 18))  # 16 ... 131,072
WIDTHS = (16, 32, 64, 128, 256, 512, 768, 1024, 4096, 12288)
TAPS = (3, 5, 7, 9, 15)
LEAST = (1e4, 1e15)  # operations: one axis for all settings, so that the lines move and not the axis
FIT_FROM = (16, 64, 256, 1024)
LEAST_MS, LEAST_MIB = (1e-2, 1e3), (1e-3, 1e3)
MIB = 2**20
FORMULAS = {"attention": "4n²d", "rnn": "4nd²", "conv": "2knd²", "dilated": "2knd²"}
BLOCKS = (scaled_dot_product_attention, rnn, convolution)  # which are measured
FACTS = (bias_and_cost.fit_exponent, bias_and_cost.crossover)  # which are read off the measurements
GROWTH = {"attention": 2, "rnn": 1, "conv": 1}  # exponents of n in the formulas

page = open_page("bias_and_cost")
words = page.words
NAMES = {layer: words(f"layers.{layer}") for layer in FORMULAS}
UNBROKEN = {layer: "\u2060".join(name.replace(" ", "\u00a0")) for layer, name in NAMES.items()}  # in tables


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
    rules = [(n, s.words("here", n=n))]
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
        n_from = s.ask.pick("fit_from", FIT_FROM, 256)
        times = {name: bias_and_cost.fit_exponent(one.n, one.seconds, n_from) for name, one in found.items()}
        peaks = {name: bias_and_cost.fit_exponent(one.n, one.bytes, n_from) for name, one in found.items()}
        how_far(s, run, records)
        exponents = exponents_table(s, found, times, peaks)
        st.table(exponents, border="horizontal", hide_index=True, alt=s.words("table"))
        if is_whole(found):
            what_the_fit_says(s, times["attention"].exponent, n_from)
    crossing = crossing_of(found)
    with s.picture:
        time_chart(s, found, times, crossing, n_from)
        memory_chart(s, found, peaks, n_from)
        s.stamp("measured" if machine else "measuring", **(machine or {}))
    if is_whole(found):
        what_the_crossing_says(s, found, crossing)
    s.details(
        code=[costs_measured.layers, costs_measured.best_seconds, costs_measured.peak_bytes, *BLOCKS, *FACTS],
        numbers=lambda: measured_table(found),
    )
    s.tick_while(not done)


def is_whole(found):
    """Whether every layer has been measured at every length."""
    return all(len(one.n) == len(costs_measured.SIZES) for one in found.values())


def how_far(s, run, records):
    """The state of the measurement, while there is something to say about it."""
    whole = len(costs_measured.SIZES) * len(costs.LAYERS) * costs_measured.ROUNDS
    count = sum("layer" in record for record in records)
    if run.failed:
        st.warning(s.words("failed", count=count, whole=whole))
    elif not run.done:
        st.progress(count / whole, text=s.words("progress", count=count, whole=whole))


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


def what_the_fit_says(s, exponent, n_from):
    if n_from < 256:
        key = "fit_short"
    elif exponent > 2.05:
        key = "fit_above"
    else:
        key = "fit_near" if exponent >= 1.95 else "fit_below"
    st.markdown(s.words(key, exponent=exponent, n_from=n_from))


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
    picture = growth_picture(s, found, values, laws, n_from, s.words("ms"), LEAST_MS, 1e3, rules)
    longest = costs_measured.SIZES[-1]
    if is_whole(found):
        exponents = {f"{name}_exponent": law.exponent for name, law in laws.items()}
        lasts = {name: value[-1] for name, value in values.items()}
        s.chart(picture, "time_picture", longest=longest, n_from=n_from, **exponents, **lasts)
    else:
        s.chart(picture, "time_so_far", longest=longest)


def memory_chart(s, found, laws, n_from):
    values = {name: one.bytes / MIB for name, one in found.items()}
    picture = growth_picture(s, found, values, laws, n_from, s.words("mib"), LEAST_MIB, 1 / MIB)
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
        s.says("says_dearer" if dearer else "says_cheaper", d=d)
        return
    speeds = {name: speed_of(found[name], name) for name in ("rnn", "conv")}
    s.says("says" if crossing > d else "says_earlier", d=d, n=crossing, **speeds)


page.show(by_formula, measured)
