"""Home and every page, in both languages, wherever their inputs can be put: all of it works."""

import importlib
import inspect
import json
import re
from functools import lru_cache
from textwrap import dedent

import pytest

from core.sentences import read_sentence
from pages.shared import live_run
from pages.shared.frame import PAGES
from tests import fragments
from tests.pages import app, specs

LANGUAGES = ("zh", "en")
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
TEXTS = {
    "one token": "猫",
    "signs that mean something": rf"$a$ :smile: *x* [y](z) <b>b</b> <!-- &lt; `` ~~z~~ #h {{q}}"
    f" the القط the {FAMILY} 猫 e\u0301 החתול the " + "x" * 200,
    "sixty-four tokens": " ".join(f"w{i}" for i in range(64)),
}

every_page = pytest.mark.parametrize("page", PAGES)
every_language = pytest.mark.parametrize("lang", LANGUAGES)


@lru_cache(maxsize=len(PAGES))
def at_the_defaults(page):
    """A page as it opens in Chinese; only to be looked at."""
    return app.open_app(page)


def shown(widget):
    """The value of a widget as it stands in the list of its options, if it has one."""
    return widget.format_func(widget.value) if hasattr(widget, "format_func") else widget.value


def other_values(widget):
    return [value for value in app.extremes(widget) if value != shown(widget)]


TYPED = "the cat saw it today , oddly , still"  # long enough for any word to be asked, in every section


def move_all(at):
    """Put every input away from its default: the sentence first, since bounds and defaults follow it."""
    moved = {}
    while new := [
        key for key in ("sentence", "words", *app.inputs(at)) if key in app.inputs(at).keys() - moved
    ]:
        now = new[:1] if new[0] in ("sentence", "words") else new
        for key in now:
            moved[key] = (other_values(app.inputs(at)[key]) or [TYPED])[-1]
            app.set_to(at, key, moved[key])
        at.run()
    # What others hide by now, such as the steps of a run that another seed has not got, is not handed on.
    return {key: value for key, value in moved.items() if key in app.inputs(at)}


# --- whole at the defaults and at both ends -----------------------------------------------------------------


@every_page
@every_language
def test_at_the_defaults(page, lang):
    at = app.look_at(app.open_app(page, lang))
    titles = [section.get("header")[0].value for section in app.sections(at)]
    assert titles
    assert all(title.endswith("？" if lang == "zh" else "?") for title in titles), titles
    assert app.pictures(at)
    for spec, table in app.pictures(at):
        assert specs.broken_rules(json.loads(spec), table) == {}
    for text in app.said(at) + [chart.proto.alt for chart in at.get("vega_lite_chart")]:
        assert text.strip()
        # fault 34: no blank stayed open, no number shows its type or a dozen digits
        assert not re.search(r"[{}]|np\.(float|int)|\bnan\b|\binf\b|\d\.\d{8}", text), text


@every_page
@every_language
def test_both_ends_of_every_input(page, lang):
    """Section after section, each input by a rerun of what a browser reruns: its fragment, or the page."""
    at = app.open_app(page, lang)
    seen, awaited, ways = set(), set(), [{}]  # ways: choices that have to be made before an input appears
    while ways:
        way = ways.pop()
        for key, value in way.items():
            app.set_to(at, key, value)
        drawn = fragments.drawn_by(app.inputs(at.run()))
        start = {key: shown(widget) for key, widget in app.inputs(at).items() if key not in seen}
        seen.update(start)
        for key in sorted(start, key=drawn.get):
            if key not in app.inputs(
                at
            ):  # of another section, or hidden by the value that was looked at last
                at.run()
            with fragments.only(drawn[key]):
                for value in other_values(app.inputs(at)[key]):
                    app.set_to(at, key, value)
                    app.look_at(at.run(), f"{key} = {value}")
                    assert not drawn[key] or app.sections(at), f"{key} = {value}: nothing was drawn"
                    if new := set(app.inputs(at)) - seen - awaited:
                        ways.append(way | {key: value})
                        awaited |= new
                if key in app.inputs(at):
                    app.set_to(at, key, start[key])
                    at.run()  # it may bring an input back that this one had hidden
        at.run()  # what the next way needs may stand in any section
    assert awaited <= seen


