"""The words of the pronoun task in the reader's language: numbers to words, and what was typed to numbers."""

import re
from functools import lru_cache

from core.learning import pronoun


def vocabulary(words):
    """All words, in the order of their numbers; `words` gives texts."""
    return _vocabulary(tuple(words(f"pronoun.{kind}") for kind in pronoun.KINDS))


@lru_cache(maxsize=4)
def _vocabulary(kinds):
    return tuple(word for kind in kinds for word in kind.split(" / "))


def spelled(ids, vocabulary):
    """Write sentences out: (..., n) numbers -> nested lists of words."""
    return [spelled(row, vocabulary) if getattr(row, "ndim", 0) else vocabulary[row] for row in ids]


def parse(text, vocabulary):
    """Find the words of the grammar in what a student typed, with blanks between them or without.

    Returns
    -------
    ids : list of int
    unknown : list of str
        What lies between, each once.
    """
    known, ids, unknown = _known(vocabulary), [], []
    for found in known.finditer(text):
        if found.lastgroup == "word":
            ids.append(_number(found["word"], vocabulary))
        elif found["other"] not in unknown:
            unknown.append(found["other"])
    return ids, unknown


def _bare(word):
    """A word as it may be typed as well: without its article, in small letters."""
    return word.casefold().removeprefix("the ").translate({0xFF0C: ","})


@lru_cache(maxsize=4)
def _known(vocabulary):
    """A pattern for one word, the longest first, or for what is none."""
    forms = {form for word in vocabulary for form in (word.casefold(), _bare(word))} | {"\uff0c"}
    one = "|".join(
        rf"\b{re.escape(form)}\b" if form[-1].isascii() and form[-1].isalpha() else re.escape(form)
        for form in sorted(forms, key=len, reverse=True)
    )
    return re.compile(rf"\s*(?:(?P<word>{one})|(?P<other>(?:(?!{one})\S)+))", re.IGNORECASE)


def _number(form, vocabulary):
    return [_bare(word) for word in vocabulary].index(_bare(form))
