"""Take one away: six towers trained side by side, five of them without a part of the first."""

from math import floor

import pandas as pd
import streamlit as st

from core.experiments import block_anatomy_ablations as ablations
from core.experiments.block_anatomy_ablations import N_STEPS, RESCUES
from core.learning.models import learn
from core.learning.sums import order_blind, sum_task, sums
from core.learning.training import train
from pages.sections.block_anatomy.ablation_pictures import LOOKS, TOP, curves_picture, levels, rescue_picture
from pages.sections.block_anatomy.ablation_runs import (
    EVERY,
    N_RECORDED,
    RESCUED,
    latest,
    recorded_values,
    stamp,
    watch_towers,
)
from pages.shared import training
from pages.shared.amounts import two_decimals


def take_one_away(s):
    with s.inputs:
        seed = s.ask.seed("ablation_seed")
        rescue = s.ask.choice("rescue", ("none", *RESCUES))
        watched, rescued = watch_towers(s, seed, rescue)
        longest = max((run.seen for run in watched.values()), key=len)
        going_on = any(run.running for run in watched.values())
        index, playing = training.scrub(s, "ablation_step", longest, going_on)
        step = EVERY * index if index >= 0 else N_STEPS
    now = {variant: latest(watched[variant], step) for variant in LOOKS}
    with s.picture:
        draw(s, watched, now, step)
        stamp(s, watched, seed, step)
        if rescued:
            draw_rescue(s, rescue, watched[rescue], rescued, seed)
    say(s, now, seed, step)
    st.caption("\n".join(f"- {note}" for note in footnotes(s)))
    s.details(
        code=[ablations.run, ablations.steps_of, ablations.look, sum_task, sums, order_blind, learn, train],
        numbers=lambda: numbers(watched, rescue, rescued),
    )
    running = [run.running for run in (*watched.values(), rescued) if run]
    s.tick_while(playing, *running)


def draw(s, watched, now, step):
    """Right answers and losses over the steps, and both as a table."""
    for figure in ("accuracy", "loss"):
        told = told_at(now, figure) | dict(levels(figure))
        s.chart(curves_picture(s, watched, figure, step), f"{figure}_picture", step=step, **told)
    st.caption(s.words("loss_about", top=TOP))
    st.table(results(s, now), border="horizontal", hide_index=True, alt=s.words("table", step=step))


def told_at(now, figure):
    """Figures as a title shows them; a dash for what is not there yet."""
    return {name: two_decimals(shot and getattr(shot, figure)) for name, shot in now.items()}


def results(s, now):
    """One row a tower: what it learns, share right, loss."""
    right, loss = told_at(now, "accuracy"), told_at(now, "loss")
    rows = [
        [s.words(f"variants.{name}"), f"{ablations.n_parameters(name):,}", right[name], loss[name]]
        for name in now
    ]
    columns = ("variant", "parameters", "accuracy", "loss")
    return pd.DataFrame(rows, columns=[s.words(f"columns.{name}") for name in columns])


def draw_rescue(s, variant, before, rescued, seed):
    """The tower that failed, with its rescue."""
    end, gain = RESCUES[variant]
    how = s.words("smaller", gain=gain) if gain < 1 else s.words("longer", end=end)
    facts = {"variant": s.words(f"variants.{variant}"), "how": how, "seed": seed}
    picture = rescue_picture(s, variant, before, rescued)
    if not rescued.seen:
        s.chart(picture, "rescue_none_picture", **facts)
        return
    last = rescued.seen[-1]
    was = two_decimals(before.seen[-1].accuracy if before.seen else None)
    s.chart(picture, "rescue_picture", step=last.step, right=last.accuracy, before=was, **facts)
    training.stamp(s, rescued, seed=seed, step=last.step, parameters=ablations.n_parameters(variant))


def say(s, now, seed, step):
    """The sentence: what is missing, and the level that it leaves the tower at."""
    n_there = sum(shot is not None for shot in now.values())
    if n_there < len(now):
        s.says("says_part" if n_there else "says_none", seed=seed, n=n_there or N_RECORDED, step=step)
        return
    (_, even), (_, blind) = levels("loss")[0], levels("accuracy")[1]
    facts = {name: shot.accuracy for name, shot in now.items()}
    s.says(seed=seed, step=step, loss=now["no_residual"].loss, even=even, blind=blind, **facts)


def footnotes(s):
    """What rescues and what does not, in all recorded seeds."""
    for variant, (end, gain) in RESCUES.items():
        right = recorded_values(RESCUED, variant, "accuracy")[:, -1]
        facts = {
            "end": end,
            "gain": gain,
            "n": len(right),
            "least": floor(right.min() * 1000) / 1000,
            "most": right.max(),
        }
        yield s.words(f"note_{variant}", **facts)


def numbers(watched, rescue, rescued):
    """One row a snapshot."""
    runs = [(name, "", run) for name, run in watched.items()]
    runs += [(rescue, "rescued", rescued)] if rescued else []
    rows = [
        {"variant": name, "rescue": how, "step": shot.step, "loss": shot.loss, "share right": shot.accuracy}
        for name, how, run in runs
        for shot in run.seen
    ]
    return pd.DataFrame(rows)
