"""The same multiplications one after another and at once, as measured and in a model of many processors."""

import streamlit as st

from core import costs, costs_measured
from core.experiments import bias_and_cost
from core.experiments import bias_and_cost_parallel as parallel_work
from pages.sections.bias_and_cost.layers import LENGTHS, WIDTHS
from pages.sections.bias_and_cost.measuring import measuring, so_far, stamp, wait_for
from pages.shared import charts

PROCESSORS = tuple(2**i for i in range(21))  # drawn; up to 2^17 of them can be picked
NO_OVERHEAD = 256  # width from which on calling NumPy costs little beside computing


def parallel(s):
    run = measuring("chain", len(costs_measured.WIDTHS))
    with s.inputs:
        wait_for(s, run)
        st.markdown(s.words("model_inputs"))
        n = s.ask.pick("model_n", LENGTHS, 1024)
        d = s.ask.pick("model_d", WIDTHS, 64)
        processors = s.ask.pick("processors", PROCESSORS[:18], 1024)
    orders = parallel_work.orders(run.records)
    with s.picture:
        orders_chart(s, orders, run.is_complete)
        stamp(s, run)
        bill = {layer: bias_and_cost.bill(n, d, costs_measured.K)[layer] for layer in costs.LAYERS}
        model_chart(s, bill, n, d, processors)
        s.stamp("model")
    if run.is_complete:
        ratio = dict(zip(orders.d, orders.chain / orders.product, strict=True))
        least = costs_measured.WIDTHS[0]
        s.says(d=NO_OVERHEAD, ratio=ratio[NO_OVERHEAD], least=least, least_ratio=ratio[least])
    what_the_model_says(s, bill, n)
    s.details(
        code=[costs_measured.as_a_chain, costs_measured.as_one_product, parallel_work.ideal_steps],
        numbers=lambda: so_far("d", costs_measured.WIDTHS, orders),
    )


def orders_chart(s, orders, whole):
    lines = [
        charts.CostLine(s.words("chain"), "rnn", orders.d, orders.chain * 1e3),
        charts.CostLine(s.words("product"), "attention", orders.d, orders.product * 1e3),
    ]
    picture = charts.cost_curves(
        lines,
        (s.words("d_axis"), s.words("ms")),
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
        charts.CostLine(
            s.words(f"layers.{layer}"), layer, PROCESSORS, parallel_work.ideal_steps(cost, PROCESSORS)
        )
        for layer, cost in bill.items()
    ]
    titles = (s.words("inputs.processors"), s.words("steps"))
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
