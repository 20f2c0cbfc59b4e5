"""What the inputs make of numbers, links and tables that people write."""

import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.shared.grids import _name, decode, encode, only_numbers
from pages.shared.inputs import Inputs
from pages.shared.links import nearest_of, on_grid, round_to, to_number
from tests.pages import app

SETTINGS = settings(max_examples=60, deadline=None, derandomize=True)
NINES = "9" * 400
TABLE = pd.DataFrame({"name": ["cat", "dog"], "k1": [2.0, 1.41], "k2": [0.0, -3.5]})


@pytest.mark.parametrize(
    ("raw", "number"),
    [("0.5", 0.5), ("0,5", 0.5), ("０．５", 0.5), ("０，５", 0.5), (" -3 ", -3), ("1e2", 100), (0.25, 0.25)],
)
def test_numbers_as_people_write_them(raw, number):
    """Fault 76: a decimal comma and full-width digits."""
    assert to_number(raw) == number


@pytest.mark.parametrize(
    "raw", ["nan", "inf", "-inf", NINES, "", " ", "abc", "1,5,2", "猫", None, float("nan"), True, "0x10"]
)
def test_no_numbers(raw):
    """Faults 74 and 76: empty cells come as None or NaN; 400 nines are infinite for a float."""
    assert to_number(raw) is None


@pytest.mark.parametrize(
    ("raw", "low", "high", "step", "value"),
    [
        ("0.7000000000000001", 0.0, 2.0, 0.1, 0.7),
        ("0.30000000000000004", 0.0, 2.0, 0.1, 0.3),
        ("0.74", 0.0, 2.0, 0.1, 0.7),
        ("0.76", 0.0, 2.0, 0.1, 0.8),
        ("1.3", 0.5, 4.5, 1.0, 1.5),
        ("0.3", 0.0, 1.0, 0.25, 0.25),
        ("0.62", 0.0, 1.0, 0.125, 0.625),
        ("99", -4.0, 4.0, 0.5, 4.0),
        ("-1e9", 1, 5, 1, 1),
        ("3.6", 1, 5, 1, 4),
        ("23", -180, 180, 5, 25),
        (NINES, 1, 5, 1, None),
        ("abc", 1, 5, 1, None),
    ],
)
def test_the_nearest_place_of_a_slider(raw, low, high, step, value):
    """Fault 65: exactly the number that is printed, whole where the slider is."""
    found = on_grid(raw, low, high, step)
    assert found == value
    assert type(found) in (type(step), type(None))


@SETTINGS
@given(st.integers(0, 200), st.sampled_from([0.1, 0.05, 0.5, 0.25, 0.01, 0.2, 1.0, 0.001]))
def test_every_place_of_a_slider_has_a_short_name(i, step):
    """Fault 65: i steps of 0.1 are what the reader sees, not 0.30000000000000004."""
    value = round_to(i * step, step)
    assert math.isclose(value, i * step, rel_tol=1e-12)
    assert len(str(value)) <= 6
    assert on_grid(str(value), 0.0, 200 * step, step) == value


def test_the_nearest_of_given_numbers():
    assert nearest_of(3, (1, 2, 5)) == 2
    assert nearest_of(1e9, (1, 2, 5)) == 5
    assert nearest_of(None, (1, 2, 5)) is None


# --- tables -------------------------------------------------------------------------------------------------


@SETTINGS
@given(
    st.lists(st.floats(-99, 99).map(lambda number: round(number, 4)), min_size=2, max_size=2),
    st.lists(st.text(st.sampled_from("a猫é <$`😀א|")), min_size=2, max_size=2),
)
def test_a_table_comes_back_from_its_link(numbers, names):
    table = TABLE.assign(k1=numbers, name=[_name(name) or "x" for name in names])
    pd.testing.assert_frame_equal(decode(encode(table), TABLE), table, check_exact=True)


@pytest.mark.parametrize(
    "text",
    [
        *("", "cat,2,0", "cat,2,0;dog,1", "cat,2,0;dog,1,2;fish,1,2", "cat,2,0,1;dog,1,2,3"),  # the shape
        *("cat,x,0;dog,1,2", "cat,,0;dog,1,2", "cat,nan,0;dog,1,2", f"cat,{NINES},0;dog,1,2"),  # a cell
        *("cat,100,0;dog,1,2", " ,2,0;dog,1,2"),
    ],
)
def test_links_that_hold_no_table_of_this_shape(text):
    assert decode(text, TABLE) is None


