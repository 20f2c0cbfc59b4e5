"""Is one layer enough? The same training with one block instead of two."""

import pandas as pd

from core.experiments import pronoun_link
from core.experiments.pronoun_link import ONE_LAYER_STEPS
from core.learning import pronoun
from pages.sections.self_attention import runs
from pages.shared import charts

WORSE, BETTER = 0.35, 0.65  # far from what a guess between two gets on 200 sentences


def one_layer(s):
    with s.inputs:
        seed = s.ask.seed("one_layer_seed")
        watched = runs.watch_link(s, seed, n_layers=1)
    seen, now = watched.seen, watched.seen[-1]
    best = int(now.on_referent[0].argmax())
    referent, other = float(now.on_referent[0][best]), float(now.on_other[0][best])
    with s.picture:
        names = s.words("accuracy"), s.words("coin")
        rows = [(step.step, step.accuracy, names[0]) for step in seen]
        rows += [(x, pronoun.BLIND_TO_REASON, names[1]) for x in (0, ONE_LAYER_STEPS)]
        data = pd.DataFrame(rows, columns=["x", "y", "name"])
        series = [(names[0], "attention"), (names[1], "neutral")]
        titles = (s.words("step"), s.words("share"))
        picture = charts.curves(data, series, titles, domains=((0, ONE_LAYER_STEPS), (0, 1)), height=320)
        facts = {"step": now.step, "accuracy": now.accuracy}
        s.chart(picture, name_of(now.accuracy), coin=pronoun.BLIND_TO_REASON, **facts)
        runs.stamp(s, watched, seed, now, n_layers=1)
    facts |= {"seed": seed, "referent": referent, "other": other}
    s.says("says_start" if not now.step else "says_way" if now.accuracy > BETTER else "says", **facts)
    s.details(code=[pronoun_link.train_link, pronoun.with_other_reasons], numbers=lambda: data)
    s.tick_while(watched.running)


def name_of(accuracy):
    """What the picture shows: no guess between two yet, just that, or more."""
    if accuracy < WORSE:
        return "so_far_picture"
    return "way_picture" if accuracy > BETTER else "picture"
