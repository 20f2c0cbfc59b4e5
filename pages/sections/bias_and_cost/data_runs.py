"""What there is to see of the sweeps: all that was recorded, and what is trained here, as arrays by size."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import streamlit as st

from core.experiments import recorded
from core.experiments.bias_and_cost_data import MIXERS, SEEDS, SIZES, TASKS, WANTED, Point, sweep
from pages.shared import training
from pages.shared.amounts import NOTHING

NAMES = tuple(MIXERS)
LIVE_SIZES = SIZES[:7:2]  # of the smaller sweep that is trained here
RECORDED = {task: name for name, task in TASKS.items()}


class Results(NamedTuple):
    """What came out for each model, size and seed; not a number where nothing was trained."""

    points: dict  # field of Point -> (n_models, n_sizes, n_seeds, ...) array
    source: str  # "recorded", "live" or "none"
    n_points: int

    def of(self, field, name):  # -> (n_sizes, n_seeds, ...)
        """Give one figure of one model."""
        return self.points[field][NAMES.index(name)]

    def mean(self, field, name):  # -> (n_sizes, ...)
        """Average one figure of one model over the seeds."""
        return self.of(field, name).mean(axis=1)


def arranged(points, seeds):
    """Lay points out by model, size and seed."""
    fields = {}
    for field in ("n_steps", "train", "test", "by_distance", "on_target", "reach"):
        shape = np.shape(getattr(points[0], field)) if points else ()
        fields[field] = np.full((len(NAMES), len(SIZES), len(seeds), *shape), np.nan)
        for point in points:
            place = point.model, SIZES.index(point.size), seeds.index(point.seed)
            fields[field][place] = getattr(point, field)
    return fields


@lru_cache(maxsize=4)
def whole_sweep(task):
    """Read the recorded sweep of a task. -> Results"""
    seen = recorded.load(f"bias_and_cost_data_{RECORDED[task]}", Point).seen
    return Results(arranged(seen, SEEDS), "recorded", len(seen))


def watch_sweep(s, task, seed, names=NAMES, sizes=LIVE_SIZES):
    """Watch the smaller sweep of one seed; until it is trained, the recorded one. -> Results, Watched"""
    facts = {"n_sizes": len(SIZES), "n_seeds": len(SEEDS)}
    live = {"n_live": len(sizes), "first": sizes[0], "last": sizes[-1], "n": len(sizes) * len(names)}
    recording = training.ELSEWHERE if task in RECORDED else None
    watched = training.watch(s, sweep, task, names, sizes, (seed,), recording=recording)
    st.caption(s.words("live_about", **facts, **live))
    if watched.seen:
        return Results(arranged(watched.seen, (seed,)), "live", len(watched.seen)), watched
    if task in RECORDED:
        return whole_sweep(task), watched
    return Results(arranged([], (seed,)), "none", 0), watched


def needed(s, shares, ceiling=1.0):  # (n_sizes,)
    """Say how many examples are enough for nine right answers in ten, or how many are known not to be."""
    if ceiling < WANTED:
        return s.words("out_of_reach", ceiling=ceiling)
    trained = [(size, share) for size, share in zip(SIZES, shares, strict=True) if not np.isnan(share)]
    enough = next((size for size, share in trained if share >= WANTED), None)
    if enough is not None:
        return s.words("enough", n=enough)
    return s.words("not_enough", n=trained[-1][0]) if trained else NOTHING
