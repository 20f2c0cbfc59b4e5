"""A trained dictionary: four models learn to look things up, and attention shows where it looked."""

import string
from functools import lru_cache

import pandas as pd
import streamlit as st

from core.experiments import soft_lookup_trained as lookup
from core.learning.dictionary import N_VALUES, guess_from_list, lookups
from pages.shared import charts, training

MODELS = ("attention", "gru", "rnn", "conv")
LISTS = (8, 16, 32)  # entries of the lists that models train on
LONGER = (1, 2, 4, 8)
LAST_LIST = 20


def trained(s):
    with s.inputs:
        n = s.ask.pick("entries", LISTS, 8)
        seed = s.ask.seed("trained_seed")
        longer = s.ask.pick("longer", LONGER, 1)
        watched = watch_four(s, n, seed, longer)
        attention = watched["attention"]
        index, playing = training.scrub(s, "trained_step", attention.seen, attention.running)
        list_seed = s.ask.number("list", 1, LAST_LIST, 1)
        asked = s.ask.number("asked", 1, n, 1) - 1
    now = watched["attention"].seen[index]
    found = lookup.look_up(now.flat, n, list_seed)
    with s.picture:
        curves_picture(s, watched, n, now.step)
        st.markdown(runs_table(s, watched))
        looks_picture(s, found, asked, now.step)
        facts = {"seed": seed, "step": now.step, "parameters": lookup.n_parameters("attention")}
        training.stamp(s, watched["attention"], **facts)
        sizes_picture(s, watched, n)
    say_what_it_found(s, found, asked, now)
    s.details(
        code=[lookup.run, lookup.steps_of, lookup.try_on, lookup.look_up, lookups, guess_from_list],
        numbers=lambda: table(watched),
    )
    s.tick_while(playing, *(run.running for run in watched.values()))


def watch_four(s, n, seed, longer):
    """The runs of the four models; one that has not begun is shown untrained. -> {model: Watched}"""
    settings = {name: (name, n, seed, longer if name != "attention" else 1) for name in MODELS}
    calls = [(lookup.run, *settings[name]) for name in MODELS]
    recordings = [f"soft_lookup_trained_{name}_{n}" if recorded(settings[name]) else None for name in MODELS]
    runs = training.watch_all(s, calls, recordings, lookup.LookupSnapshot)
    return {
        name: run if run.seen else run._replace(seen=[untrained(*settings[name])])
        for name, run in zip(MODELS, runs, strict=True)
    }


def recorded(settings):
    """Whether this run is among those that were recorded."""
    _, _, seed, longer = settings
    return (seed, longer) == (0, 1)


@lru_cache(maxsize=64)
def untrained(*settings):
    """The first snapshot of a run; one for all readers, who only look at it."""
    return next(lookup.run(*settings))


def right(snapshot):
    """How many of the lists that it was tried on were answered right."""
    return round(snapshot.accuracy * lookup.N_TRIED)


def curves_picture(s, watched, n, step):
    """Right answers over the steps, and how far guessing gets."""
    blind, from_list, _ = lookup.guesses(n)
    end = max(run.seen[-1].end for run in watched.values())
    levels = {s.words("from_list"): from_list, s.words("blind"): blind}
    series = [(s.words(f"models.{name}"), name) for name in MODELS] + [(name, "neutral") for name in levels]
    shots = [(shot, s.words(f"models.{name}")) for name, run in watched.items() for shot in run.seen]
    columns = {
        "x": [shot.step for shot, _ in shots] + [0, end] * 2,
        "y": [shot.accuracy for shot, _ in shots] + [from_list] * 2 + [blind] * 2,
        "name": [name for _, name in shots] + [name for name in levels for _ in range(2)],
    }
    titles = (s.words("step"), s.words("share_right"))
    picture = charts.curves(columns, series, titles, domains=((0, end), (0, 1)), at=step)
    counts = {name: right(run.seen[-1]) for name, run in watched.items()}
    levels = {"blind": blind, "from_list": from_list}
    s.chart(picture, "curves_picture", n=n, n_tried=lookup.N_TRIED, **counts, **levels)
    st.caption(s.words("levels", n=n, n_values=N_VALUES, **levels))