@pytest.mark.parametrize("cell", [None, float("nan"), "", "word", [1], float("inf"), 100, -1e9])
def test_a_bad_cell_is_named_and_the_last_good_value_kept(cell):
    """Fault 74: cleared, a word, a list, out of bounds."""
    edited = pd.DataFrame({"name": ["cat", "hen"], "k1": [7.0, 1.41], "k2": [0.0, cell]}, dtype=object)
    good, bad = only_numbers(edited, TABLE)
    assert bad == [(1, "k2")]
    assert good.to_dict("list") == {"name": ["cat", "hen"], "k1": [7.0, 1.41], "k2": [0.0, -3.5]}


@pytest.mark.parametrize(
    ("cell", "name"),
    [("a,b;c", "abc"), (" cat ", "cat"), (",;", None), ("", None), (None, None), (float("nan"), None)],
)
def test_names_can_stand_in_a_link(cell, name):
    assert _name(cell) == name


def edit(at, **cells):
    """Edit the second row of the dictionary of page 2, as its table editor reports it."""
    key = at.data_editor[0].key
    at.session_state[key] = {"edited_rows": {1: cells}, "added_rows": [], "deleted_rows": []}
    return at.run()


def test_editing_a_table_and_spoiling_a_cell():
    """Fault 74: the page goes on with the last good number and says which cell it was."""
    at = app.look_at(edit(app.open_app("soft_lookup", "en"), k1=3.5))
    good = app.link_query(at)["soft_lookup.table"]
    assert good == "cat,2,0,3,1;dog,3.5,1.41,1,3;fish,-1,1.73,-3,2;bird,0,-2,-1,-3"
    for cell in (None, float("nan"), "word"):
        edit(at, k1=cell)
        assert [warning.value for warning in at.warning] == [
            "Nothing usable in row 2, “k₁”: the last good value stays in place."
        ]
        assert not at.error
        assert app.link_query(at)["soft_lookup.table"] == good
    app.look_at(edit(at, k1=-2.0))
    assert app.link_query(at)["soft_lookup.table"] == good.replace("3.5", "-2")


def test_a_table_in_a_link_and_its_reset():
    text = "a$b$,2,0,3,1;`,3.5,1.41,1,3;:smile:,-1,1.73,-3,2;鸟,0,-2,-1,-3"
    at = app.look_at(app.open_app("soft_lookup", query={"soft_lookup.table": text}))
    assert app.link_query(at) == {"soft_lookup.table": text}
    assert list(at.data_editor[0].value["name"]) == ["a$b$", "`", ":smile:", "鸟"]
    at.button("_reset.soft_lookup").click()
    app.look_at(at.run())
    assert app.link_query(at) == {}
    assert list(at.data_editor[0].value["name"]) == ["猫", "狗", "鱼", "鸟"]


def test_a_table_left_alone_follows_the_language_and_an_edited_one_stays():
    at = app.open_app("soft_lookup")
    at.segmented_control("lang_choice").set_value("en")
    app.look_at(at.run())
    assert list(at.data_editor[0].value["name"]) == ["cat", "dog", "fish", "bird"]
    edit(at, name="hen")
    at.segmented_control("lang_choice").set_value("zh")
    app.look_at(at.run())
    assert list(at.data_editor[0].value["name"]) == ["cat", "hen", "fish", "bird"]


# --- in a small app -----------------------------------------------------------------------------------------


def small_app(draw, query=()):
    """An app of one input, drawn by `draw(ask)`; what it returns is in the session's "got"."""

    def script(draw, Inputs):
        import streamlit as st

        class Words:
            def __call__(self, key, **values):
                return key + "".join(f" {name}={value}" for name, value in values.items())

            def has(self, key):
                return False

        notes = st.session_state.setdefault("notes", [])
        ask = Inputs("page", Words(), lambda key, **values: notes.append((key, *values.values())))
        st.session_state.got = draw(ask)
        st.session_state.register = ask.register
        st.button("reset", key="reset", on_click=ask.reset)

    at = AppTest.from_function(script, kwargs={"draw": draw, "Inputs": Inputs}, default_timeout=30)
    for key, value in dict(query).items():
        at.query_params[key] = value
    at.run()
    assert not at.exception
    return at


