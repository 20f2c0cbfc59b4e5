"""A link brings back what was on screen: at a cold start, out of range, from the popover, after a reload."""

import pytest

from tests.browser.screen import Screen
from tests.browser.server import running_app
from tests.browser.visit import path_of

TABLE = "sun,1,0,2,0;moon,0,1,0,2;star,-1,0,-2,0;sky,0,-1,0,-2"  # four keys and values on the axes
TOLD = {
    "soft_lookup.angle": 90,
    "soft_lookup.length": 2.5,
    "soft_lookup.step": 4,
    "soft_lookup.tau": 10,
    "soft_lookup.d": 256,
}


USUAL = dict(zip(TOLD, (20, 1.5, 1, 1, 64), strict=True))
WRITTEN = {key: str(value) for key, value in TOLD.items()}  # as it stands in an address


def values(screen):
    return {key: screen.value(key) for key in TOLD}


@pytest.fixture
def cold_app(chromium, tmp_path):
    """A server that nobody has asked for anything yet."""
    with running_app(tmp_path / "log.txt") as address:
        yield address


@pytest.fixture
def visitor(app, shared_context):
    """A second tab: a session of its own that knows nothing of the first."""
    with Screen(shared_context, app) as screen:
        yield screen


def test_a_link_as_the_very_first_request_shows_its_inputs(cold_app, shared_context):
    link = path_of("soft_lookup", "en", **TOLD, **{"soft_lookup.table": TABLE})
    with Screen(shared_context, cold_app) as screen:
        screen.open(link)
        assert values(screen) == TOLD
        cells = [screen.page.get_by_test_id(f"glide-cell-{column}-0").first for column in range(5)]
        assert [cell.text_content() for cell in cells] == ["sun", "1", "0", "2", "0"]
        assert screen.page.title().startswith("Attention is a soft dictionary")
        assert screen.query() == {"lang": "en", "soft_lookup.table": TABLE} | WRITTEN
        assert screen.notes() == [] and screen.errors == []


def test_values_out_of_range_become_the_nearest_and_it_is_said_once(screen):
    query = {"soft_lookup.length": "99", "soft_lookup.tau": "3", "soft_lookup.d": "many", "unknown": "1"}
    screen.open(path_of("soft_lookup", "en", **query))
    assert (screen.value("soft_lookup.length"), screen.value("soft_lookup.tau")) == (4, 2)
    (note,) = screen.notes()
    assert "4.0, is used" in note and "2, is used" in note and "“Width d”" in note
    screen.reload()
    assert screen.notes() == []


def test_language_and_inputs_survive_other_pages_back_a_reload_and_the_other_language(screen):
    screen.open(path_of("soft_lookup", "en", **TOLD))
    screen.go_to(3)
    assert screen.query() == {"lang": "en"}
    screen.go_to(2)
    assert values(screen) == TOLD and screen.query() == {"lang": "en"} | WRITTEN
    screen.go_to(3)
    for _ in range(2):  # Streamlit makes two entries of a change of page
        screen.page.go_back()
        screen.stands()
    screen.until(lambda: values(screen) == TOLD, "the settings after going back twice")
    screen.reload()
    assert values(screen) == TOLD and screen.language() == "en"
    screen.switch_language("中文")
    assert values(screen) == TOLD and screen.query() == WRITTEN


def test_the_link_to_this_state_brings_it_back_to_a_stranger(screen, visitor):
    screen.open(path_of("soft_lookup", "en", **{"soft_lookup.table": TABLE}))
    screen.press("soft_lookup.angle", "ArrowRight")  # a whole run: 20 -> 25 degrees
    screen.press("soft_lookup.step", "End")  # only its own section runs
    link = screen.link(holding="soft_lookup.step=5")
    assert link.startswith(screen.address + "/soft_lookup?lang=en&")
    visitor.open(link)
    assert values(visitor) == values(screen)
    assert visitor.value("soft_lookup.angle") == 25 and visitor.value("soft_lookup.step") == 5
    assert visitor.sentences() == screen.sentences()


def test_reset_brings_every_input_back(screen):
    screen.open(path_of("soft_lookup", "en", **TOLD, **{"soft_lookup.table": TABLE}))
    assert "moon" in screen.sentences()[0]  # it points upwards, as the query does
    screen.input("_reset.soft_lookup").get_by_role("button").click()
    screen.until(lambda: values(screen) == USUAL, "the usual values").stands()
    assert "cat" in screen.sentences()[0]
    assert screen.query() == {"lang": "en"}
    assert screen.link() == screen.address + "/soft_lookup?lang=en"
