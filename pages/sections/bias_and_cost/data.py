"""Data: how many examples each way of linking words needs, for questions next door and far away."""

import numpy as np
import streamlit as st

from core.experiments import bias_and_cost_data, bias_and_cost_exam
from core.experiments.bias_and_cost_data import (
    SEEDS,
    SIZES,
    WANTED,
    ceiling,
    most_steps,
    n_parameters,
    rate_of,
)
from core.learning import ask
from core.learning.mixers import both_ways, flat, heads, windows
from pages.sections.bias_and_cost import data_pictures as pictures
from pages.sections.bias_and_cost.data_runs import NAMES, needed, watch_sweep
from pages.shared import charts

FAR_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
STORIES = {0.0: "local", 1.0: "far"}  # all others are mixtures
CODE = [
    bias_and_cost_data.steps_of,
    ask.ask_questions,
    ask.ceiling,
    windows.window,
    heads.heads,
    both_ways.both_ways,
    flat.flat,
    bias_and_cost_exam.shares_right,
]


def data(s):
    with s.inputs:
        far = s.ask.pick("far_share", FAR_SHARES, 0.0)
        seed = s.ask.seed("data_seed")
        results, watched = watch_sweep(s, far, seed)
        size = s.ask.pick("examples", SIZES, 256)
    with s.picture:
        draw(s, results, far, size)
        stamp(s, results, seed, far)
    say(s, results, far, seed)
    terms(s, far)
    st.caption(s.words(f"note_{STORIES.get(far, 'mixed')}"))
    seeds = SEEDS if results.source == "recorded" else (seed,)
    s.details(code=CODE, numbers=lambda: pictures.numbers(results, seeds))
    s.tick_while(watched.running)


def draw(s, results, far, size):
    """New questions, the examples themselves, a table, and what distance does to far questions."""
    levels = [pictures.level(s, "chance", 1 / ask.N_VALUES)]
    if far:
        levels.append(pictures.level(s, "ceiling", ceiling(far), "conv", charts.DASHED))
    picture = pictures.by_size(s, results, far, "test", size, levels)
    s.chart(picture, far=far, size=size, **pictures.at_size(results, "test", size))
    picture = pictures.by_size(s, results, far, "train", size)
    s.chart(picture, "train_picture", size=size, **pictures.at_size(results, "train", size))
    rows = pictures.table(s, results, far, size)
    st.table(rows, border="horizontal", hide_index=True, alt=s.words("table", size=size))
    if far and results.n_points:
        near, beyond = by_reach(results, size)
        picture = pictures.by_distance(s, results, far, size)
        s.chart(picture, "distance_picture", size=size, near=near, beyond=beyond)


def by_reach(results, size):
    """What the convolution gets right inside its window and beyond it, as a title shows it."""
    shares = results.mean("by_distance", "conv")[SIZES.index(size)]
    inside, beyond = pictures.told({"inside": shares[0], "beyond": shares[1:].mean()}).values()
    return inside, beyond


def stamp(s, results, seed, task, names=NAMES):
    """Where the lines come from."""
    least, most = (choose(n_parameters(task, name) for name in names) for choose in (min, max))
    n = sum(int(np.isfinite(results.of("test", name)).sum()) for name in names)
    if results.source == "live":
        s.stamp("sweep_trained", seed=seed, n=n, least=least, most=most)
    elif results.source == "recorded":
        s.stamp("sweep_recorded", n_seeds=len(SEEDS), n=n, least=least, most=most)
    else:
        s.stamp("sweep_none")


def say(s, results, far, seed):
    """The sentence: from how many examples on a model answers nine new questions in ten."""
    if not results.n_points:
        s.says("says_none", far=far, ceiling=ceiling(far))
        return
    shares = {name: results.mean("test", name) for name in NAMES}
    if results.source == "live":
        s.says("says_live", seed=seed, wanted=WANTED, **enough(s, shares, far))
    elif far == 0.0:
        s.says("says_local", wanted=WANTED, **enough(s, shares, far))
    elif far == 1.0:
        best = float(shares["conv"].max())
        s.says("says_far", wanted=WANTED, best=best, ceiling=ceiling(far), **enough(s, shares, far))
    else:
        passes = {name: passed(shares, name) for name in ("relative", "absolute")}
        s.says("says_mixed", far=far, ceiling=ceiling(far), best=float(shares["conv"].max()), **passes)


def enough(s, shares, task):
    """How many examples each model needs, as a sentence tells it."""
    most = {"conv": ceiling(task)}
    return {name: needed(s, values, most.get(name, 1.0)) for name, values in shares.items()}


def passed(shares, name):
    """Find the first number of examples with which a model is better than the convolution."""
    return SIZES[int(np.argmax(shares[name] > shares["conv"]))]


def terms(s, task):
    """On what terms the models meet."""
    sizes = {name: n_parameters(task, name) for name in NAMES}
    others = [size for name, size in sizes.items() if name != "mlp"]
    facts = {"mlp": sizes["mlp"], "least": min(others), "most": max(others)}
    facts |= {"mlp_steps": most_steps(task, "mlp"), "steps": most_steps(task, "conv")}
    st.caption(s.words("terms", mlp_rate=rate_of(task, "mlp"), rate=rate_of(task, "conv"), **facts))