def test_a_slider_of_one_place_is_not_drawn():
    """Fault 64: one token, and the only choice is taken."""
    at = small_app(lambda ask: ask.number("asks", 1, 1, 1), {"page.asks": "7"})
    assert at.session_state["got"] == 1
    assert not at.slider
    assert at.session_state["notes"] == []


def test_a_value_moves_with_its_bounds():
    """A sentence gets shorter: the remembered place is the last one that still exists."""
    at = small_app(lambda ask: ask.number("asks", 1, ask.number("n", 1, 64, 9), 9))
    at.slider("page.n").set_value(4)
    assert not at.run().exception
    assert at.session_state["got"] == 4


def test_a_number_at_its_default_follows_it_and_one_that_was_moved_stays():
    """Another sentence, another word that asks."""

    def draw(ask):
        usual = ask.number("usual", 1, 9, 5)
        return ask.number("asks", 1, 9, usual), ask.number("other", 1, 9, usual)

    at = small_app(draw)
    at.slider("page.other").set_value(2)
    at.run()
    at.slider("page.usual").set_value(7)
    at.run()
    assert at.session_state["got"] == (7, 2)
    at.slider("page.asks").set_value(3)
    at.run()
    at.slider("page.usual").set_value(4)
    at.run()
    assert at.session_state["got"] == (3, 2)


def test_a_place_moves_with_the_script_and_the_address_does_not_follow():
    def draw(ask):
        import streamlit as st  # the script is run from its source

        if st.button("on", key="on"):
            st.session_state["page.walked"] = st.session_state.get("page.walked", 0) + 4
        return ask.place("walked", 0, 200)

    at = small_app(draw)
    for walked in (4, 8):
        at.button("on").click()
        at.run()
        assert at.session_state["got"] == at.slider("page.walked").value == walked
        assert not at.slider("page.walked").proto.query_param_key  # bound to nothing
    at.slider("page.walked").set_value(31)
    at.run()
    assert at.session_state["register"]["page.walked"] == (31, 0)
    assert not at.query_params
    at.button("reset").click()
    at.run()
    assert at.session_state["got"] == 0


@pytest.mark.parametrize(
    ("raw", "value", "n_notes"), [("40", 40, 0), ("40.0", 40, 0), ("999", 200, 1), ("abc", 7, 1)]
)
def test_a_place_begins_where_a_link_says_and_a_reset_clears_the_address(raw, value, n_notes):
    at = small_app(lambda ask: ask.place("walked", 0, 200, 7), {"page.walked": raw})
    assert (at.session_state["got"], len(at.session_state["notes"])) == (value, n_notes)
    at.slider("page.walked").set_value(50)
    at.run()
    assert at.session_state["got"] == 50
    at.button("reset").click()
    at.run()
    assert at.session_state["got"] == 7
    assert not at.query_params


def test_a_place_keeps_its_value_when_its_bounds_move():
    at = small_app(lambda ask: ask.place("walked", 0, ask.number("n", 10, 99, 50)))
    at.slider("page.walked").set_value(40)
    at.run()
    for n, walked in ((60, 40), (20, 20), (99, 20)):
        at.slider("page.n").set_value(n)
        at.run()
        assert at.session_state["got"] == walked


@pytest.mark.parametrize("hidden_before", [False, True])
def test_reset_takes_a_hidden_choice_out_of_the_address(hidden_before):
    def draw(ask):
        return ask.choice("inner", ("c", "d")) if ask.choice("outer", ("a", "b")) == "b" else None

    at = small_app(draw, {"page.outer": "b", "page.inner": "d"})
    assert at.session_state["got"] == "d"
    if hidden_before:
        at.segmented_control("page.outer").set_value("a")
        at.run()
    at.button("reset").click()
    at.run()
    assert at.session_state["got"] is None
    assert not at.query_params


def test_reset_reaches_a_number_whose_bounds_and_default_move_with_another():
    """With other bounds the slider is a new one for Streamlit, which then listens to the URL."""
    at = small_app(lambda ask: (n := ask.number("n", 2, 9, 7), ask.number("asks", 1, n, n - 2)))
    at.slider("page.n").set_value(4)
    at.run()
    assert at.session_state["got"] == (4, 2)
    at.slider("page.asks").set_value(1)
    at.run()
    at.query_params["page.asks"] = "1"  # as the browser writes it
    at.run()
    assert at.session_state["got"] == (4, 1)
    at.button("reset").click()
    at.run()
    assert at.session_state["got"] == (7, 5)
    assert not at.exception


