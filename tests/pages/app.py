"""Opens the app without a browser and tells what stands on a page; used by the tests of this folder."""

import time
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

from pages.shared.frame import PAGES

ROOT = Path(__file__).parents[2]
KINDS = ("slider", "select_slider", "toggle", "button_group", "text_input")
FRAME_KEYS = ("navigation", "lang_choice")


def open_app(page="home", lang="zh", query=()):
    """Start at home, as every session does, then go to a page by its address."""
    at = AppTest.from_file(ROOT / PAGES["home"], default_timeout=60)
    for key, value in dict(query).items():
        at.query_params[key] = value
    if lang != "zh":
        at.query_params["lang"] = lang
    if page == "home":
        return at.run()
    at.run()
    return at.switch_page(PAGES[page]).run()


def settle(at):
    """Wait until nothing on the page runs by itself any more."""
    end = time.monotonic() + 60
    while any(value for key, value in at.session_state.items() if key.startswith("_running.")):
        assert time.monotonic() < end, "it runs and runs"
        time.sleep(0.1)
        at.run()
    return at


def inputs(at):
    """All inputs on the page that the reader can set: {key: widget}."""
    found = [widget for kind in KINDS for widget in at.get(kind)]
    return {widget.key: widget for widget in found if widget.key not in FRAME_KEYS}


def values(at):
    """What the inputs stand at, grids included."""
    grids = {grid.key.rsplit(".", 1)[0]: grid.value.to_dict() for grid in at.data_editor}
    return {key: widget.value for key, widget in inputs(at).items()} | grids


def extremes(widget):
    """Both ends of a slider, the other state of a switch, every option of a choice."""
    if widget.type == "slider":
        kind = type(widget.value)
        return [kind(widget.min), kind(widget.max)]
    if widget.type == "select_slider":
        return [widget.options[0], widget.options[-1]]
    if widget.type == "toggle":
        return [not widget.value]
    if widget.type == "text_input":
        return []
    return list(widget.options)


def set_to(at, key, value):
    """Set an input without running the page yet."""
    inputs(at)[key].set_value(value)


def nodes(at):
    """Every element and container of the page."""
    waiting = [at.main, at.sidebar]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += getattr(node, "children", {}).values()


def widget_keys(at):
    """List the keys of all widgets; None for a widget without one."""
    ids = [getattr(getattr(node, "proto", None), "id", "") for node in nodes(at)]
    keys = [id.split("-", 2)[2] for id in ids if isinstance(id, str) and id.startswith("$$")]
    return [None if key == "None" else key for key in keys]


def sections(at):
    """Give the containers that begin with a question."""
    return [
        node
        for node in nodes(at)
        if any(getattr(child, "type", "") == "header" for child in getattr(node, "children", {}).values())
    ]


def pictures(at):
    """(spec, table) of every chart."""
    protos = [chart.proto for chart in at.get("vega_lite_chart")]
    return [(proto.spec, table_of(proto.data.data)) for proto in protos]


def table_of(arrow):
    with pa.ipc.open_stream(arrow) as reader:
        return reader.read_pandas()


def said(at):
    """Every word that is written out: headings, prose, sentences, captions."""
    kinds = ("title", "header", "markdown", "caption", "info")
    return [element.value for kind in kinds for element in at.get(kind)]


def link(at):
    """The link to this state as it stands in the popover."""
    (code,) = [code for popover in at.get("popover") for code in popover.code]
    return code.value


def link_query(at):
    return dict(parse_qsl(urlsplit(link(at)).query, keep_blank_values=True))


def look_at(at, where=""):
    """Hold that the page is whole: nothing failed, nothing is missing."""
    assert not at.exception, f"{where}: {at.exception}"
    assert not at.error, f"{where}: {[error.value for error in at.error]}"
    assert not at.warning, f"{where}: {[warning.value for warning in at.warning]}"
    for section in sections(at):
        title = section.get("header")[0].value
        assert section.get("vega_lite_chart"), f"{where}: no chart under {title}"
    return at


def same_table(one, other):
    pd.testing.assert_frame_equal(one, other, check_exact=True)
