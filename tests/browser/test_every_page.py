"""What holds for every page, in Chinese and in English."""

from urllib.parse import urlsplit

import pytest

from pages.shared.frame import PAGES
from pages.shared.text import Words
from tests.browser.contrast import contrast
from tests.browser.screen import Screen
from tests.browser.visit import visit

READABLE = 4.5  # WCAG 2.2, 1.4.3


@pytest.fixture(scope="module", params=PAGES)
def visits(request, app, shared_context):
    """A page, loaded once and seen in both languages; pages take turns in which one they are opened in."""
    first, second = ("zh", "en") if list(PAGES).index(request.param) % 2 == 0 else ("en", "zh")
    with Screen(shared_context, app) as screen:
        return request.param, visit(screen, request.param, first, second)


@pytest.fixture(params=["zh", "en"])
def seen(request, visits):
    """A page in a language: (words, Visit)."""
    name, by_language = visits
    return Words(request.param, name), by_language[request.param]


def test_nothing_fails_in_the_browser(seen):
    assert seen[1].errors == []


def test_nothing_is_fetched_from_another_host(app, seen):
    own = urlsplit(app).netloc
    assert {urlsplit(url).netloc for url in seen[1].asked if not url.startswith(("data:", "blob:"))} == {own}


def test_language_is_told_to_eyes_and_machines(seen):
    words, found = seen
    assert found.title == f"{words('title')} · {words('app')}"
    assert found.language == {"zh": "zh-CN", "en": "en"}[words.language]


def test_every_chart_is_drawn_and_described(seen):
    marks = seen[1].marks
    assert len(marks) >= max(1, len(seen[1].headings))
    assert [description for description, drawn in marks if not drawn or not description] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_in_charts_is_readable(seen, theme):
    texts = seen[1].by_look[theme].texts
    assert texts
    assert [text for text in texts if contrast(*text[1:]) < READABLE] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_on_cells_are_readable(seen, theme):
    assert [cell for cell in seen[1].by_look[theme].numbers if contrast(*cell[1:]) < READABLE] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_never_scrolls_sideways(seen, theme):
    assert seen[1].by_look[theme].sideways == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nobody_is_shut_out(seen, theme):
    assert seen[1].by_look[theme].barriers == []