@pytest.mark.parametrize(
    ("raw", "value", "notes"),
    [
        ("2", 2, []),
        ("2.0", 2, []),
        ("3.2", 2, [("note_nearest", "inputs.tau", "2")]),
        ("1e9", 5, [("note_nearest", "inputs.tau", "5")]),
        ("abc", 1, [("note_unknown", "inputs.tau")]),
        ("", 1, [("note_unknown", "inputs.tau")]),
        (["5", "2"], 2, []),
    ],
)
def test_what_a_link_says_about_a_step(raw, value, notes):
    at = small_app(lambda ask: ask.pick("tau", (0.5, 1, 2, 5), 1), {"page.tau": raw})
    assert (at.session_state["got"], at.session_state["notes"]) == (value, notes)
    at.run()
    assert (at.session_state["got"], at.session_state["notes"]) == (value, notes)  # said once


@pytest.mark.parametrize(
    ("raw", "value", "notes"),
    [
        ("0.7", 0.7, []),
        ("0,7", 0.7, []),
        ("0.72", 0.7, [("note_nearest", "inputs.tau", "0.7")]),
        ("-3", 0.0, [("note_nearest", "inputs.tau", "0.0")]),
        (NINES, 1.0, [("note_unknown", "inputs.tau")]),
        ("nan", 1.0, [("note_unknown", "inputs.tau")]),
        (["0.3", "1.5"], 1.5, []),
    ],
)
def test_what_a_link_says_about_a_slider(raw, value, notes):
    at = small_app(lambda ask: ask.number("tau", 0.0, 2.0, 1.0, step=0.1), {"page.tau": raw})
    assert (at.session_state["got"], at.session_state["notes"]) == (value, notes)


@pytest.mark.parametrize(
    ("raw", "value", "n_notes"), [("true", True, 0), ("false", False, 0), ("yes", True, 1), ("", True, 1)]
)
def test_what_a_link_says_about_a_switch(raw, value, n_notes):
    at = small_app(lambda ask: ask.toggle("mask", True), {"page.mask": raw})
    assert at.session_state["got"] is value
    assert len(at.session_state["notes"]) == n_notes


def test_a_choice_stores_ids_and_takes_its_own_labels():
    """Faults 67 and 82: the session and the link hold the id, whatever the label says."""
    at = small_app(lambda ask: ask.choice("norm", ("pre", "post", "off")), {"page.norm": "post"})
    assert at.segmented_control("page.norm").options == [
        f"options.norm.{id}" for id in ("pre", "post", "off")
    ]
    assert at.session_state["got"] == at.session_state["page.norm"] == "post"
    at.segmented_control("page.norm").set_value("off")
    at.run()
    assert at.session_state["got"] == "off"
    assert at.query_params["page.norm"] in ("off", ["off"])
    at.run()  # fails where a format function does not know its own output
    assert not at.exception


def test_the_default_is_the_one_value_that_the_browser_leaves_out_of_the_url():
    """Streamlit compares with the default of the widget: on every run it has to be ours."""
    at = small_app(
        lambda ask: (ask.number("n", 0, 9, 4), ask.pick("d", (1, 2, 4), 2), ask.toggle("on", True))
    )
    for _ in range(2):
        at.run()
        assert list(at.slider("page.n").proto.default) == [4]
        assert list(at.select_slider("page.d").proto.default) == [1]  # the place of 2
        assert at.toggle("page.on").proto.default is True
    at.slider("page.n").set_value(0)
    at.button("reset").click()
    at.run()
    assert at.session_state["got"] == (4, 2, True)
    assert not at.query_params


def test_links_hold_what_is_moved_and_nothing_else():
    ask = Inputs("page", None, None)
    ask.register |= {
        "page.a": (1, 1),
        "page.b": (True, False),
        "page.c": (0.5, 1.0),
        "words": ("猫 & 狗", ""),
    }
    assert ask.link("/p", [("lang", "en")]) == (
        "/p?lang=en&page.b=true&page.c=0.5&words=%E7%8C%AB+%26+%E7%8B%97"
    )
    assert Inputs("page", None, None).link("/p") == "/p"
