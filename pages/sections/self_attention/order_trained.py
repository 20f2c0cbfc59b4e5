"""Who chases? Two equal small Transformers are trained, one that is told the places of the words."""

import math

import pandas as pd
import streamlit as st

from core.experiments import word_order
from core.learning.models import learn, read
from core.learning.training import train
from pages.shared import charts, training

RECORDED_SEED = 0
LN_2 = math.log(2)


def order_trained(s):
    with s.inputs:
        seed = s.ask.seed("order_seed")
        calls = [(word_order.learn_order, seed, with_) for with_ in (True, False)]
        recordings = ["order_told", "order_blind"] if seed == RECORDED_SEED else None
        watched = training.watch_all(s, calls, recordings, word_order.OrderSnapshot)
    told, blind = (one.seen or [untrained(*call[1:])] for one, call in zip(watched, calls, strict=True))
    with s.picture:
        left, right = st.columns(2)
        with left:
            loss_picture(s, told, blind)
        with right:
            accuracy_picture(s, told, blind)
        step = told[-1].step
        training.stamp(s, watched[0], seed=seed, step=step, parameters=word_order.N_PARAMS)
    both = min(len(told), len(blind)) - 1  # as far as both have come
    say_who_chases(s, told[both], blind[both], seed)
    s.details(
        code=[word_order.learn_order, word_order.begin, learn, train, read],
        numbers=lambda: snapshots_table(told, blind),
    )
    s.tick_while(*(one.running for one in watched))


@st.cache_data(max_entries=32, show_spinner=False)
def untrained(seed, positions):
    """The first snapshot of a run."""
    return next(word_order.learn_order(seed, positions))


def loss_picture(s, told, blind):
    guess = s.words("ln_2")
    frame = pd.concat(
        [
            by_step(s, told, blind, "loss"),
            pd.DataFrame({"x": [0, word_order.N_STEPS], "y": [LN_2, LN_2], "name": guess}),
        ]
    )
    series = [*both_series(s), (guess, "neutral")]
    titles = (s.words("step"), s.words("loss"))
    picture = charts.curves(frame, series, titles, domains=((0, word_order.N_STEPS), (0, 4.2)), height=400)
    s.chart(picture, "loss_picture", told=told[-1].loss, blind=blind[-1].loss, guess=LN_2)


def accuracy_picture(s, told, blind):
    frame = by_step(s, told, blind, "accuracy")
    titles = (s.words("step"), s.words("accuracy"))
    picture = charts.curves(
        frame, both_series(s), titles, domains=((0, word_order.N_STEPS), (0, 1)), height=376
    )
    s.chart(picture, "accuracy_picture", told=told[-1].accuracy, blind=blind[-1].accuracy)


def both_series(s):
    return [(s.words("told"), "attention"), (s.words("blind"), "first")]


def by_step(s, told, blind, field):
    """One figure of both runs at every step so far."""
    rows = [
        (snapshot.step, getattr(snapshot, field), s.words(name))
        for name, seen in (("told", told), ("blind", blind))
        for snapshot in seen
    ]
    return pd.DataFrame(rows, columns=["x", "y", "name"])


def say_who_chases(s, told, blind, seed):
    facts = {
        "seed": seed,
        "count": word_order.N_UNSEEN,
        "told": told.accuracy,
        "blind": blind.accuracy,
    }
    if told.step == 0:
        s.says("says_start", **facts)
    else:
        s.says(
            step=told.step,
            told_first=told.probe[0],
            told_second=told.probe[1],
            blind_first=blind.probe[0],
            blind_second=blind.probe[1],
            **facts,
        )


def snapshots_table(told, blind):
    """Both runs, one row a snapshot."""
    fields = ("step", "loss", "accuracy", "seen_accuracy")
    rows = [
        (name, *(getattr(snapshot, field) for field in fields))
        for name, seen in (("with positions", told), ("without positions", blind))
        for snapshot in seen
    ]
    return pd.DataFrame(rows, columns=["model", *fields])
