"""The runs of the race: the five models of one seed, live or recorded, and all that was recorded."""

from functools import lru_cache

import numpy as np

from core.experiments import local_conv_race, recorded
from core.experiments.local_conv_race import MIXERS, RATES, RaceSnapshot, recording
from pages.shared import training

N_RECORDED = 5  # seeds 0, 1, 2, ...


def watch_five(s, seed, rate):
    """Watch the runs of the five models. -> {name of the model: Watched}"""
    calls = [(local_conv_race.run, name, seed, rate) for name in MIXERS]
    recordings = [recording(name, seed, rate) if seed < N_RECORDED else None for name in MIXERS]
    return dict(zip(MIXERS, training.watch_all(s, calls, recordings, RaceSnapshot), strict=True))


def latest(run, step):
    """Find the snapshot of this step; None while the run has not come so far."""
    return next((shot for shot in run.seen if shot.step == step), None)


@lru_cache(maxsize=2)
def all_recorded(rate):
    """Read all recordings of a learning rate. -> {model: {field: (n_seeds, n_snapshots, ...) array}}"""
    return {name: _of_all_seeds(name, rate) for name in MIXERS}


def _of_all_seeds(name, rate):
    runs = [recorded.load(recording(name, seed, rate), RaceSnapshot).seen for seed in range(N_RECORDED)]
    fields = ("accuracy", "unseen", "by_distance", "signal", "guess_by_distance")
    return {field: np.array([[getattr(shot, field) for shot in run] for run in runs]) for field in fields}


def recorded_values(name, field, rate=RATES[0]):
    """Give one figure of all recorded seeds: (n_seeds, n_snapshots, ...)."""
    return all_recorded(rate)[name][field]


def stamp(s, watched, seed, step, rate):
    """Where the lines come from."""
    run = next((run for run in watched.values() if run.seen), None)
    if run is not None:
        sizes = [local_conv_race.n_parameters(name) for name in watched]
        facts = {"seed": seed, "step": step, "rate": rate, "least": min(sizes), "most": max(sizes)}
        s.stamp(f"race_{run.source}", **facts)
