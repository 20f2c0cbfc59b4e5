"""Page 1, the race: figures read from the files of the runs, and those of the learners computed again."""

from functools import lru_cache

import numpy as np

from core.experiments import local_conv_race, recorded
from core.experiments.local_conv_race import RaceSnapshot
from pages.shared import live_run
from pages.shared.charts import two_digits

MODELS = ("attention", "conv", "dilated", "rnn", "gru")
BACK = np.arange(3, 24)
NEAR, FAR, BEYOND = (BACK <= 4), (BACK >= 19), (BACK > 5)  # five layers of kernel 3 see five words


RATES = {"slow": 0.003, "fast": 0.005}


@lru_cache(maxsize=50)
def recorded_columns(name, seed, rate="slow"):
    path = recorded.FOLDER / f"local_conv_race_{name}_{1000 * RATES[rate]:.0f}_{seed}.npz"
    with np.load(path) as found:
        return {key: found[key] for key in RaceSnapshot._fields}


def runs_of(seed, rate):
    """({model: columns of its snapshots}, kind of stamp): what was trained here, else what was recorded."""
    jobs = {name: live_run.job_of(local_conv_race.run, name, seed, RATES[rate]) for name in MODELS}
    live = {name: live_run.runs().peek(job) for name, job in jobs.items()}
    if any(live.values()):
        seen = {name: run.seen if run else [] for name, run in live.items()}
        fields = RaceSnapshot._fields
        return {
            name: {field: np.array([getattr(shot, field) for shot in shots]) for field in fields}
            for name, shots in seen.items()
        }, "stamp.race_live"
    if seed < 5:
        return {name: recorded_columns(name, seed, rate) for name in MODELS}, "stamp.race_recorded"
    return {key: {field: np.array([]) for field in RaceSnapshot._fields} for key in MODELS}, None


def at_step(columns, step):
    """Which snapshot is of this step; None if there is none."""
    found = np.flatnonzero(columns["step"] == step)
    return int(found[0]) if found.size else None


def figures(runs, step, figure, form="{:.2f}".format):
    """{model: figure(columns, index) as told}; a dash where a model has not come so far."""
    places = {name: at_step(columns, step) for name, columns in runs.items()}
    return {name: "–" if i is None else form(float(figure(runs[name], i))) for name, i in places.items()}


def thinned(columns, i):
    """What gets back to 19 to 23 words, relative to the mean of 3 and 4."""
    signal = columns["signal"][i].astype(float)
    return (signal[FAR] / signal[NEAR].mean()).mean()


def race(given):
    seed, rate, asked = (given[name] for name in ("race_seed", "race_rate", "asked_pairs"))
    runs, stamp = runs_of(seed, rate)
    longest = max(len(columns["step"]) for columns in runs.values())
    step = given["race_step"] if longest > 1 else 800
    field = {"seen": "accuracy", "unseen": "unseen"}[asked]
    shares = {"step": step} | figures(runs, step, lambda columns, i: columns[field][i])
    beyond = {"step": step, "reach": 5} | figures(
        runs, step, lambda columns, i: columns["by_distance"][i][BEYOND].mean()
    )
    guesses = figures(runs, step, lambda columns, i: columns["guess_by_distance"][i][BEYOND].mean())
    beyond["guess"] = next((told for told in guesses.values() if told != "–"), "–")
    start, trained = ({"step": step} | figures(runs, at, thinned, two_digits) for at in (0, step))
    due = {"blind_level": {"share": 0.5}, "table": {"step": step}, "strange": {"a": 7, "b": 12, "c": 17}}
    for name, told in (
        (f"{asked}_picture", shares),
        ("distance_picture", beyond),
        ("start_picture", start),
        ("trained_picture", trained),
    ):
        due |= {name: told, f"{name}_alt": told}
    due |= {"columns.serial": {"longest": 26}}
    if stamp:
        due[stamp] = {"seed": seed, "step": step, "rate": RATES[rate], "least": 17_058, "most": 18_698}
    due["rates"] = {"n": 5, "step": 800} | {
        f"{name}_{which}": np.mean([recorded_columns(name, i, which)["unseen"][-1] for i in range(5)])
        for name in ("attention", "gru")
        for which in RATES
    }
    gap = {which: due["rates"][f"attention_{which}"] - due["rates"][f"gru_{which}"] for which in RATES}
    assert gap["slow"] > gap["fast"] > 0, "learn faster and the gap is smaller"
    return due | what_came_out(runs, seed, step) | what_came_first(runs, step)


def what_came_out(runs, seed, step):
    now = {name: at_step(columns, step) for name, columns in runs.items()}
    there = [name for name, i in now.items() if i is not None]
    if not there:
        return {"says_none": {"seed": seed, "n": 5}}
    if len(there) < 5:
        return {"says_part": {"seed": seed, "n": len(there), "step": step}}

    def of(name, field, rows=None):
        found = runs[name][field][now[name]]
        return float(found if rows is None else found[rows].mean())

    told = {"seed": seed, "step": step, "reach": 5, "attention": of("attention", "unseen")}
    told |= {"gru": of("gru", "unseen"), "gru_seen": of("gru", "accuracy")}
    told |= {"beyond": of("conv", "by_distance", BEYOND), "guess": of("conv", "guess_by_distance", BEYOND)}
    return {"says": told | {"near": of("rnn", "by_distance", NEAR), "far": of("rnn", "by_distance", FAR)}}


def what_came_first(runs, step):
    """The first time that 95 of 100 are right of the pairs that met, and the other pairs then."""
    told, now = {"wanted": 0.95, "step": step}, at_step(runs["gru"], step)
    for name in ("attention", "gru"):
        good = np.flatnonzero(runs[name]["accuracy"] >= 0.95)
        if now is None or not good.size or runs[name]["step"][good[0]] > step:
            return {}
        told |= {f"{name}_step": int(runs[name]["step"][good[0]]), name: float(runs[name]["unseen"][good[0]])}
    told["now"] = float(runs["gru"]["unseen"][now])
    return {"learned" if told["now"] > told["gru"] + 0.05 else "learned_both": told}


def good_at(name, seed):
    """The step at which a recorded model first gets 95 of 100 pairs right that met."""
    columns = recorded_columns(name, seed)
    return int(columns["step"][np.argmax(columns["accuracy"] >= 0.95)])


WAYS = [
    {"race_seed": 7},
    {"race_seed": 1, "race_step": 300, "asked_pairs": "seen"},
    {"race_seed": 0, "race_step": 0},
    {"race_seed": 0, "race_step": good_at("gru", 0)},
    {"race_seed": 4, "race_step": 800},
    {"race_seed": 2, "race_rate": "fast"},
]


def train(given):
    """Two of five models have run here: what they yielded is that of recorded ones, which takes no time."""
    for name in ("attention", "gru"):
        job = live_run.job_of(local_conv_race.run, name, 9, 0.003)
        run = live_run.Run(job)
        run.seen, run.state = (
            list(recorded.load(f"local_conv_race_{name}_3_1", RaceSnapshot).seen),
            live_run.DONE,
        )
        live_run.runs()._runs[job] = run
    given.at.session_state["local_conv.race_seed"] = 9
    given.at.session_state["local_conv.race_step"] = 800