@pytest.fixture
def own_runs(monkeypatch):
    """What a test starts is no one else's, and ends with it."""
    runs = live_run.Runs(1)
    monkeypatch.setattr(live_run, "runs", lambda: runs)
    yield
    runs.end()


@every_page
def test_buttons(page, own_runs):
    at = app.open_app(page)
    for key in [button.key for button in at.button]:
        there = {button.key: button for button in at.button}
        if key in there and not there[key].proto.disabled:
            there[key].click()
            app.look_at(at.run(), key)


@every_page
def test_keys(page):
    """Fault 68: every widget has a key of its own, named after its page."""
    at = app.open_app(page)
    move_all(at)
    keys = app.widget_keys(at)
    assert None not in keys
    assert len(set(keys)) == len(keys)
    own = [key for key in keys if not key.startswith("_") and key not in app.FRAME_KEYS]
    assert own
    assert all(re.fullmatch(rf"{page}(\.\w+)+|sentence|words", key) for key in own), own


# --- sentences that students type ---------------------------------------------------------------------------


@every_page
def test_sentences_that_students_type(page):
    """Faults 37, 38, 40, 41, 43, 44, 46, 47, 64, 83: any text can be shown, a blank one falls back."""
    if "sentence" not in app.inputs(at_the_defaults(page)):
        pytest.skip("this page takes no sentence")
    at = app.open_app(page)
    at.segmented_control("sentence").set_value("own")
    app.look_at(at.run(), "own sentence, still blank")
    for blank in ("  ", "。 !"):
        at.text_input("words").set_value(blank)
        app.look_at(at.run(), f"{blank!r}")
        assert any("还没有可读的词" in caption.value for caption in at.caption)
        for (_, table), (_, usual) in zip(app.pictures(at), app.pictures(at_the_defaults(page)), strict=True):
            app.same_table(table, usual)
    at.text_input("words").set_value(" ".join(f"w{i}" for i in range(600)))
    app.look_at(at.run(), "600 words")
    assert any("600" in caption.value and "64" in caption.value for caption in at.caption)
    for where, text in TEXTS.items():
        at.text_input("words").set_value(text)
        app.look_at(at.run(), where)
        assert not any("还没有可读的词" in caption.value for caption in at.caption)
        for widget in app.inputs(at).values():  # bounds that follow the number of words
            if widget.type == "slider":
                widget.set_value(app.extremes(widget)[-1])
        app.look_at(at.run(), f"{where}, sliders at their upper ends")
        assert shows_whole(at, read_sentence(text).tokens), f"{where}: not all tokens are shown as typed"


def shows_whole(at, tokens):
    """Whether the tokens are labels of a picture, in their order, equal ones apart (fault 38)."""
    given = [
        param["value"]
        for spec, _ in app.pictures(at)
        for param in json.loads(spec).get("params", [])
        if isinstance(param.get("value"), list)
    ]
    given += [list(table[column]) for _, table in app.pictures(at) for column in table]
    short = [token for token in tokens if len(token) <= 4]
    return any([one for one in names if one in short] == short for names in given)


# --- the folds ----------------------------------------------------------------------------------------------


@every_page
def test_folds_hold_the_code_that_ran_and_the_numbers(page):
    at = app.open_app(page)
    for fold in at.expander:
        if fold.key:
            at.session_state[fold.key] = True
    app.look_at(at.run())
    folds = [fold for fold in at.expander if fold.key]
    kinds = [fold.key.rsplit(".", 1)[1] for fold in folds]
    assert kinds.count("code") == kinds.count("numbers")
    assert page == "home" or kinds.count("code") == len(app.sections(at))
    for fold, kind in zip(folds, kinds, strict=True):
        if kind == "code":
            assert fold.code
            for code in fold.code:
                assert_is_source(code.value)
        if kind == "numbers":
            (table,) = fold.dataframe
            assert table.value.size > 0
            assert fold.get("download_button")


