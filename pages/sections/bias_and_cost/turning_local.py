"""Heads that turn local: where trained attention looks from the question, by number of examples."""

import numpy as np
import pandas as pd

from core.experiments import bias_and_cost_data, bias_and_cost_exam
from core.experiments.bias_and_cost_data import HAVE_HEADS, SEEDS, SIZES, TASKS
from core.learning.ask import N_WORDS
from pages.sections.bias_and_cost.data import stamp
from pages.sections.bias_and_cost.data_pictures import ENDS, LOOKS
from pages.sections.bias_and_cost.data_runs import watch_sweep, whole_sweep
from pages.shared import charts
from pages.shared.amounts import two_decimals
from pages.shared.charts import BandLine

NEAR, FAR = 0, 1  # kinds of questions, rows of what an exam finds
LINES = {  # by task: (model, kind of question)
    "local": (("absolute", NEAR), ("relative", NEAR)),
    "far": (("absolute", FAR), ("relative", FAR)),
    "mixed": (("absolute", NEAR), ("absolute", FAR)),
}
LEARNED, HALF, APART = 0.95, 0.5, 0.5  # shares right, weights, words
MOST = 6.0  # words; no head looks further on average


def turning_local(s):
    with s.inputs:
        task = s.ask.choice("turn_task", tuple(LINES))
        seed = s.ask.seed("turn_seed")
        results, watched = watch_sweep(s, TASKS[task], seed, HAVE_HEADS, SIZES)
        size = s.ask.pick("turn_examples", SIZES, SIZES[-1])
    weight, reach = (figures(results, task, field) for field in ("on_target", "reach"))
    right = {model: results.mean("test", model) for model in HAVE_HEADS}
    at = SIZES.index(size)
    told = {
        f"{name}_{what}": two_decimals(values[name][at])
        for what, values in (("weight", weight), ("reach", reach))
        for name in ("first", "second")
    }
    told |= {f"{model}_right": two_decimals(values[at]) for model, values in right.items()}
    even = even_reach()
    with s.picture:
        s.chart(picture(s, task, weight, "on_target", size), f"{task}_weight_picture", size=size, **told)
        level = BandLine(s.words("even"), "neutral", np.array(ENDS), np.full(2, even), dash=charts.DOTTED)
        drawn = picture(s, task, reach, "reach", size, [level])
        s.chart(drawn, f"{task}_reach_picture", size=size, even=even, **told)
        stamp(s, results, seed, TASKS[task], HAVE_HEADS)
    key = which(task, weight["second"][at], right["relative"][at], *(reach[line][at] for line in reach))
    s.says(key, size=size, even=even, **told)
    s.details(
        code=[bias_and_cost_exam.where_heads_look, bias_and_cost_data.steps_of],
        numbers=lambda: numbers(results, task, SEEDS if results.source == "recorded" else (seed,)),
    )
    s.tick_while(watched.running)


def which(task, relative_weight, relative_right, first_reach, second_reach):
    """The sentence that the figures allow."""
    if np.isnan(first_reach):
        return "says_not_there"
    if task == "local" and relative_right >= LEARNED and relative_weight < HALF:
        return "says_no_need"  # right, though no head looks next door
    if task == "mixed" and second_reach - first_reach < APART:
        return "says_alike"
    return f"says_{task}"


def summed_up(values, field):  # (..., 2 heads) -> (...)
    """Of the weights that of the head with the larger one, of the distances the mean of both heads."""
    return values.max(axis=-1) if field == "on_target" else values.mean(axis=-1)


def of_seeds(results, model, kind, field):  # -> (n_sizes, n_seeds)
    return summed_up(results.of(field, model)[:, :, kind], field)


def figures(results, task, field):
    """Means over the seeds of the two lines of a task. -> {"first", "second": (n_sizes,)}"""
    lines = zip(("first", "second"), LINES[task], strict=True)
    return {name: of_seeds(results, *line, field).mean(axis=1) for name, line in lines}


def picture(s, task, values, field, size, levels=()):
    """The two lines of a task against the number of examples, on the bands of the recorded seeds."""
    drawn, whole = [], whole_sweep(TASKS[task])
    for (model, kind), line in zip(LINES[task], values.values(), strict=True):
        _, dash = LOOKS[model]
        if task == "mixed":  # one model, asked in two ways
            dash = charts.DASHED if kind == FAR else charts.SOLID
        seeds = of_seeds(whole, model, kind, field)
        name = s.words(f"lines.{task}.{model}_{kind}")
        drawn.append(
            BandLine(name, "attention", np.array(SIZES), line, seeds.min(axis=1), seeds.max(axis=1), dash)
        )
    titles = (s.words("examples_axis"), s.words(f"{field}_axis"))
    top = {"on_target": 1.0, "reach": MOST}[field]
    return charts.bands(
        [*drawn, *levels], titles, ENDS, ticks=SIZES, at=size, doubling=True, height=330, top=top
    )


def even_reach():
    """How far a question looks, on average, that gives every word of its sentence the same weight."""
    places = np.arange(N_WORDS)
    return float(np.abs(places[1:, None] - places).mean())  # a question never stands first


def numbers(results, task, seeds):
    """One row a training: where each head looks."""
    rows = []
    for model in HAVE_HEADS:
        for i, size in enumerate(SIZES):
            for j, seed in enumerate(seeds):
                row = {
                    "model": model,
                    "examples": size,
                    "seed": seed,
                    "right": results.of("test", model)[i, j],
                }
                for field in ("on_target", "reach"):
                    found = results.of(field, model)[i, j]
                    for kind, heads in zip(("local", "far"), found, strict=True):
                        row |= {f"{field}, {kind}, head {h}": value for h, value in enumerate(heads, start=1)}
                rows.append(row)
    return pd.DataFrame(rows).dropna(subset=["right"]).dropna(axis="columns", how="all")
