"""One point of the sweeps from near: what is learned by heart, and what carries over to new questions."""

import numpy as np
import pandas as pd

from core.experiments import bias_and_cost_point as point
from core.experiments.bias_and_cost_data import SIZES, TASKS, n_parameters, steps_of
from core.experiments.bias_and_cost_exam import shares_right
from pages.sections.bias_and_cost.data_pictures import LOOKS
from pages.sections.bias_and_cost.data_runs import NAMES
from pages.shared import charts, training
from pages.shared.amounts import two_decimals
from pages.shared.charts import BandLine

LEARNED, GAP = 0.9, 0.1  # a share right that is "learned"; a difference that is more than chance


def one_point(s):
    with s.inputs:
        task = s.ask.choice("point_task", tuple(TASKS), "local")
        name = s.ask.choice("point_model", NAMES, "absolute")
        size = s.ask.pick("point_examples", SIZES, 128)
        seed = s.ask.seed("point_seed")
        settings = (TASKS[task], name, size, seed)
        recording = point.RECORDED.get(settings)
        watched = training.watch(s, point.run, *settings, recording=recording, snapshot=point.PointSnapshot)
    with s.picture:
        draw(s, watched.seen, task, name, size)
        step = watched.seen[-1].step if watched.seen else 0
        training.stamp(s, watched, seed=seed, step=step, parameters=n_parameters(TASKS[task], name))
    say(s, watched.seen, name, size)
    s.details(code=[point.run, steps_of, shares_right], numbers=lambda: pd.DataFrame(watched.seen))
    s.tick_while(watched.running)


def draw(s, seen, task, name, size):
    """Shares right over the steps: of the examples, and of new questions."""
    hue, _ = LOOKS[name]
    steps = np.array([shot.step for shot in seen] or [0])
    lines = [
        BandLine(s.words("new"), hue, steps, shares_of(seen, "test")),
        BandLine(s.words("own"), hue, steps, shares_of(seen, "accuracy"), dash=charts.DASHED),
    ]
    end = seen[-1].end if seen else 1
    picture = charts.bands(lines, (s.words("step"), s.words("share_axis")), (0, end))
    facts = {"size": size, "model": s.words(f"names.{name}"), "task": s.words(f"tasks.{task}")}
    own, new = (two_decimals(shares_of(seen, field)[-1]) for field in ("accuracy", "test"))
    s.chart(picture, own=own, new=new, **facts)


def shares_of(seen, field):  # -> (n,)
    return np.array([getattr(shot, field) for shot in seen] or [np.nan])


def say(s, seen, name, size):
    """The sentence: learned by heart, understood, or not even learned."""
    if not seen:
        s.says("says_none")
        return
    now = seen[-1]
    if now.step < now.end:
        kind = "says_under_way"
    elif now.accuracy < LEARNED:
        kind = "says_not_learned"
    elif now.accuracy - now.test > GAP:
        kind = "says_by_heart"
    else:
        kind = "says_carries_over"
    s.says(
        kind,
        model=s.words(f"names.{name}"),
        size=size,
        step=now.step,
        end=now.end,
        own=now.accuracy,
        new=now.test,
    )
