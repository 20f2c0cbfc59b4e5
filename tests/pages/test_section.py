"""What sections share: the buttons that start and stop, tokens in a row, tables on their way to a chart."""

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.shared.section import Section, arrow, without_formulas
from pages.shared.text import Words, verbatim
from tests.pages import app


class Page:
    """As much of a page as a section asks for."""

    name, inputs, facts = "home", None, {}
    words = Words("en", "home")


# --- start and stop -----------------------------------------------------------------------------------------


def test_one_button_starts_and_another_stops():
    """A click that is told twice must not undo itself."""

    def script():
        import streamlit as st

        from tests.pages.test_section import Page, Section

        section = Section(Page, "walk")
        section.words = lambda key: key
        section.start_or_stop(section.wanted, before=lambda: st.session_state.update(begun=True))
        st.text(str(section.wanted))

    at = AppTest.from_function(script, default_timeout=30).run()
    assert [one.key for one in at.button] == ["home.walk.play"]
    assert "begun" not in at.session_state
    at.button("home.walk.play").click().run()
    assert at.text[0].value == "True"
    assert at.session_state["begun"]
    assert [one.key for one in at.button] == ["home.walk.pause"]  # a play told again meets no button
    at.session_state["begun"] = "before"
    at.button("home.walk.pause").click().run()
    assert at.text[0].value == "False"
    assert at.session_state["begun"] == "before"  # only a start has something done first


# --- words and tables ---------------------------------------------------------------------------------------


def test_tokens_in_a_row_are_shown_letter_for_letter_and_told_plainly():
    section = Section(Page, "miniature")
    row = section.listed([verbatim(token) for token in ("a*", "b", "c")])
    assert (row, row.token) == ("`a*`, `b`, `c`", "a*, b, c")
    row = section.listed([verbatim(token) for token in "abcdef"])
    assert (row, row.token) == ("`a`, `b`, `c`, `d`…", "a, b, c, d…")
    assert section.listed(["`it` (word 1)"]) == "`it` (word 1)"


def test_a_picture_gets_the_columns_of_its_table():
    columns = {
        "place": np.arange(3),
        "value": [0.5, np.nan, -1.0],
        "name": ["猫", "", "x"],
        "lit": [True] * 3,
    }
    for table in (columns, pd.DataFrame(columns)):
        sent = arrow(table).to_pydict()
        assert sent == columns | {"place": [0, 1, 2], "value": [0.5, None, -1.0]}  # None: no mark, not NaN


def test_a_spreadsheet_takes_words_as_words_and_numbers_as_numbers():
    """Whatever a student types, a downloaded table computes nothing when it is opened."""
    words = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "a=b", "", "猫"]
    table = pd.DataFrame({"word": words, "value": -1.5, "place": range(9), "=2+3": [-2, "-x", *[None] * 7]})
    kept = table.copy()
    safe = without_formulas(table)
    assert list(safe.columns) == ["word", "value", "place", "'=2+3"]
    assert list(safe["word"]) == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", "'\r=1", "a=b", "", "猫"]
    assert list(safe["value"]) == [-1.5] * 9
    assert list(safe["place"]) == list(range(9))
    assert list(safe["'=2+3"])[:2] == [-2, "'-x"]
    pd.testing.assert_frame_equal(table, kept)


def test_the_table_to_download_is_without_formulas(monkeypatch):
    handed_out = []
    monkeypatch.setattr(st, "download_button", lambda label, data, **_: handed_out.append(data))
    fold = "soft_lookup.three_steps.numbers"
    at = app.open_app(
        "soft_lookup", query={"soft_lookup.table": "=1+1,2,0,3,1;b,1,1,1,3;c,-1,1,-3,2;d,0,-2,-1,-3"}
    )
    at.session_state[fold] = True
    app.look_at(at.run())
    (csv,) = handed_out
    rows = csv.decode("utf-8-sig").splitlines()
    assert [row.split(",")[0] for row in rows] == ["name", "'=1+1", "b", "c", "d"]
    assert any(row.split(",")[1].startswith("-") for row in rows)  # a negative number stays one
