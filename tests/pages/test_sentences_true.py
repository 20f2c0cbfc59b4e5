"""Every sentence true: each text with a number in it is computed a second time and compared as printed.

What is due, and when, stands in `tests/pages/claims`, one module a page. Here every page is taken to every
branch of its sentences and to settings drawn at random, and everything that it says is held against that.
"""

import importlib
import random
import re
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import live_run
from pages.shared.frame import PAGES as FILES
from pages.shared.text import COMMON, LANGUAGES, entries
from tests.pages import app
from tests.pages.claims.listening import Given, compare, is_claim, listening
from tests.pages.claims.measured import whole_run
from tests.pages.claims.precise import CLAUSES, FORBIDDEN

N_RANDOM = 2


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
        """Come by a link with these settings, as the very first request."""
        given = dict(settings)
        typed = given.pop("typed", None)
        self.measure(given.pop("measured", {}), given.pop("told", None), given.pop("failed", False))
        self.at = AppTest.from_file(app.ROOT / FILES["home"], default_timeout=60)
        for key, value in of_page(self.page, given).items():
            self.at.query_params[key] = value
        if self.page != "home":
            self.at.switch_page(FILES[self.page])
        self.look({}, settings)
        if typed is not None:  # into the box for a student's own text, which is too long for a link
            self.look({f"{self.page}.gpt_text": typed}, settings)

    def measure(self, came_out, told, failed):
        """What page 5 finds measured: the first `told` records."""
        self.run.seen = whole_run(**came_out)[:told]
        self.run.is_over, self.run.has_failed = told is None or failed, failed

    def look(self, settings, where=None):
        """Put the inputs there, all others stay, and check what is said."""
        for key, value in settings.items():
            self.at.session_state[key] = value
        with listening() as heard:
            self.at.run()
        assert not self.at.exception and not self.at.error, where or settings
        given = Given(self.at, self.page, self.language, run=self.run)
        assert self.at.title[0].value == given.words("title")
        try:
            self.keys |= compare(heard, self.claims.SECTIONS, given)
        except AssertionError as error:
            raise AssertionError(f"with {where or settings}: {error}") from error


@pytest.mark.parametrize("page", FILES)
def test_whatever_is_said_is_due_and_true(page, monkeypatch):
    run = SimpleNamespace()
    monkeypatch.setattr(live_run, "common_run", lambda function: run)
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


# --- wording -----------------------------------------------------------------------------------


@pytest.mark.parametrize("clause", CLAUSES)
def test_short_wordings_are_made_precise(clause):
    page, key, *wanted = CLAUSES[clause]
    for language, words in zip(LANGUAGES, wanted, strict=True):
        text = entries(language, page)[key]
        assert [word for word in words if word not in text] == [], f"{language}: {text}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [*FILES, COMMON])
def test_nothing_is_oversold(name, language):
    for key, text in entries(language, name).items():
        assert not re.search(FORBIDDEN[language], text), key


def test_the_forbidden_words_are_found():
    oversold = {
        "zh": ("准确率 100%", "卷积永远不行", "模型真的理解了", "注意力总能找到"),
        "en": (
            "100 % right",
            "A convolution can never",
            "The Transformer understands",
            "Attention always finds",
        ),
    }
    for language, texts in oversold.items():
        assert all(re.search(FORBIDDEN[language], text) for text in texts)
