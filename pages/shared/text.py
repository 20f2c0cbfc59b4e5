"""Reads the words on screen: every one of them lives in pages/text/<language>/<page>.toml."""

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

LANGUAGES = ("zh", "en")  # the first is the default
FOLDER = Path(__file__).parent.parent / "text"
COMMON = "common"


@lru_cache(maxsize=64)
def entries(language, page):
    """All texts of one file as {"section.name": text}."""
    path = FOLDER / language / f"{page}.toml"
    return dict(_flat(tomllib.loads(path.read_text(encoding="utf-8"))))


def _flat(table, prefix=""):
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value.strip()


class Words(NamedTuple):
    """The texts of one page in one language: `words("reach.title")`, `words("reach.says", n=3)`."""

    language: str
    page: str

    def __call__(self, key, **values):
        template = entries(self.language, self.page).get(key) or entries(self.language, COMMON)[key]
        return template.format(**values) if values else template

    def has(self, key):
        return key in entries(self.language, self.page) or key in entries(self.language, COMMON)


class CodeSpan(str):
    """Markdown that shows a token letter for letter; `token` is for places that know no Markdown."""

    token = ""


def verbatim(token):
    """A student's own text inside Markdown, shown letter for letter: a code span takes nothing for a command.

    The fence is longer than any run of backticks inside, as CommonMark asks for.
    """
    fence = "`"
    while fence in token:
        fence += "`"
    pad = " " if token.startswith("`") or token.endswith("`") else ""
    span = CodeSpan(f"{fence}{pad}{token}{pad}{fence}")
    span.token = token
    return span
