"""The trained dictionary on its page: recorded, untrained, or trained here, and never half and half."""

import re
from itertools import islice
from types import SimpleNamespace

import pytest

from core.experiments.soft_lookup_trained import EVERY, N_STEPS, N_STEPS_OTHERS, N_TRIED, guesses, run
from pages.shared import live_run
from pages.shared.text import Words
from tests.pages import app

MODELS = 4


def words(key):
    return Words("en", "soft_lookup")(f"trained.{key}")


def sources(at):
    """What the table says of the four runs: (step, end, source)."""
    source = words("columns.source")
    (table,) = [text.value for text in at.markdown if text.value.startswith("|") and source in text.value]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.splitlines()]
    step, source = (rows[0].index(words(f"columns.{name}")) for name in ("step", "source"))
    return [(*map(int, row[step].split("/")), row[source]) for row in rows[2:]]


def rights(at):
    """Right answers of the four models, as the title of the curves has them."""
    start = words("curves_picture").split("{n_tried}")[0]
    (title,) = [text for text in app.said(at) if text.startswith(f"**{start}")]
    return [int(number) for number in re.findall(r"\d+", title)][1:]


@pytest.fixture
def page():
    return app.look_at(app.open_app("soft_lookup", "en", {"soft_lookup.entries": "8"}))


def test_the_recorded_run_is_there_at_once(page):
    ends = [N_STEPS, *[N_STEPS_OTHERS] * 3]
    assert sources(page) == [(end, end, words("sources.recorded")) for end in ends]
    attention, *others = rights(page)
    assert attention > 0.99 * N_TRIED
    assert max(others) < 2 * guesses(8)[1] * N_TRIED


def test_another_seed_stands_untrained_until_it_is_trained(page):
    at = app.look_at(page.slider("soft_lookup.trained_seed").set_value(7).run())
    assert [(step, source) for step, _, source in sources(at)] == [(0, words("sources.none"))] * MODELS
    assert max(rights(at)) < 0.2 * N_TRIED


def test_while_it_trains_nothing_recorded_stands_beside_it(monkeypatch):
    """Attention has ended, the GRU is at work, the other two wait."""
    seen = {"attention": list(run("attention", 8, 0)), "gru": list(islice(run("gru", 8, 0), 3))}

    def look(job, reader=None):
        name = job.settings[0]
        found = live_run.Run(job)
        found.seen, found.started = seen.get(name, []), 0.0
        found.state = {"attention": live_run.DONE, "gru": live_run.RUNNING}.get(name, live_run.WAITING)
        return found

    pool = SimpleNamespace(look=look, peek=look, place=lambda run: 1)
    monkeypatch.setattr(live_run, "runs", lambda: pool)
    at = app.look_at(app.open_app("soft_lookup", "en"))
    live, none = words("sources.live"), words("sources.none")
    told = [(N_STEPS, N_STEPS, live), (2 * EVERY, N_STEPS_OTHERS, live), *[(0, N_STEPS_OTHERS, none)] * 2]
    assert sources(at) == told
    assert rights(at)[:2] == [round(seen[name][-1].accuracy * N_TRIED) for name in ("attention", "gru")]
    assert f"{N_STEPS}," in next(text for text in app.said(at) if text.startswith("Source: trained here"))
