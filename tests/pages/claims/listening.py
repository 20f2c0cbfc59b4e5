"""Hears every text of a page that has values in it, and compares it with what a claim says is due."""

import math
import re
from contextlib import contextmanager
from string import Formatter
from typing import NamedTuple

import pytest

from core.sentences import read_sentence
from pages.shared.text import COMMON, Words, entries
from tests.pages import app

BEGINS = "app"  # the first text of every run, the name of the window
UNCLAIMED = ("footer", "and")  # the version at the foot of every page; what joins two words
# Claims even where they have no numbers: sentences, titles of pictures.
FIXED = re.compile(r"(.*\.)?((says|did)(_\w+)?|(\w+_)?picture|outside|moves|changes_(none|some))")


class Told(NamedTuple):
    """A text that was filled in."""

    key: str  # "through.says"
    template: str
    values: dict
    text: str


def fields(template):
    """{name: format code} of the blanks of a text."""
    return {name: code for _, name, code, _ in Formatter().parse(template) if name is not None}


def is_claim(key, template):
    return bool(fields(template) or FIXED.fullmatch(key)) and key not in UNCLAIMED


@contextmanager
def listening():
    """Collect every claim that is made from here on: texts with blanks, sentences, titles of pictures."""
    heard, fill = [], Words.__call__

    def watched(words, key, **values):
        text = fill(words, key, **values)
        if key == BEGINS:  # an input may ask for a second run before the first one is over
            heard.clear()
        template = entries(words.language, words.page).get(key) or entries(words.language, COMMON)[key]
        if is_claim(key, template):
            heard.append(Told(key, template, values, text))
        return text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Words, "__call__", watched)
        yield heard


class Given:
    """The inputs of a page as they stand, its words, and the sentence."""

    def __init__(self, at, page, language, **more):
        self.at, self.page, self.words = at, page, Words(language, page)
        self.more = more  # what a page was made to measure or to train

    def __getitem__(self, name):
        return self.at.session_state[f"{self.page}.{name}"]

    def has(self, name):
        """Whether the page shows this input."""
        return f"{self.page}.{name}" in app.inputs(self.at)

    def get(self, name, otherwise):
        """The value of an input, or what stands for it where there is nothing to choose."""
        return self[name] if self.has(name) else otherwise

    def grid(self, name):
        return self.at.session_state[f"{self.page}.{name}.good"]

    @property
    def tokens(self):
        chosen = self.at.session_state["sentence"]
        own = chosen == "own"
        text = self.at.session_state["words"] if own else self.words(f"sentences.{chosen}.text")
        return list(read_sentence(text).tokens)


def shown(token):
    """A student's word as it stands in a sentence."""
    return f"`{token}`"


def listed(given, parts, most=4):
    """Parts joined as the page joins them; "…" stands for the rest."""
    text = parts[0]
    for part in parts[1:most]:
        text = given.words("and", a=text, b=part)
    return text + "…" * (len(parts) > most)


def same_value(told, due, code):
    """Equal as printed, or so close that rounding may fall either way. A claim may also be a condition."""
    if callable(due):
        return due(told)
    if format(told, code) == format(due, code):
        return True
    numbers = not isinstance(told, str) and not isinstance(due, str)
    return numbers and math.isclose(told, due, rel_tol=1e-9, abs_tol=1e-13)


def fits(told, due):
    blanks = fields(told.template)
    assert blanks.keys() <= due.keys(), f"{told.key}: nothing is known of {blanks.keys() - due.keys()}"
    return all(same_value(told.values[name], due[name], code) for name, code in blanks.items())


def due_texts(sections, given):
    """[(full key, values)] of all that the sections have to say."""
    for name, section in sections.items():
        for key, values in section(given).items():
            full = f"{name}.{key}" if given.words.has(f"{name}.{key}") else key
            for one in values if isinstance(values, list) else [values]:
                yield full, one


def compare(heard, sections, given):
    """Hold that exactly what is due was said, with its values; return the keys."""
    left = list(heard)
    for key, values in due_texts(sections, given):
        there = [told for told in left if told.key == key]
        assert there, f"not said: {key}, {values}; said were {sorted({told.key for told in left})}"
        right = [told for told in there if fits(told, values)]
        assert right, f"{key}: said was {[told.values for told in there]}, due is {values}"
        left.remove(right[0])
    assert not left, f"said, though not due: {[told.text for told in left]}"
    return {told.key for told in heard}
