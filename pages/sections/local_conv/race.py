"""The race: five ways to mix words, about the same number of parameters, the same sentences."""

import pandas as pd
import streamlit as st

from core.experiments import local_conv_exam, local_conv_race
from core.experiments.local_conv_exam import DISTANCES
from core.experiments.local_conv_race import EVERY, LEARNED, MIXERS, N_STEPS, RATES
from core.learning.pronoun import BLIND_TO_REASON, FAR_UNSEEN, LONGEST
from pages.sections.local_conv.race_pictures import (
    curves_picture,
    distance_picture,
    signal_picture,
)
from pages.sections.local_conv.race_runs import N_RECORDED, latest, recorded_values, stamp, watch_five
from pages.shared import charts, training
from pages.shared.amounts import NOTHING

RATES_BY_ID = dict(zip(("slow", "fast"), RATES, strict=True))
CLEARLY = 0.05  # a difference between two shares that is more than chance
BEYOND = MIXERS["conv"].reach < DISTANCES  # what the convolution does not see
NEAR, FAR = DISTANCES < 5, DISTANCES > 18


def race(s):
    with s.inputs:
        seed = s.ask.seed("race_seed")
        rate = RATES_BY_ID[s.ask.choice("race_rate", tuple(RATES_BY_ID))]
        watched = watch_five(s, seed, rate)
        longest = max((run.seen for run in watched.values()), key=len)
        going_on = any(run.running for run in watched.values())
        index, playing = training.scrub(s, "race_step", longest, going_on)
        step = EVERY * index if index >= 0 else N_STEPS
        pairs = s.ask.choice("asked_pairs", ["unseen", "seen"])
        st.caption(s.words(f"about_{pairs}"))
    now = {name: latest(run, step) for name, run in watched.items()}
    with s.picture:
        draw(s, watched, now, step, pairs, rate)
        stamp(s, watched, seed, step, rate)
    say(s, now, seed, step)
    say_what_came_first(s, watched, now, step)
    st.markdown(s.words("rates", n=N_RECORDED, step=N_STEPS, **by_rate()))
    s.details(
        code=[
            local_conv_race.run,
            local_conv_race.steps_of,
            local_conv_race.ask,
            local_conv_exam.best_guess,
            local_conv_race.serial_steps,
        ],
        numbers=lambda: numbers(watched),
    )
    s.tick_while(playing, *(run.running for run in watched.values()))


def draw(s, watched, now, step, pairs, rate):
    """Curves, table, accuracy by distance, and what gets back of an error, before and after."""
    field = "accuracy" if pairs == "seen" else "unseen"
    shares = told({name: shot and getattr(shot, field) for name, shot in now.items()})
    s.chart(curves_picture(s, watched, field, step, rate), f"{pairs}_picture", step=step, **shares)
    st.caption(s.words("blind_level", share=BLIND_TO_REASON))
    st.table(results(s, now), border="horizontal", hide_index=True, alt=s.words("table", step=step))
    beyond = told({name: shot and shot.by_distance[BEYOND].mean() for name, shot in now.items()})
    guess = told(
        {"guess": next((shot.guess_by_distance[BEYOND].mean() for shot in now.values() if shot), None)}
    )
    reach = MIXERS["conv"].reach
    picture = distance_picture(s, now, step, rate)
    s.chart(picture, "distance_picture", step=step, reach=reach, **beyond, **guess)
    st.caption(s.words("strange", a=FAR_UNSEEN[0], b=FAR_UNSEEN[1], c=FAR_UNSEEN[2]))
    first = {name: run.seen[0] if run.seen else None for name, run in watched.items()}
    for place, name, shots in zip(st.columns(2), ("start", "trained"), (first, now), strict=True):
        with place:
            at = 0 if name == "start" else step
            s.chart(
                signal_picture(s, shots, at, rate),
                f"{name}_picture",
                step=step,
                **told(far_signal(shots), charts.two_digits),
            )
    st.caption(s.words("signal_about"))


def far_signal(shots):
    """What gets back to the furthest words, as a share of what gets back to the nearest."""
    relative = local_conv_race.relative
    return {name: shot and float(relative(shot.signal)[FAR].mean()) for name, shot in shots.items()}


def told(values, form="{:.2f}".format):
    """Figures as a title shows them; a dash for what is not there yet."""
    return {name: NOTHING if value is None else form(value) for name, value in values.items()}


def results(s, now):
    """One row a model: size, steps that wait for one another, shares right."""
    rows = []
    for name, shot in now.items():
        shares = {"seen": shot and shot.accuracy, "unseen": shot and shot.unseen}
        size, serial = local_conv_race.n_parameters(name), local_conv_race.serial_steps(name, LONGEST)
        rows.append([s.words(f"models.{name}"), f"{size:,}", str(serial), *told(shares).values()])
    columns = ("model", "parameters", "serial", "seen", "unseen")
    return pd.DataFrame(rows, columns=[s.words(f"columns.{name}", longest=LONGEST) for name in columns])


def say(s, now, seed, step):
    """The sentence: pairs that never met, and what distance does."""
    n_there = sum(shot is not None for shot in now.values())
    if not n_there:
        s.says("says_none", seed=seed, n=N_RECORDED)
        return
    if n_there < len(now):
        s.says("says_part", seed=seed, n=n_there, step=step)
        return
    conv, rnn, gru = now["conv"], now["rnn"], now["gru"]
    s.says(
        seed=seed,
        step=step,
        attention=now["attention"].unseen,
        gru=gru.unseen,
        gru_seen=gru.accuracy,
        reach=MIXERS["conv"].reach,
        beyond=conv.by_distance[BEYOND].mean(),
        guess=conv.guess_by_distance[BEYOND].mean(),
        near=rnn.by_distance[NEAR].mean(),
        far=rnn.by_distance[FAR].mean(),
    )


def say_what_came_first(s, watched, now, step):
    """Seen pairs come before unseen ones: how far apart, for the two that learn both."""
    first = {name: local_conv_race.when_learned(watched[name].seen) for name in ("attention", "gru")}
    if now["gru"] is None or any(shot is None or shot.step > step for shot in first.values()):
        return
    facts = {f"{name}_step": shot.step for name, shot in first.items()}
    facts |= {name: shot.unseen for name, shot in first.items()}
    later = now["gru"].unseen > facts["gru"] + CLEARLY
    key = "learned" if later else "learned_both"
    st.markdown(s.words(key, wanted=LEARNED, step=step, now=now["gru"].unseen, **facts))


def by_rate():
    """Pairs that never met, at the end, by learning rate: means of the recorded seeds."""
    return {
        f"{name}_{id}": recorded_values(name, "unseen", rate)[:, -1].mean()
        for name in ("attention", "gru")
        for id, rate in RATES_BY_ID.items()
    }


def numbers(watched):
    """One row a snapshot."""
    rows = [
        {"model": name, "step": shot.step, "loss": shot.loss, "right, seen pairs": shot.accuracy}
        | {"right, unseen pairs": shot.unseen}
        | {f"right, {t} words back": share for t, share in zip(DISTANCES, shot.by_distance, strict=True)}
        | {f"signal, {t} words back": size for t, size in zip(DISTANCES, shot.signal, strict=True)}
        for name, run in watched.items()
        for shot in run.seen
    ]
    return pd.DataFrame(rows)
