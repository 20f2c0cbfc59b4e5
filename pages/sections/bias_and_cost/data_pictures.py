"""The pictures of a sweep: shares right by number of examples, and by distance."""

import numpy as np
import pandas as pd

from core.experiments.bias_and_cost_data import MIXERS, SIZES, n_parameters
from core.experiments.bias_and_cost_exam import DISTANCES
from pages.sections.bias_and_cost.data_runs import NAMES, RECORDED, whole_sweep
from pages.shared import charts
from pages.shared.amounts import NOTHING, two_decimals
from pages.shared.charts import BandLine

LOOKS = {  # hue, dash
    "conv": ("conv", charts.SOLID),
    "relative": ("attention", charts.SOLID),
    "absolute": ("attention", charts.DASHED),
    "rnn": ("rnn", charts.SOLID),
    "mlp": ("mlp", charts.SOLID),
}
ENDS = (SIZES[0], SIZES[-1])


def lines(s, results, task, field, x, pick=lambda values: values):
    """One line a model, the mean of its seeds, on the band of the recorded ones."""
    made = []
    for name in NAMES:
        hue, dash = LOOKS[name]
        values = pick(results.mean(field, name)) if results.n_points else None
        low = high = None
        if task in RECORDED:
            seeds = whole_sweep(task).of(field, name)
            low, high = pick(seeds.min(axis=1)), pick(seeds.max(axis=1))
        made.append(BandLine(s.words(f"models.{name}"), hue, x, values, low, high, dash))
    return made


def level(s, name, value, hue="neutral", dash=charts.DOTTED):
    """A straight line at one share."""
    return BandLine(s.words(name), hue, np.array(ENDS), np.full(2, value), dash=dash)


def by_size(s, results, task, field, size, levels=(), height=430):
    """Shares right against the number of examples, both axes from the fewest to the most there are."""
    drawn = [*lines(s, results, task, field, np.array(SIZES)), *levels]
    titles = (s.words("examples_axis"), s.words("share_axis"))
    return charts.bands(drawn, titles, ENDS, ticks=SIZES, at=size, doubling=True, height=height)


def by_distance(s, results, task, size):
    """Shares right against the distance of the noun that is asked about."""
    at = SIZES.index(size)
    drawn = lines(s, results, task, "by_distance", DISTANCES, lambda values: values[at])
    reach = MIXERS["conv"].link.kernel // 2
    titles = (s.words("distance_axis"), s.words("share_axis"))
    edge = (reach + 0.5, s.words("edge"))
    ends = (DISTANCES[0], DISTANCES[-1])
    return charts.bands(drawn, titles, ends, ticks=DISTANCES.tolist(), edge=edge, height=360)


def told(values):
    """Shares as a title shows them; a dash for what is not there."""
    return {name: two_decimals(value) for name, value in values.items()}


def at_size(results, field, size):
    """One share a model, at one number of examples, as a title shows it."""
    at = SIZES.index(size)
    return told({name: results.mean(field, name)[at] for name in NAMES})


def table(s, results, task, size):
    """One row a model: parameters, steps, shares right."""
    at = SIZES.index(size)
    train, test = at_size(results, "train", size), at_size(results, "test", size)
    rows = []
    for name in NAMES:
        steps = results.mean("n_steps", name)[at]
        made = NOTHING if np.isnan(steps) else f"{steps:,.0f}"
        rows.append(
            [s.words(f"models.{name}"), f"{n_parameters(task, name):,}", made, train[name], test[name]]
        )
    columns = ("model", "parameters", "steps", "train", "test")
    return pd.DataFrame(rows, columns=[s.words(f"columns.{name}") for name in columns])


def numbers(results, seeds):
    """One row a training."""
    rows = []
    for name in NAMES:
        for i, size in enumerate(SIZES):
            for j, seed in enumerate(seeds):
                figures = {field: results.of(field, name)[i, j] for field in ("n_steps", "train", "test")}
                away = results.of("by_distance", name)[i, j]
                if np.ndim(away):
                    named = zip(DISTANCES, away, strict=True)
                    figures |= {f"test, {t} away": share for t, share in named}
                rows.append({"model": name, "examples": size, "seed": seed} | figures)
    return pd.DataFrame(rows).dropna(subset=["test"])
