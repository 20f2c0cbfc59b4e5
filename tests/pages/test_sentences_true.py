"""Every sentence true: each text with a number in it is computed a second time and compared as printed.

What is due, and when, stands in `tests/pages/claims`, one module a page. Here every page is taken to every
branch of its sentences and to settings drawn at random, and everything that it says is held against that.
"""

import importlib
import random
from types import SimpleNamespace

import pytest

from pages.shared import live_run
from pages.shared.frame import PAGES
from pages.shared.text import entries
from tests.pages import app
from tests.pages.claims.listening import Given, compare, is_claim, listening
from tests.pages.claims.measured import whole_run

N_RANDOM = 3


def options_of(widget):
    """All values an input can take; for a slider of fractions its steps."""
    if widget.type == "slider":
        n_steps = round((widget.max - widget.min) / widget.step)
        return [type(widget.value)(round(widget.min + i * widget.step, 6)) for i in range(n_steps + 1)]
    return [False, True] if widget.type == "toggle" else list(widget.options)


def settings_at_random(at, rng):
    """Any value for every input; the sentence stays, for the words it holds are not drawn."""
    return {
        key: rng.choice(options_of(widget))
        for key, widget in app.inputs(at).items()
        if widget.type != "text_input" and key != "sentence"
    }


def of_page(page, settings):
    """The settings as a link names them."""

    def text(value):
        return str(value).lower() if isinstance(value, bool) else str(value)

    shared = ("sentence", "words")
    return {key if key in shared else f"{page}.{key}": text(value) for key, value in settings.items()}


class Visit:
    """A page, and everything that it said."""

    def __init__(self, page, language, run):
        self.page, self.language = page, language
        self.claims = importlib.import_module(f"tests.pages.claims.{page}")
        self.keys, self.run = set(), run
        self.open({})

    def open(self, settings):
        """Come by a link with these settings."""
        given = dict(settings)
        self.measure(given.pop("measured", {}), given.pop("told", None), given.pop("failed", False))
        self.at = app.open_app(self.page, self.language, of_page(self.page, given))
        self.look({}, settings)

    def measure(self, came_out, told, failed):
        """What page 5 finds measured: the first `told` records."""
        self.run.seen = whole_run(**came_out)[:told]
        self.run.done, self.run.failed = told is None or failed, failed

    def look(self, settings, where=None):
        """Put the inputs there, all others stay, and check what is said."""
        for key, value in settings.items():
            self.at.session_state[key] = value
        with listening() as heard:
            self.at.run()
        assert not self.at.exception and not self.at.error, where or settings
        given = Given(self.at, self.page, self.language, run=self.run)
        try:
            self.keys |= compare(heard, self.claims.SECTIONS, given)
        except AssertionError as error:
            raise AssertionError(f"with {where or settings}: {error}") from error


@pytest.mark.parametrize("page", PAGES)
def test_whatever_is_said_is_due_and_true(page, monkeypatch):
    run = SimpleNamespace()
    monkeypatch.setattr(live_run, "child_run", lambda module: run)
    visit = Visit(page, "zh", run)
    for settings in visit.claims.WAYS:
        visit.open(settings)
    rng = random.Random(31)
    for _ in range(N_RANDOM):
        visit.look(settings_at_random(visit.at, rng))
    if hasattr(visit.claims, "train"):
        visit.claims.train(Given(visit.at, page, visit.language))
        visit.look({})
    claims = {key for key, text in entries("zh", page).items() if is_claim(key, text)}
    assert claims - visit.keys == set(), "never said here"
