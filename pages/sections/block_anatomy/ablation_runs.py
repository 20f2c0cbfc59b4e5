"""The runs of the six towers and of the rescue: of one seed, live or recorded, and all that was recorded."""

from functools import lru_cache

import numpy as np

from core.experiments import block_anatomy_ablations, recorded
from core.experiments.block_anatomy_ablations import N_LOOKS, N_STEPS, RESCUES, VARIANTS, AblationSnapshot
from pages.shared import training

N_RECORDED = 5  # seeds 0, 1, 2, ...
EVERY = N_STEPS // N_LOOKS  # steps between two looks
STEPS = np.arange(0, N_STEPS + 1, EVERY)
TAKEN, RESCUED = "ablations", "rescues"  # families of recordings


def name_of(family, variant, seed):
    """Name the recording of a tower and a seed."""
    return f"block_anatomy_{family}_{variant}_{seed}"


def watch_towers(s, seed, rescue):
    """Watch the six towers, and the rescue of one of them. -> {variant: Watched}, Watched or None"""
    calls = [(block_anatomy_ablations.run, variant, seed) for variant in VARIANTS]
    names = [name_of(TAKEN, variant, seed) for variant in VARIANTS]
    if rescue in RESCUES:
        calls.append((block_anatomy_ablations.run, rescue, seed, *RESCUES[rescue]))
        names.append(name_of(RESCUED, rescue, seed))
    recordings = names if seed < N_RECORDED else None
    runs = training.watch_all(s, calls, recordings, AblationSnapshot)
    n = len(VARIANTS)
    rescued = runs[n] if len(runs) > n else None
    if rescued and rescued.source == "none" and recordings:  # it has a picture and a stamp of its own
        seen, meta = recorded.load(names[n], AblationSnapshot)
        rescued = training.Watched(seen, "recorded", rescued.running, meta)
    return dict(zip(VARIANTS, runs[:n], strict=True)), rescued


def latest(run, step):
    """Find the snapshot of this step; None while the run has not come so far."""
    return next((shot for shot in run.seen if shot.step == step), None)


@lru_cache(maxsize=32)
def recorded_values(family, variant, figure):
    """Give one figure of all recorded seeds: (n_seeds, n_snapshots)."""
    runs = [recorded.load(name_of(family, variant, seed), AblationSnapshot) for seed in range(N_RECORDED)]
    return np.array([[getattr(shot, figure) for shot in run.seen] for run in runs])


def stamp(s, watched, seed, step):
    """Where the lines come from."""
    run = next((run for run in watched.values() if run.seen), None)
    if run is not None:
        sizes = [block_anatomy_ablations.n_parameters(variant) for variant in watched]
        s.stamp(f"ablations_{run.source}", seed=seed, step=step, least=min(sizes), most=max(sizes))
