"""What a student types in the words of the pronoun grammar, read in either language."""

import numpy as np
import pytest

from core.learning.pronoun import BY, N_VOCAB, PronounSentences, write_two_nouns
from pages.shared.grammar import parse, spelled, vocabulary
from pages.shared.text import LANGUAGES, Words

HUNGRY = [1, 10, 0, 44, 45, 46, 16]


@pytest.mark.parametrize(
    ("text", "ids", "unknown"),
    [
        ("狗 追 猫 ， 因为 它 饿了", HUNGRY, []),
        ("狗追猫，因为它饿了", HUNGRY, []),
        ("狗追猫,因为它饿了", HUNGRY, []),
        ("the dog chased the cat , because it starved", HUNGRY, []),
        ("Dog chased CAT,because it starved", HUNGRY, []),
        ("狗 chased 猫 , because it 饿了", HUNGRY, []),
        ("狗 追 大 猫 ， 因为 它 忘了 忘了", HUNGRY[:-1], ["大", "忘了"]),
        ("catty itself 猫", [0], ["catty", "itself"]),
        ("猫 被 狗 追", [0, BY, 1, 10], []),
        ("", [], []),
        ("$x$ **bold** <b>", [], ["$x$", "**bold**", "<b>"]),
    ],
)
def test_words_are_found_with_or_without_blanks(text, ids, unknown):
    assert parse(text) == (ids, unknown)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_spelled_out_is_read_back(language):
    words = vocabulary(Words(language, "self_attention"))
    assert len(words) == len(set(words)) == N_VOCAB
    for number, word in enumerate(words):
        assert parse(word) == ([number], [])
    assert parse(" ".join(words))[0] == list(range(N_VOCAB))


def test_sentences_are_spelled_out():
    rng = np.random.default_rng(0)
    drawn = write_two_nouns(rng, np.array([[1, 0]]), np.array([0]), np.array([0]), 7)
    assert isinstance(drawn, PronounSentences)
    words = vocabulary(Words("zh", "self_attention"))
    assert spelled(drawn.ids, words) == [["狗", "追", "猫", "，", "因为", "它", "饿了"]]
