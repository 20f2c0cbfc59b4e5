"""The pictures of the race: a line for the chosen seed, on the band of all recorded seeds."""

import numpy as np

from core.experiments import local_conv_race
from core.experiments.local_conv_exam import DISTANCES
from core.experiments.local_conv_race import EVERY, MIXERS, N_STEPS
from core.learning.pronoun import BLIND_TO_REASON
from pages.sections.local_conv.race_runs import recorded_values
from pages.shared import charts
from pages.shared.charts import BandLine

LOOKS = {  # hue, dash
    "attention": ("attention", charts.SOLID),
    "conv": ("conv", charts.SOLID),
    "dilated": ("conv", charts.DASHED),
    "rnn": ("rnn", charts.SOLID),
    "gru": ("gru", charts.SOLID),
}
STEPS = np.arange(0, N_STEPS + 1, EVERY)
WORDS_BACK = (3, 5, 10, 15, 20, 23)
POWERS = (-4, 0)  # of ten, that the axis of signals shows


def line(s, name, x, values, others):
    """One model: its values, and the band between the smallest and the largest of the recorded seeds."""
    hue, dash = LOOKS[name]
    return BandLine(s.words(f"models.{name}"), hue, x, values, others.min(axis=0), others.max(axis=0), dash)


def curves_picture(s, watched, field, step, rate):
    """Shares of right answers over the steps."""
    lines = []
    for name, run in watched.items():
        values = np.full(len(STEPS), np.nan)
        values[: len(run.seen)] = [getattr(shot, field) for shot in run.seen]
        lines.append(line(s, name, STEPS, values, recorded_values(name, field, rate)))
    level = np.full(2, BLIND_TO_REASON)
    lines.append(BandLine(s.words("blind"), "neutral", STEPS[[0, -1]], level, dash=charts.DOTTED))
    return charts.bands(lines, (s.words("step"), s.words("share")), (0, N_STEPS), at=step)


def distance_picture(s, now, step, rate):
    """Shares of right answers by distance, and what a good guess gets beyond the field of the convolution."""
    lines = [
        line(
            s,
            name,
            DISTANCES,
            shot and shot.by_distance,
            recorded_values(name, "by_distance", rate)[:, step // EVERY],
        )
        for name, shot in now.items()
    ]
    guess = next((shot.guess_by_distance for shot in now.values() if shot), None)
    if guess is None:
        guess = recorded_values("conv", "guess_by_distance", rate)[:, 0].mean(axis=0)
    lines.append(BandLine(s.words("guess"), "neutral", DISTANCES, guess, dash=charts.DOTTED))
    reach = MIXERS["conv"].reach
    edge = (reach + 0.5, s.words("edge"))
    titles = (s.words("words_back"), s.words("share"))
    return charts.bands(lines, titles, (3, 23), ticks=WORDS_BACK, edge=edge)


def signal_picture(s, shots, step, rate):
    """What gets back of an error, relative to the nearest words."""
    relative = local_conv_race.relative
    lines = [
        line(
            s,
            name,
            DISTANCES,
            shot and relative(shot.signal),
            relative(recorded_values(name, "signal", rate)[:, step // EVERY]),
        )
        for name, shot in shots.items()
    ]
    titles = (s.words("words_back"), s.words("signal"))
    powers = (*POWERS, s.words("zero"))
    return charts.bands(lines, titles, (3, 23), ticks=WORDS_BACK, powers=powers)