def runs_table(s, watched):
    """How large each model is, how far it is, and where its run comes from."""
    columns = {
        "model": [s.words(f"models.{name}") for name in watched],
        "parameters": [f"{lookup.n_parameters(name):,}" for name in watched],
        "step": [f"{run.seen[-1].step}/{run.seen[-1].end}" for run in watched.values()],
        "source": [s.words(f"sources.{run.source}") for run in watched.values()],
    }
    rows = [[s.words(f"columns.{name}") for name in columns], ["---"] * len(columns)]
    rows += zip(*columns.values(), strict=True)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def entry_names(found):
    """Each entry as key → value: keys count from 1, values are letters."""
    return [f"{key + 1}→{letter(value)}" for key, value in zip(found.keys, found.values, strict=True)]


def letter(value):
    return string.ascii_uppercase[value]


def looks_picture(s, found, asked, step):
    """What the question for each key gives to each entry of one list; the chosen question is framed."""
    columns = [*entry_names(found), "?"]
    titles = (s.words("question"), s.words("entry"), s.words("weight"))
    picture = charts.weights_map(found.weights, [f"{key + 1}?" for key in found.keys], columns, titles)
    picture = charts.mark_cell(charts.mark_row(picture, asked + 1), asked + 1, asked + 1)
    facts = {"step": step, "number": int(found.keys[asked]) + 1, "entry": columns[asked]}
    s.chart(picture, "looks_picture", n=len(found.keys), weight=found.weights[asked, asked], **facts)


def sizes_picture(s, watched, n):
    """Models that have ended, on lists of other sizes than they trained on."""
    ended = {name: run.seen[-1] for name, run in watched.items() if run.seen[-1].step == run.seen[-1].end}
    if "attention" not in ended:
        return
    guess = s.words("from_list")
    shares = [shot.at_sizes.tolist() for shot in ended.values()]
    shares.append([guess_from_list(size) for size in lookup.SIZES])
    names = [*(s.words(f"models.{name}") for name in ended), guess]
    columns = {
        "x": list(lookup.SIZES) * len(names),
        "y": [share for row in shares for share in row],
        "name": [name for name in names for _ in lookup.SIZES],
    }
    series = [(s.words(f"models.{name}"), name) for name in ended] + [(guess, "neutral")]
    ends = (lookup.SIZES[0], lookup.SIZES[-1])
    picture = charts.curves(
        columns,
        series,
        (s.words("size"), s.words("share_right")),
        log=("x",),
        domains=(ends, (0, 1)),
        ticks=lookup.SIZES,
        at=n,
        height=280,
    )
    least = round(ended["attention"].at_sizes.min() * lookup.N_TRIED)
    s.chart(picture, "sizes_picture", n=n, first=ends[0], last=ends[1], least=least, n_tried=lookup.N_TRIED)


def say_what_it_found(s, found, asked, now):
    said, value = int(found.chances[asked].argmax()), int(found.values[asked])
    facts = {
        "step": now.step,
        "number": int(found.keys[asked]) + 1,
        "entry": entry_names(found)[asked],
        "weight": found.weights[asked, asked],
        "said": letter(said),
        "value": letter(value),
        "right": right(now),
        "n_tried": lookup.N_TRIED,
    }
    s.says("says_right" if said == value else "says_wrong", **facts)


def table(watched):
    """One row a snapshot."""
    rows = [
        {"model": name, "step": shot.step, "loss": shot.loss, "share right": shot.accuracy}
        | {"weight on the right entry": shot.weight}
        | {
            f"share right, {size} entries": share
            for size, share in zip(lookup.SIZES, shot.at_sizes, strict=True)
        }
        for name, run in watched.items()
        for shot in run.seen
    ]
    return pd.DataFrame(rows)
