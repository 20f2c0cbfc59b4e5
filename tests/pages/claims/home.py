"""Home, computed a second time."""

import math

from tests.pages.claims.listening import listed, shown

PULL = 6 / math.sqrt(3)  # the only number of W_q, over the root of the width: an animal's score for a pronoun


def miniature(given):
    tokens = given.tokens
    n, asks = len(tokens), given.get("asks", 1) - 1
    animals, pronouns = (
        [i for i, token in enumerate(tokens) if token.casefold() in given.words(f"lexicon.{kind}").split()]
        for kind in ("animal", "pronoun")
    )
    due = {f"{name}_alt": {"asks": tokens[asks]} for name in ("scores", "weights", "output")}
    values = {"asks": shown(tokens[asks]), "n": n, "weight": 1 / n}
    if n == 1:
        return due | {"says_one": values}
    if asks not in pronouns:
        return due | {"says_all": values}
    if not animals:
        return due | {"says_none_found": values}
    weight = math.exp(PULL) / (len(animals) * math.exp(PULL) + n - len(animals))
    assert weight > 1 / n, "most"
    found = listed(given, [shown(tokens[i]) for i in animals])
    key = "says" if len(animals) == 1 else "says_tie"
    return due | {key: values | {"weight": weight, "score": PULL, "found": found}}


def parts(given):
    n = sum(line.startswith("- ") for line in given.words("parts.lessons").splitlines())
    return {"picture": {}, "says": {"n": n}}


SECTIONS = {"miniature": miniature, "parts": parts}

WAYS = [
    {"sentence": "hungry"},
    {"sentence": "own", "words": "cat"},
    {"sentence": "own", "words": "它 他 她", "asks": 1},
    {"asks": 1},
]
