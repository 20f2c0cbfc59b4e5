"""The pictures of the six towers: a line for the chosen seed, on the band of all recorded seeds."""

import math

import numpy as np

from core.experiments.block_anatomy_ablations import N_STEPS, RESCUES
from core.learning.sums import N_WORDS, chance, order_blind
from pages.sections.block_anatomy.ablation_runs import RESCUED, STEPS, TAKEN, recorded_values
from pages.shared import charts
from pages.shared.charts import BandLine

LOOKS = {  # hue, dash
    "full": ("attention", charts.SOLID),
    "no_positions": ("attention", charts.DASHED),
    "no_mlp": ("mlp", charts.SOLID),
    "post_norm": ("first", charts.SOLID),
    "no_norm": ("second", charts.SOLID),
    "no_residual": ("third", charts.SOLID),
}
TOP = 3.0  # nats, where the picture of the loss ends


def levels(figure):
    """What blind guessing gets, and what is best without the order. -> (name, value) of both"""
    blind = order_blind()
    if figure == "loss":
        return ("even", math.log(N_WORDS)), ("order_blind", blind.loss)
    return ("chance", chance()), ("order_blind", blind.accuracy)


def line(name, variant, figure, run, family=TAKEN, dash=None):
    """One tower: its values so far, and the band between the least and the most of the recorded seeds."""
    hue, own_dash = LOOKS[variant]
    others = recorded_values(family, variant, figure)
    end = RESCUES[variant][0] if family == RESCUED else N_STEPS
    steps = np.linspace(0, end, len(STEPS))
    values = np.full(len(steps), np.nan)
    values[: len(run.seen)] = [getattr(shot, figure) for shot in run.seen]
    return BandLine(name, hue, steps, values, others.min(axis=0), others.max(axis=0), dash or own_dash)


def level_lines(s, figure, end, n=2):
    """The first n levels, as flat lines."""
    dashes = (charts.DOTTED, charts.DASHED)
    return [
        BandLine(s.words(f"levels.{name}"), "neutral", np.array([0, end]), np.full(2, value), dash=dash)
        for (name, value), dash in list(zip(levels(figure), dashes, strict=True))[:n]
    ]


def curves_picture(s, watched, figure, step):
    """One figure of all six towers over the steps."""
    lines = [line(s.words(f"variants.{name}"), name, figure, watched[name]) for name in LOOKS]
    lines += level_lines(s, figure, N_STEPS)
    titles, top = (s.words("step"), s.words(figure)), TOP if figure == "loss" else 1.0
    return charts.bands(lines, titles, (0, N_STEPS), at=step, top=top)


def rescue_picture(s, variant, before, rescued):
    """A tower that failed, as it was and with its rescue."""
    end, _ = RESCUES[variant]
    lines = [
        line(s.words("rescued"), variant, "accuracy", rescued, RESCUED, charts.SOLID),
        line(s.words("as_before"), variant, "accuracy", before, dash=charts.DASHED),
        *level_lines(s, "accuracy", end, n=1),
    ]
    return charts.bands(lines, (s.words("step"), s.words("accuracy")), (0, end), height=300)
