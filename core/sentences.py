"""From what a student types to tokens, and from tokens to vectors.

There is no hidden vocabulary: a token is what stands between blanks, exactly as typed. Used by every page
that takes a sentence.
"""

import unicodedata
from typing import NamedTuple

import numpy as np

MAX_TOKENS = 64  # n x n numbers are drawn for n tokens: the limit is itself the lesson on cost
CLOSING = frozenset(",.!?;:")  # ASCII signs that end a word: "cat," is two tokens, "3,14" is one
CJK_PUNCTUATION = frozenset("，。！？；：、…—“”‘’「」『』《》〈〉（）【】")  # a token wherever it stands
ZERO_WIDTH_JOINER = "\u200d"


class Sentence(NamedTuple):
    """Tokens of a text, and what had to be done to get them."""

    tokens: tuple[str, ...]
    n_found: int  # before the cut to MAX_TOKENS
    by_character: bool  # Chinese without any blank: one token a character


def read_sentence(text, limit=MAX_TOKENS):
    """Cut a text into tokens.

    Blanks separate words, punctuation is a token of its own, and Chinese without any blank is taken
    character by character.

    Parameters
    ----------
    text : str
        Anything. It is normalised to NFC, so that a letter typed as two code points equals the ready-made
        one.
    limit : int
        Tokens beyond this number are dropped; `n_found` tells how many there were.

    Returns
    -------
    Sentence
        Without tokens if the text holds no word (blank, or nothing but punctuation).
    """
    text = unicodedata.normalize("NFC", text)
    words = text.split()
    by_character = len(words) == 1 and any(map(is_han, text))
    cut = characters if by_character else split_punctuation
    tokens = [token for word in words for token in cut(word)]
    if all(is_punctuation(token) for token in tokens):
        tokens = []
    return Sentence(tuple(tokens[:limit]), len(tokens), by_character)


def split_punctuation(word):
    """ "累了，因为" -> 累了 | ， | 因为, and "cat," -> cat | , (but see `is_wrapped`)."""
    tail = []
    while len(word) > 1 and word[-1] in CLOSING and not is_wrapped(word):
        tail.append(word[-1])
        word = word[:-1]
    pieces, start = [], 0
    for i, sign in enumerate(word):
        if sign in CJK_PUNCTUATION:
            pieces += [word[start:i], sign]
            start = i + 1
    pieces.append(word[start:])
    return [piece for piece in pieces if piece] + tail[::-1]


def is_wrapped(word):
    """Whether the last sign answers to the first and so belongs to the word: ":smile:", "&lt;", "..."."""
    return word[0] == word[-1] or word[0] + word[-1] == "&;"


def characters(word):
    """Chinese characters one by one; letters and digits of other scripts stay together as words."""
    pieces = []
    for sign in graphemes(word):
        joins = pieces and is_word_letter(sign) and is_word_letter(pieces[-1][-1])
        if joins:
            pieces[-1] += sign
        else:
            pieces.append(sign)
    return pieces


def graphemes(text):
    """What a reader sees as one sign, which may be several code points (family emoji, flags, accents).

    A short form of Unicode's rules (UAX 29): marks, variation selectors, skin tones and tags join what
    stands before them, a zero-width joiner joins both sides, regional indicators pair up.
    """
    signs = []
    for point in text:
        joins = signs and (
            extends(point)
            or signs[-1][-1] == ZERO_WIDTH_JOINER
            or (is_flag_letter(point) and len(signs[-1]) == 1 and is_flag_letter(signs[-1]))
        )
        if joins:
            signs[-1] += point
        else:
            signs.append(point)
    return signs


def shorten(token, n_signs=10):
    """A label for small places: never cut inside a sign."""
    signs = graphemes(token)
    return token if len(signs) <= n_signs else "".join(signs[: n_signs - 1]) + "…"


def extends(point):
    return (
        unicodedata.category(point) in ("Mn", "Me", "Mc")
        or point == ZERO_WIDTH_JOINER
        or 0x1F3FB <= ord(point) <= 0x1F3FF  # skin tones
        or 0xE0020 <= ord(point) <= 0xE007F  # tags (flags of regions)
    )


def is_flag_letter(sign):
    return 0x1F1E6 <= ord(sign[0]) <= 0x1F1FF


def is_han(sign):
    return 0x3400 <= ord(sign) <= 0x9FFF or 0x20000 <= ord(sign) <= 0x323AF


def is_word_letter(sign):
    return sign[0].isalnum() and not is_han(sign[0])


def is_punctuation(token):
    return all(unicodedata.category(sign)[0] == "P" for sign in token)


def word_vectors(tokens, d_model, seed=0):
    """Random vectors, the same for the same word in every sentence: (n, d_model), entries from N(0, 1).

    A word's generator is seeded by `seed` and the word's own code points, so that neither its neighbours
    nor its place matter.
    """
    rows = [np.random.default_rng([seed, *map(ord, token)]).standard_normal(d_model) for token in tokens]
    return np.array(rows).reshape(len(tokens), d_model)
