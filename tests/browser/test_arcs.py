"""The sentence with arcs on page 3: picked by mouse and by keyboard, whatever the words are made of."""

import pytest

from core.sentences import shorten
from tests.browser.visit import PHONE, measure, path_of

ASKS = "self_attention.asks"
# What Markdown, HTML, LaTeX, icons and writing direction could each take for a command.
ODD = ["$a$", "<b>x</b>", "&lt;", ":smile:", "[x](y)", "**s**", "#", "a_b_c", "~~z~~", "`q`"]
ODD += [
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\u0645\u0631\u062d\u0628\u0627",
    "\u732b",
]  # family, hello, cat


class Arcs:
    """The picker of the section "everyone to everyone"."""

    def __init__(self, screen):
        self.screen = screen
        self.place = screen.input("self_attention.everyone.arcs")
        self.words = self.place.get_by_role("option")
        self.list = self.place.get_by_role("listbox")
        self.words.first.wait_for()

    def asks(self):
        """The picked word, counted from 1."""
        selected = [word.get_attribute("aria-selected") for word in self.words.all()]
        assert selected.count("true") == 1
        return selected.index("true") + 1

    def paths(self):
        """(weight, thickness) of every arc."""
        read = "(all) => all.map((path) => [+path.dataset.weight, +path.getAttribute('stroke-width')])"
        return self.place.locator("path").evaluate_all(read)

    def wait_for(self, number):
        """Until word and slider agree and the section has been drawn again."""
        screen = self.screen
        screen.until(lambda: self.asks() == number == screen.value(ASKS), f"word {number} to ask").stands()


@pytest.fixture
def arcs(screen):
    screen.open(path_of("self_attention", "en"))
    return Arcs(screen)


def test_arcs_follow_mouse_and_keyboard(arcs):
    screen, n = arcs.screen, arcs.words.count()
    assert (n, arcs.asks()) == (9, 6)  # "The cat was tired because it ran all day"
    before = arcs.paths()
    arcs.words.nth(1).click()
    arcs.wait_for(2)
    screen.until(lambda: arcs.paths() != before, "other arcs")
    assert screen.query()[ASKS] == "2"
    weights, thickness = zip(*arcs.paths(), strict=True)
    assert sum(weights) == pytest.approx(1, abs=n * 5e-5)  # each is rounded to four digits
    assert sorted(weights) == [w for _, w in sorted(zip(thickness, weights, strict=True))]
    arcs.list.focus()
    for key, number in (("ArrowRight", 3), ("ArrowLeft", 2), ("End", n), ("ArrowRight", n), ("Home", 1)):
        screen.page.keyboard.press(key)
        arcs.wait_for(number)
    assert screen.query()[ASKS] == "1" and screen.errors == []
    assert f"{ASKS}=1" in screen.link(holding=ASKS)


def test_odd_words_are_shown_letter_for_letter(screen):
    screen.open(path_of("self_attention", "en", sentence="own", words=" ".join(ODD)))
    arcs = Arcs(screen)
    assert arcs.words.locator("bdi").all_text_contents() == ODD
    labels = screen.page.locator("[data-testid=stVegaLiteChart] .role-axis-label text").all_text_contents()
    assert {shorten(word, 8) for word in ODD} <= set(labels)
    prose = screen.page.locator("strong", has_text="Which words does").locator("code")
    arcs.list.focus()
    screen.page.keyboard.press("Home")
    for number, word in enumerate(ODD, 1):
        screen.until(lambda word=word: prose.text_content() == word, f"{word} in the prose")
        assert arcs.asks() == number
        screen.page.keyboard.press("ArrowRight")
    assert screen.page.get_by_test_id("stMain").locator("b").count() == 0
    assert screen.errors == []


def test_64_words_fit_on_a_phone_without_shrinking(screen):
    screen.open(
        path_of("self_attention", "en", sentence="own", words=" ".join(f"word{i}" for i in range(70)))
    )
    assert "70 words; the first 64" in screen.page.get_by_test_id("stMain").inner_text()
    arcs = Arcs(screen)
    assert arcs.words.count() == 64
    assert [drawn for _, drawn in measure(screen.page, "chartMarks") if not drawn] == []
    screen.look(width=PHONE)
    assert measure(screen.page, "sideways") == []
    size = "(word) => [parseFloat(getComputedStyle(word.querySelector('bdi')).fontSize), word.offsetHeight]"
    font, height = arcs.words.last.evaluate(size)
    assert font >= 16 and height >= 40