def assert_is_source(text):
    """Compare a shown piece of code with what has its name in the module it names, or with all of it."""
    head, body = text.split("\n", 1)
    module = importlib.import_module(head.removeprefix("# "))
    name = re.search(r"^(?:def|class) (\w+)", body, re.MULTILINE).group(1)
    shown = module if body.startswith('"""') else inspect.unwrap(getattr(module, name))
    assert body.strip() == dedent(inspect.getsource(shown)).strip()
    assert module.__name__.startswith("core.")


# --- links, languages, reset --------------------------------------------------------------------------------


@every_page
def test_what_is_set_survives_and_can_be_handed_on(page):
    """Faults 62 and 67: another language, a visit elsewhere, a link; and one button puts all of it back."""
    at = app.settle(app.open_app(page))
    before, moved = app.values(at), move_all(at)
    set_now, query, said, pictures = app.values(at), app.link_query(at), app.said(at), app.pictures(at)
    assert set(query) == set(moved)

    other = app.look_at(app.open_app(page, query=query), f"the link {query}")
    assert app.values(other) == set_now
    assert app.link_query(other) == query
    assert app.said(other) == said
    for (spec, table), (same_spec, same_table) in zip(app.pictures(other), pictures, strict=True):
        assert spec == same_spec
        app.same_table(table, same_table)

    at.segmented_control("lang_choice").set_value("en")
    app.look_at(at.run(), "in English")
    assert {key: app.values(at)[key] for key in moved} == {key: set_now[key] for key in moved}
    assert app.link_query(at) == {"lang": "en"} | query
    at.segmented_control("lang_choice").set_value("zh")
    at.run()
    at.switch_page(PAGES[next(name for name in PAGES if name not in ("home", page))]).run()
    app.look_at(at.switch_page(PAGES[page]).run(), "after a visit elsewhere")
    assert app.values(at) == set_now
    assert app.link_query(at) == query

    at.button(f"_reset.{page}").click()
    app.look_at(at.run(), "after the reset")
    assert app.values(at) == before
    assert app.link_query(at) == {}
    assert not at.query_params


NO_NUMBERS = ("nan", "9" * 400, "abc", "")


@pytest.mark.parametrize("bad", ["99999", "-99999", NO_NUMBERS], ids=["too much", "too little", "no number"])
@every_page
def test_links_that_hold_nonsense(page, bad):
    """Out of range: the nearest. No number: the default. Either is said once, and the page works."""
    usual = at_the_defaults(page)
    grids = [grid.key.rsplit(".", 1)[0] for grid in usual.data_editor]
    texts = [key for key, widget in app.inputs(usual).items() if widget.type == "text_input"]
    keys = [key for key in (*app.inputs(usual), *grids) if key not in texts]  # any text is sense
    query = {key: bad if isinstance(bad, str) else bad[i % len(bad)] for i, key in enumerate(keys)}
    at = app.open_app(page, query=query)
    assert not at.exception
    assert not at.error
    assert len(at.warning) == (1 if keys else 0)
    for key, value in app.values(at).items():
        widget = app.inputs(at).get(key)
        numeric = widget is not None and widget.type in ("slider", "select_slider")
        if not numeric or query.get(key) in (None, *NO_NUMBERS):
            assert value == app.values(usual)[key], key
        else:
            low, high = app.extremes(widget)[0], app.extremes(widget)[-1]
            assert str(value) == str(high if bad == "99999" else low), key
    if keys:
        at.button(f"_close.{page}").click()
        app.look_at(at.run(), "after the note was put away")


def test_the_last_of_repeated_values_counts():
    query = {"soft_lookup.tau": ["5", "0.5"], "soft_lookup.angle": ["5", "90"]}
    at = app.look_at(app.open_app("soft_lookup", query=query))
    assert at.select_slider("soft_lookup.tau").value == 0.5
    assert at.slider("soft_lookup.angle").value == 90


def test_unknown_names_in_a_link_are_left_alone():
    app.look_at(app.open_app("soft_lookup", query={"utm_source": "mail", "soft_lookup.nothing": "3"}))
