"""One visit to a page, from which many tests read: loading costs seconds, one more question does not."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from pages.shared.frame import PAGES

MEASURES = Path(__file__).with_name("measures.js").read_text(encoding="utf-8")
# The script of axe-core is all that is needed of its package, which reads it without naming an encoding.
AXE = Path(find_spec("axe_playwright_python").origin).with_name("axe.min.js").read_text(encoding="utf-8")
PHONE, DESK = 390, 1280  # px
# What Streamlit draws itself and no app can change: rule of axe -> where it is let pass.
STREAMLITS_OWN = {
    "color-contrast": "stCode",  # the keywords of its code colours have 3.6 : 1
    "empty-table-header": "stDataFrame",  # the corner above the index of a table
    "scrollable-region-focusable": "katex-display",  # display formulas
}


class Visit(NamedTuple):
    """What was found. `by_look` holds one entry a theme, "light" and "dark"."""

    errors: list  # of the console and of the page, in both languages
    asked: list  # addresses of all requests, in both languages
    title: str  # in the browser's tab
    language: str  # of the document
    headings: list
    marks: list  # (description, whether anything is drawn) of every chart
    by_look: dict


class Look(NamedTuple):
    """What the page looks like in one theme."""

    texts: list  # (text, its colour, the ground's) in charts
    numbers: list  # (number, its colour, the cell's) on heat maps
    sideways: list  # what makes the page scroll sideways
    barriers: list  # what axe finds, beyond Streamlit's own


def path_of(name, language, **query):
    """The address of a page: /soft_lookup?lang=en."""
    page = "" if name == "home" else re.sub(r"^\d+_", "", Path(PAGES[name]).stem)
    query = ({"lang": language} if language != "zh" else {}) | query
    return f"/{page}?{urlencode(query)}" if query else f"/{page}"


def measure(page, name):
    return page.evaluate(f"() => {{ {MEASURES}; return {name}() }}")


def visit(screen, name, first, second):
    """Open a page in the first of two languages and switch it to the second: {language: Visit}.

    Each is seen in both themes, the one in which the other ended first, so that either is met at a desk.
    """
    screen.page.emulate_media(color_scheme="light")
    screen.open(path_of(name, first))
    found = {first: _visit(screen, ("light", "dark"))}
    screen.page.set_viewport_size({"width": DESK, "height": 800})
    screen.switch_language({"zh": "中文", "en": "English"}[second])
    return found | {second: _visit(screen, ("dark", "light"))}


def _visit(screen, themes):
    """Look at what stands there at a desk, in the first of two themes; go on on a phone, there in both."""
    first, second = themes
    page = screen.page
    marks = measure(page, "chartMarks")
    at_desk = _see(page)
    screen.look(width=PHONE)
    by_look = {first: at_desk._replace(sideways=at_desk.sideways + measure(page, "sideways"))}
    screen.look(second)
    by_look[second] = _see(page, only_contrast=True)  # a theme changes colours, not the structure
    return Visit(
        errors=screen.errors,
        asked=screen.asked,
        title=page.title(),
        language=screen.language(),
        headings=page.locator("h2").all_inner_texts(),
        marks=marks,
        by_look=by_look,
    )


def _see(page, only_contrast=False):
    return Look(
        texts=measure(page, "chartTexts"),
        numbers=measure(page, "printedNumbers"),
        sideways=measure(page, "sideways"),
        barriers=axe(page, only_contrast),
    )


def axe(page, only_contrast=False):
    """What stands in the way of those who read by ear, by keyboard or with weak eyes: ["rule: element"]."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": ["color-contrast"]} if only_contrast else {})
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate("async (options) => (await axe.run(document, options)).violations", options)
    return [
        f"{rule['id']}: {node['html'][:200]}"
        for rule in found
        for node in rule["nodes"]
        if not _streamlits_own(rule["id"], page, node["target"][-1])
    ]


def _streamlits_own(rule, page, target):
    place = STREAMLITS_OWN.get(rule)
    inside = f"(element, place) => element.closest(`[data-testid=${place}], .${place}`) !== null"
    return place is not None and page.locator(target).first.evaluate(inside.replace("${place}", place))
