"""Time and memory of each layer as measured here, against what the formula says of their growth."""

import pandas as pd
import streamlit as st

from core import costs, costs_measured, timing
from core.blocks.attention import scaled_dot_product_attention
from core.blocks.convolution import convolution
from core.blocks.recurrence import rnn
from core.experiments import bias_and_cost
from pages.sections.bias_and_cost.layers import USUAL_FIT, compared, table, unbroken
from pages.sections.bias_and_cost.measured_pictures import is_whole, memory_chart, time_chart
from pages.sections.bias_and_cost.measuring import how_far, measuring, stamp
from pages.shared.amounts import NOTHING

FIT_FROM = (16, 64, USUAL_FIT, 1024)
RECORDS = len(costs_measured.SIZES) * len(costs.LAYERS) * costs_measured.ROUNDS
BLOCKS = (scaled_dot_product_attention, rnn, convolution)  # which are measured
FACTS = (bias_and_cost.fit_exponent, bias_and_cost.crossover)  # which are read off the measurements
CROSSES = {"more": "later", "equal": "there", "less": "earlier"}
GROWTH = {"attention": 2, "rnn": 1, "conv": 1}  # exponents of n in the formulas


def measured(s):
    run = measuring(None, RECORDS)
    found = run.found
    with s.inputs:
        n_from = s.ask.pick("fit_from", FIT_FROM, USUAL_FIT)
        times = {name: bias_and_cost.fit_exponent(one.n, one.seconds, n_from) for name, one in found.items()}
        peaks = {name: bias_and_cost.fit_exponent(one.n, one.bytes, n_from) for name, one in found.items()}
        how_far(s, run)
        exponents = exponents_table(s, found, times, peaks)
        st.table(exponents, border="horizontal", hide_index=True, alt=s.words("table"))
        if is_whole(found):
            what_the_fit_says(s, found["attention"], n_from)
        st.caption(setting(s))
    crossing = crossing_of(found)
    with s.picture:
        time_chart(s, found, times, crossing, n_from)
        memory_chart(s, found, peaks, n_from)
        stamp(s, run)
    if is_whole(found):
        what_the_crossing_says(s, found, crossing)
    s.details(
        code=[costs_measured.layers, timing.best_seconds, timing.peak_bytes, *BLOCKS, *FACTS],
        numbers=lambda: measured_table(found),
    )
    s.tick_while(not run.done)  # the others appear with it: when it ends, the whole page is drawn again


def exponents_table(s, found, times, peaks):
    def shown(value, form=".2f"):
        return NOTHING if value is None else format(value, form)

    speeds = [speed_of(found[layer], layer) for layer in costs.LAYERS]
    columns = {
        "layer": [unbroken(s, layer) for layer in costs.LAYERS],
        "formula": [str(GROWTH[layer]) for layer in costs.LAYERS],
        "time": [shown(law and law.exponent) for law in times.values()],
        "memory": [shown(law and law.exponent) for law in peaks.values()],
        "speed": [shown(speed, ".1f") for speed in speeds],
    }
    return table(s, columns)


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
    s.says(f"says_{CROSSES[compared(crossing, d, '.0f')]}", d=d, n=crossing, **speeds)
