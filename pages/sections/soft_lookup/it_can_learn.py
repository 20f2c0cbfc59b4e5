"""The query walks down the slope that a soft answer has and a hard one has not."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.blocks.attention import scaled_dot_product_attention_backward
from core.experiments import soft_lookup
from core.geometry import hull, inside
from pages.sections.soft_lookup.planes import axes, bound
from pages.shared import charts, training

LONGEST = 200  # steps of the walk
WALKED = "soft_lookup.walked"  # the slider that tells how far it has come


def it_can_learn(s, given):
    names, query, keys, values = given
    running = go_on(s)
    with s.inputs:
        target = np.array(
            [s.ask.number(f"target_{axis}", -4.0, 4.0, d, step=0.5) for axis, d in (("x", -1.0), ("y", 1.0))]
        )
        rate = s.ask.number("rate", 0.05, 2.0, 0.3, step=0.05)
        n = s.ask.place("walked", 0, LONGEST)
        with st.container(horizontal=True):
            s.start_or_stop(running, before=rewind_at_the_end, at_rest=partial(training.rest, WALKED))
            st.button(s.words("again"), key=f"{s.key}.again", on_click=s.want, args=(False, rewind))
    way = soft_lookup.walk(query, keys, values, target, rate, n)
    hard = soft_lookup.hard_loss(query, keys, values, target)
    with s.picture:
        left, right = st.columns(2)
        with left:
            way_picture(s, names, values, way.outs, target)
        with right:
            loss_picture(s, way.losses, hard)
        s.stamp("by_hand")
    say_how_far(s, way, hard)
    if not inside(target, values):
        st.caption(s.words("outside"))
    s.details(
        code=[soft_lookup.walk, scaled_dot_product_attention_backward],
        numbers=lambda: pd.DataFrame(
            {"step": np.arange(n + 1), "loss": way.losses, "out 1": way.outs[:, 0], "out 2": way.outs[:, 1]}
        ),
    )
    s.tick_while(running)


def go_on(s):
    """One look further along the way, if the walk is wanted; the slider follows. -> whether it runs."""
    walked = st.session_state.get(WALKED, 0)
    # Over only when the browser is at the last step: a look already under way still tells an earlier one.
    running = s.wanted = s.wanted and walked < LONGEST
    if running:
        training.move(WALKED, min(walked + 4, LONGEST))
    else:
        training.settle(WALKED)
    return running


def rewind():
    training.move(WALKED, 0)


def rewind_at_the_end():
    """A finished walk starts again from 0."""
    if st.session_state.get(WALKED, 0) >= LONGEST:
        rewind()


def way_picture(s, names, values, outs, target):
    """The way of the answer through the plane of the values."""
    (x0, y0), (x, y) = outs[0], outs[-1]
    points = [(name, "value", *v) for name, v in zip(names, values, strict=True)]
    points += [(s.words("target"), "neutral", *target), (s.words("answer"), "output", x, y)]
    corners, half = values[hull(values)], bound(values, target)
    picture = charts.plane([], axes(s), points=points, hull=corners, trail=outs, bound=half)
    n, facts = len(outs) - 1, {"x": x, "y": y, "tx": target[0], "ty": target[1]}
    s.chart(picture, "way_picture" if n else "here_picture", n=n, x0=x0, y0=y0, **facts)


def loss_picture(s, losses, hard):
    """The loss of the soft dictionary step by step, and that of the hard one, which stays."""
    n = len(losses) - 1
    soft, stuck = s.words("soft"), s.words("hard")
    columns = {
        "x": [*range(n + 1), 0, max(n, 1)],
        "y": [*losses, hard, hard],
        "name": [soft] * (n + 1) + [stuck] * 2,
    }
    picture = charts.curves(
        columns,
        [(soft, "attention"), (stuck, "neutral")],
        (s.words("steps"), s.words("loss")),
        domains=((0, LONGEST), (0, charts.nice_bound([hard, *losses]))),
    )
    name = "loss_picture" if n else "first_loss_picture"
    s.chart(picture, name, first=losses[0], last=losses[-1], hard=hard)


def say_how_far(s, way, hard):
    """What came of the walk, judged by the digits that are printed."""
    n, first, last = len(way.losses) - 1, way.losses[0], way.losses[-1]
    change = round(last, 3) - round(first, 3)
    if n == 0:
        s.says("says_start", first=first)
    elif change == 0:
        s.says("says_same", n=n, last=last, slope=way.slopes[-1])
    else:
        s.says("says" if change < 0 else "says_up", n=n, first=first, last=last, hard=hard)
