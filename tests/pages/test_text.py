"""A student's own words inside Markdown, and the file of texts."""

import re

import pytest

from core.sentences import read_sentence
from pages.shared.text import FOLDER, LANGUAGES, Words, entries, verbatim

TOKENS = [
    *("$a$", "$$x^2$$", ":smile:", ":material/home:", "*x*", "[y]", "[x](y)", "a_b_c", "~~z~~", "#h", "\\n"),
    *("<b>", "<i>cat</i>", "1<2<3", "cat<!--", "<img src=x onerror=alert(1)>", "&lt;"),
    *("`", "``", "`a`", "a`b", "a``b`c", "```", "|", ":red[x]", "猫", "القط", "\U0001f468\u200d\U0001f469"),
]


def code_span(markdown):
    """Read a text as CommonMark's one code span: fence, content with one blank less on both sides, fence."""
    fence = re.match("`+", markdown).group()
    content = markdown[len(fence) : -len(fence)]
    assert markdown.endswith(fence)
    assert fence not in re.findall("`+", content), "the span ends too early"
    padded = content.startswith(" ") and content.endswith(" ") and content.strip(" ")
    return content[1:-1] if padded else content


@pytest.mark.parametrize("token", TOKENS)
def test_tokens_are_shown_letter_for_letter(token):
    """Faults 40, 41 and 46: dollars, colons, brackets, stars, markup and backticks are what was typed."""
    assert code_span(verbatim(token)) == token
    assert "\n" not in verbatim(token)


def test_a_fence_is_longer_than_any_run_inside():
    assert verbatim("cat") == "`cat`"
    assert verbatim("a`b") == "``a`b``"
    assert verbatim("`") == "`` ` ``"
    assert verbatim("a``") == "``` a`` ```"


def test_what_is_typed_reaches_the_span_unchanged():
    for token in TOKENS:
        read = read_sentence(f"x {token} y").tokens
        assert all(code_span(verbatim(one)) == one for one in read)


def test_a_text_is_found_on_its_page_first_and_filled_in():
    words = Words("en", "soft_lookup")
    assert words("title") == "Attention is a soft dictionary"
    assert words("nav.home") == "Home"  # from the common file
    assert words("temperature.picture_alt", mean=0.25, tau=2).endswith("would be 0.25. Now τ = 2.00.")
    assert words.has("nav.home")
    assert not words.has("nav.nowhere")
    with pytest.raises(KeyError):
        words("nowhere")


def test_braces_in_a_students_word_are_left_alone():
    words = Words("en", "soft_lookup")
    assert words("three_steps.work", name=verbatim("{q}")) == "Entry `{q}` worked out"


def test_texts_are_read_once_as_utf8():
    assert entries("zh", "soft_lookup") is entries("zh", "soft_lookup")
    for language in LANGUAGES:
        assert sorted(path.name for path in (FOLDER / language).glob("*.toml")) == sorted(
            path.name for path in (FOLDER / "zh").glob("*.toml")
        )


def test_a_token_is_known_without_its_markdown():
    span = verbatim("a`b")
    assert span == "``a`b``"
    assert span.token == "a`b"
