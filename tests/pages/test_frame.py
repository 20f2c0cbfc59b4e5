"""What the frame promises: languages, notes, links, sections that fail alone."""

import ast
import json
import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.experiments import soft_lookup
from pages.shared import charts
from pages.shared.frame import PAGES
from pages.shared.section import source
from pages.shared.text import Words
from tests.pages import app

ROOT = Path(__file__).parents[2]


# --- sections that fail -------------------------------------------------------------------------------------


def fail(*_, **__):
    raise FloatingPointError("on purpose")


def test_a_section_that_fails_says_so_and_leaves_the_others_alone(monkeypatch):
    at = app.open_app("soft_lookup", "en")
    whole = len(at.get("vega_lite_chart"))
    sections = len(app.sections(at))
    monkeypatch.setattr(soft_lookup, "entropy", fail)  # in the third section
    at.run()
    assert not at.exception  # no traceback
    assert [error.value[:36] for error in at.error] == ["This section ran into an error and c"]
    assert len(app.sections(at)) == sections
    assert len(at.get("vega_lite_chart")) == whole  # it failed behind its picture
    assert len(at.info) == sections - 1  # the others have their sentence
    assert at.slider("soft_lookup.walked")
    assert not any("on purpose" in text for text in app.said(at))
    monkeypatch.undo()
    app.look_at(at.run())


def test_a_shared_section_that_fails_ends_the_page_with_a_sentence(monkeypatch):
    at = app.open_app("soft_lookup")
    monkeypatch.setattr(soft_lookup, "look_up", fail)
    at.run()
    assert not at.exception
    assert [error.value[:7] for error in at.error] == ["这一节出了错，"]
    assert any("课堂伴侣" in caption.value for caption in at.caption)  # the footer, all the same
    monkeypatch.undo()
    app.look_at(at.run())


@pytest.mark.parametrize("page", ["home", "soft_lookup", "bias_and_cost"])
def test_the_contents_lead_to_every_section(page):
    at = app.open_app(page, "en")
    (contents,) = [one.value for one in at.markdown if one.value.startswith("1. [")]
    found = re.findall(r"^1\. \[(.+)\]\(#(\w+)\)$", contents, flags=re.MULTILINE)
    assert found == [(header.value, header.anchor) for header in at.header]


# --- languages, notes, titles -------------------------------------------------------------------------------


def test_an_unknown_language_is_said_once():
    at = app.open_app(query={"lang": "tlh"})
    assert [warning.value for warning in at.warning] == ["链接里的语言无法识别，已用中文打开。"]
    assert "lang" not in at.query_params
    at.button("_close.home").click()
    app.look_at(at.run())


@pytest.mark.parametrize(
    ("told", "language", "left"),
    [(["fr", "en"], "en", "en"), (["en", "en"], "en", "en"), (["en", "zh"], "zh", None), ("zh", "zh", "zh")],
)
def test_of_several_languages_the_last_counts_and_the_address_holds_one(told, language, left):
    at = app.look_at(app.open_app("soft_lookup", query={"lang": told}))
    assert at.title[0].value == Words(language, "soft_lookup")("title")
    assert at.query_params.get("lang") in (left, [left])


def test_notes_stay_until_put_away_or_the_page_is_left():
    at = app.open_app("soft_lookup", "en", {"soft_lookup.tau": "3", "soft_lookup.d": "abc"})
    first = [warning.value for warning in at.warning]
    assert first == [
        "The link holds a value for “Temperature τ” that is not offered here; the nearest one, 2, is used."
        "\n\n"
        "The link holds a value for “Width d” that makes no sense here; the default is used."
    ]
    at.slider("soft_lookup.angle").set_value(90)
    assert [warning.value for warning in at.run().warning] == first
    at.switch_page(PAGES["local_conv"]).run()
    app.look_at(at.switch_page(PAGES["soft_lookup"]).run())


@pytest.mark.parametrize(
    ("n_bad", "last"), [(3, "The link holds a value for"), (5, "Other inputs put right in the same way: 2.")]
)
def test_of_many_notes_three_are_spelt_out_and_the_others_counted(n_bad, last):
    names = ("angle", "length", "step", "tau", "d")[:n_bad]
    at = app.open_app("soft_lookup", "en", {f"soft_lookup.{name}": "abc" for name in names})
    lines = at.warning[0].value.split("\n\n")
    assert [line.startswith("The link holds a value for") for line in lines[:3]] == [True] * 3
    assert len(set(lines)) == len(lines) == min(n_bad, 4)
    assert lines[-1].startswith(last)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_page_links_to_all_pages_and_keeps_the_language(lang):
    at = app.open_app("soft_lookup", lang)
    links = [link.proto for link in at.get("page_link")]
    assert len(links) == len(PAGES)
    assert {link.query_string for link in links} == ({"lang=en"} if lang == "en" else {""})
    assert len({link.label for link in links}) == len(PAGES)


def test_a_language_that_was_chosen_holds_on_the_next_page():
    at = app.open_app()
    at.segmented_control("lang_choice").set_value("en")
    at.run()
    assert at.query_params["lang"] in ("en", ["en"])
    at.switch_page(PAGES["soft_lookup"]).run()
    assert at.title[0].value == "Attention is a soft dictionary"


# --- state --------------------------------------------------------------------------------------------------


def test_two_readers_do_not_see_each_other():
    """Fault 32: what one sets and starts is not what the other sees."""
    one, other = app.open_app("soft_lookup"), app.open_app("soft_lookup")
    alone = [table.to_dict() for _, table in app.pictures(other)]
    one.slider("soft_lookup.angle").set_value(-90)
    one.button("soft_lookup.it_can_learn.play").click()
    app.look_at(one.run())
    app.look_at(other.run())
    assert [table.to_dict() for _, table in app.pictures(other)] == alone


def test_the_session_does_not_grow():
    """Fault 70: no new names however often the page runs."""
    at = app.open_app("soft_lookup")
    kept = set(at.session_state.keys())
    for step in (1, 5, 2, 4, 3):
        at.slider("soft_lookup.step").set_value(step)
        at.run()
    assert set(at.session_state.keys()) == kept


def test_cached_results_are_each_readers_own():
    """Fault 71: cache_data hands out copies; one object for all is kept to the runs that all share."""
    for path in sorted((ROOT / "pages").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for decorator in getattr(node, "decorator_list", []):
                if "cache_resource" in ast.unparse(decorator):
                    assert path.name == "live_run.py", f"{path.name}: {node.name}"


def test_drawing_leaves_the_kept_spec_alone():
    """Fault 71: specs are shared by all sessions, so nobody may write into them."""

    def script(picture):
        import streamlit as st

        st.vega_lite_chart(picture.data, picture.spec, key="picture")

    for picture in (
        charts.weights_map(np.eye(3), "abc", "abc", ("q", "k", "w")),
        charts.bars("ab", [1, 2], "query", ("name", "score")),
    ):
        before = json.dumps(picture.spec)
        at = AppTest.from_function(script, kwargs={"picture": picture}, default_timeout=30).run()
        assert not at.exception
        assert json.dumps(picture.spec) == before


def test_the_code_shown_is_the_code():
    shown = source(soft_lookup.steps)
    assert shown.startswith("# core.experiments.soft_lookup\ndef steps(query, keys, values, shift=0.0):")
    assert shown.split("\n", 1)[1] in Path(soft_lookup.__file__).read_text(encoding="utf-8")
