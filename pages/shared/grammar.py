"""The words of the pronoun task in the reader's language: numbers to words, and what was typed to numbers."""

import re
from functools import lru_cache

from core.learning import pronoun
from pages.shared.text import COMMON, LANGUAGES, Words

FULL_WIDTH_COMMA = "\uff0c"


def vocabulary(words):
    """All words, in the order of their numbers; `words` gives texts."""
    return _vocabulary(tuple(words(f"pronoun.{kind}") for kind in pronoun.KINDS))


@lru_cache(maxsize=4)
def _vocabulary(kinds):
    return tuple(word for kind in kinds for word in kind.split(" / "))


def spelled(ids, vocabulary):
    """Write sentences out: (..., n) numbers -> nested lists of words."""
    return [spelled(row, vocabulary) if getattr(row, "ndim", 0) else vocabulary[row] for row in ids]


def parse(text):
    """Find the words of the grammar in what a student typed, with blanks between them or without.

    Words of either language count, so that a sentence stays what it is when the language is switched.

    Returns
    -------
    ids : list of int
    unknown : list of str
        What lies between, each once.
    """
    numbers, known = _known()
    ids, unknown = [], []
    for found in known.finditer(text):
        if found.lastgroup == "word":
            ids.append(numbers[_bare(found["word"])])
        elif found["other"] not in unknown:
            unknown.append(found["other"])
    return ids, unknown


def _bare(word):
    """A word as it may be typed as well: without its article, in small letters."""
    return word.casefold().removeprefix("the ").replace(FULL_WIDTH_COMMA, ",")


@lru_cache(maxsize=1)
def _known():
    """Numbers of the words by their bare form, and a pattern for one word, the longest first, or for none."""
    vocabularies = [vocabulary(Words(language, COMMON)) for language in LANGUAGES]
    numbers = {_bare(word): i for words in vocabularies for i, word in enumerate(words)}
    forms = {*numbers, *(word.casefold() for words in vocabularies for word in words), FULL_WIDTH_COMMA}
    one = "|".join(
        rf"\b{re.escape(form)}\b" if form[-1].isascii() and form[-1].isalpha() else re.escape(form)
        for form in sorted(forms, key=len, reverse=True)
    )
    return numbers, re.compile(rf"\s*(?:(?P<word>{one})|(?P<other>(?:(?!{one})\S)+))", re.IGNORECASE)
