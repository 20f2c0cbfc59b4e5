"""From a student's text to tokens: whole signs, nothing taken for a command, a stated limit."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.sentences import (
    MAX_TOKENS,
    characters,
    graphemes,
    is_punctuation,
    read_sentence,
    shorten,
    word_vectors,
)

SETTINGS = settings(max_examples=80, deadline=None, derandomize=True)
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"  # man, joiner, woman, joiner, girl: 5 code points
FLAG = "\U0001f1e8\U0001f1f3"  # the flag of China: 2 regional indicators
ACCENTED, READY_MADE = "e\u0301", "\u00e9"  # e with a combining accent, and the ready-made letter
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"  # a flag with tags
DARK_THUMB = "\U0001f44d\U0001f3ff"  # thumb and skin tone
PIECES = [*"ab7 \n　猫狗，。.!;:&-_$`<[", FAMILY, FLAG[0], FLAG, ACCENTED, "\u0301", "\u200d", "ﷺ", "א", "𠮷"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=90).map("".join)


def tokens(text):
    return list(read_sentence(text).tokens)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("猫 累了，因为 它 跑了 一天", ["猫", "累了", "，", "因为", "它", "跑了", "一天"]),
        ("狗 追 猫 ， 因为 它 饿了", ["狗", "追", "猫", "，", "因为", "它", "饿了"]),
        ("The cat, tired, sat.", ["The", "cat", ",", "tired", ",", "sat", "."]),
        ("  a\tb\n c　d ", ["a", "b", "c", "d"]),  # any kind of blank, the full-width one included
        ("3,14 it's e.g. 9", ["3,14", "it's", "e.g", ".", "9"]),  # a sign inside a word belongs to it
        ("he said “no”", ["he", "said", "“", "no", "”"]),
    ],
)
def test_blanks_separate_words_and_punctuation_is_a_token(text, expected):
    found = read_sentence(text)
    assert list(found.tokens) == expected
    assert found.n_found == len(expected)
    assert not found.by_character


def test_chinese_without_a_blank_is_taken_by_character():
    found = read_sentence("猫累了，因为GPT4跑了")
    assert list(found.tokens) == ["猫", "累", "了", "，", "因", "为", "GPT4", "跑", "了"]
    assert found.by_character
    assert read_sentence("猫").by_character
    assert not read_sentence("unbroken").by_character
    assert not read_sentence("猫 追").by_character


def test_a_long_text_is_cut_and_says_how_much_was_there():
    """Fault 37: 600 words are cut to the first 64."""
    found = read_sentence(" ".join(f"w{i}" for i in range(600)))
    assert MAX_TOKENS == 64
    assert found.n_found == 600
    assert list(found.tokens) == [f"w{i}" for i in range(64)]


@pytest.mark.parametrize(("sign", "n_tokens"), [("a", 1), ("猫", 64), ("é", 1), ("!", 0)])
def test_ten_thousand_signs_without_a_blank(sign, n_tokens):
    """Fault 37: survived, and quickly (a form that is quadratic takes seconds)."""
    found = read_sentence(sign * 10_000)
    assert len(found.tokens) == n_tokens
    assert len(graphemes(sign * 10_000)) == 10_000


def test_repeated_words_stay_apart():
    """Fault 38: position and word are the identity, not the word."""
    assert tokens("the cat saw the") == ["the", "cat", "saw", "the"]


@pytest.mark.parametrize(
    "token",
    [
        *("<i>cat</i>", "1<2<3", "cat<!--", "&lt;", "<img/src=x/onerror=alert(1)>"),
        *("$a$", ":smile:", "*x*", "[y]", "[x](y)", "a_b_c", "~~z~~", "#h", "`", "<b>", "{q}", "\\n"),
        *("[SEP]", "[MASK]", "<|endoftext|>", "##ing"),
    ],
)
def test_nothing_typed_is_taken_apart_or_for_a_command(token):
    """Faults 40, 41 and 47: markup, Markdown and special tokens are ordinary words, letter for letter."""
    assert tokens(f"x {token} cat") == ["x", token, "cat"]


def test_characters_come_back_whole():
    """Fault 43: no replacement sign, no marker for blanks; joined, the tokens are the text."""
    assert tokens("狗追猫") == ["狗", "追", "猫"]
    assert tokens("un café noir") == ["un", "café", "noir"]
    assert " ".join(tokens("𠮷野 家 café 狗")) == "𠮷野 家 café 狗"  # 𠮷 lies beyond the basic plane


@pytest.mark.parametrize("sign", [FAMILY, FLAG, SCOTLAND, DARK_THUMB, "नि", "❤\ufe0f"], ids=ascii)
def test_a_sign_of_several_code_points_is_one_token(sign):
    """Fault 44: seen as one, counted as one, and never cut by a short label."""
    assert tokens(f"a {sign} b") == ["a", sign, "b"]
    assert shorten(sign + "abc", 2) == shorten(sign + "xyz", 2)
    assert shorten(sign + "abc", 2).startswith(sign)


def test_one_sign_each():
    """Fault 44: two flags in a row are two signs, an accent joins its letter."""
    assert graphemes(FLAG + FLAG) == [FLAG, FLAG]
    assert graphemes(FAMILY + FLAG + ACCENTED) == [FAMILY, FLAG, ACCENTED]
    assert characters(f"猫{FAMILY}{FLAG}狗") == ["猫", FAMILY, FLAG, "狗"]


def test_two_spellings_of_a_letter_are_one_token():
    """Fault 44: e + accent equals the ready-made letter (NFC)."""
    assert len(ACCENTED) == 2
    assert tokens(f"caf{ACCENTED}") == tokens(f"caf{READY_MADE}") == [f"caf{READY_MADE}"]


def test_right_to_left_words_keep_reading_order():
    """Fault 46: first word first, whatever the script."""
    assert tokens("القط يطارد الكلب x") == ["القط", "يطارد", "الكلب", "x"]
    assert tokens("החתול רדף dog") == ["החתול", "רדף", "dog"]


@pytest.mark.parametrize("text", ["", "   ", "\n", "\t\n　", "...", "。！？", "—— “ ”", "! ?", ".,;"])
def test_nothing_to_read(text):
    """Fault 83: blank, a line break or nothing but punctuation gives no token, and no error."""
    assert read_sentence(text) == ((), read_sentence(text).n_found, read_sentence(text).by_character)
    assert tokens(text) == []


@SETTINGS
@given(TEXTS)
def test_any_text_can_be_read(text):
    found = read_sentence(text)
    together = "".join("".join(found.tokens).split())
    whole = "".join(unicodedata.normalize("NFC", text).split())
    assert all(token and token == token.strip() for token in found.tokens)
    assert len(found.tokens) == min(found.n_found, MAX_TOKENS)
    if found.n_found <= MAX_TOKENS and found.tokens:
        assert together == whole  # nothing lost, nothing added
    if not found.tokens:
        assert all(is_punctuation(sign) for sign in whole)


@SETTINGS
@given(TEXTS, st.integers(2, 12))
def test_short_labels_are_short_and_begin_like_the_word(text, n_signs):
    assert "".join(graphemes(text)) == text
    short = shorten(text, n_signs)
    assert short == text or graphemes(text)[: n_signs - 1] == graphemes(short.removesuffix("…"))


def test_vectors_depend_on_word_and_seed_only():
    vectors = word_vectors(["猫", "狗", "猫"], 7)
    assert vectors.shape == (3, 7)
    np.testing.assert_array_equal(vectors[0], vectors[2])
    np.testing.assert_array_equal(vectors[1], word_vectors(["狗"], 7)[0])
    assert not np.isclose(vectors[0], vectors[1]).any()
    assert not np.isclose(word_vectors(["猫"], 7, seed=1), vectors[0]).any()
    assert not np.isclose(word_vectors(["ab"], 7), word_vectors(["ba"], 7)).any()
    assert word_vectors([], 7).shape == (0, 7)


def test_vectors_are_standard_normal():
    entries = word_vectors([f"w{i}" for i in range(101)], 101).ravel()
    # 10,201 entries: the mean has standard error 0.0099, the variance sqrt(2) times that
    assert abs(entries.mean()) < 4 * 0.0099
    assert abs(entries.var() - 1) < 4 * 0.014
