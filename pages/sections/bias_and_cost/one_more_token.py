"""What one more token costs: the whole layer again, or one step with the cache of keys and values."""

import pandas as pd
import streamlit as st

from core import costs_saved
from core.blocks.kv_cache import append, causal_attention_step, step_operations
from core.experiments import bias_and_cost_savings as savings
from pages.sections.bias_and_cost.layers import compared
from pages.sections.bias_and_cost.measuring import measuring, stamp, wait_for
from pages.shared import charts

CHECKED = 24  # words of a text that is computed whole and with the cache


def one_more_token(s):
    run = measuring("token", len(costs_saved.PLACES))
    with s.inputs:
        t = s.ask.pick("t", costs_saved.PLACES, 1024)
        wait_for(s, run)
    bills = [savings.step_bill(place, costs_saved.D) for place in costs_saved.PLACES]
    steps = savings.steps(run.records)
    with s.picture:
        counted_chart(s, bills, t)
        s.stamp("computed")
        measured_chart(s, steps, t, run.is_complete)
        st.caption(s.words("note", n=CHECKED, difference=savings.cache_difference(CHECKED)))
        stamp(s, run)
    what_the_cache_saves(s, t, savings.step_bill(t, costs_saved.D), savings.saved(steps, t))
    s.details(
        code=[causal_attention_step, append, step_operations, costs_saved.step_seconds],
        numbers=lambda: pd.DataFrame(bills).assign(t=costs_saved.PLACES)[["t", "again", "cached", "bytes"]],
    )


def counted_chart(s, bills, t):
    again, cached = [one.again for one in bills], [one.cached for one in bills]
    places = costs_saved.PLACES
    picture = step_picture(s, (places, again, cached), t, s.words("operations"), (1e4, 1e10), powers=True)
    here = savings.step_bill(t, costs_saved.D)
    s.chart(picture, "operations_picture", t=t, d=costs_saved.D, again=here.again, cached=here.cached)


def measured_chart(s, steps, t, whole):
    micro = (steps.t, steps.again * 1e6, steps.cached * 1e6)
    picture = step_picture(s, micro, t, s.words("us"), (1, 1e5))
    if whole:
        at = list(steps.t).index(t)
        s.chart(picture, "time_picture", t=t, again=micro[1][at], cached=micro[2][at])
    elif steps.t.size:
        s.chart(picture, "time_so_far")


def step_picture(s, bills, t, title, least, powers=False):
    places, again, cached = bills
    lines = [
        charts.CostLine(s.words("again"), "attention", places, again),
        charts.CostLine(s.words("cached"), "attention", places, cached),
    ]
    titles, rules = (s.words("t_axis"), title), [(t, s.words("token", t=t))]
    return charts.cost_curves(lines, titles, costs_saved.PLACES, least=least, rules=rules, powers=powers)


def what_the_cache_saves(s, t, bill, measured):
    """`measured` is None as long as this token has not been timed."""
    values = {"t": t, "operations": bill.again / bill.cached, "kib": bill.bytes / 1024}
    if measured is None:
        s.says("says_counted", **values)
    else:
        key = f"says_{compared(measured, values['operations'], '.0f')}"
        s.says(key, **values, measured=measured)
