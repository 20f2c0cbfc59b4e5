"""Opens a page and lays out its sections; the only place that knows how a page of this app is built.

A page file reads: open the page, one function a section, show them in reading order. Everything is imported
here, before the first session: with Streamlit's file watcher on, a module that is imported late stalls
every open session once.
"""

import inspect
import logging
from functools import lru_cache
from textwrap import dedent

import streamlit as st
import streamlit.emojis  # Streamlit imports it itself, late; see above

from core import sentences
from pages.shared import arcs, charts, live_run
from pages.shared.inputs import Inputs
from pages.shared.looks import ICON, STYLE
from pages.shared.text import LANGUAGES, Words, verbatim

VERSION = "0.1.0"
TICK = 0.2  # seconds between two looks at something that is still running
LOG = logging.getLogger("lecture")

PAGES = {
    "home": "streamlit_app.py",
    "local_conv": "pages/1_local_conv.py",
    "soft_lookup": "pages/2_soft_lookup.py",
    "self_attention": "pages/3_self_attention.py",
    "block_anatomy": "pages/4_block_anatomy.py",
    "bias_and_cost": "pages/5_bias_and_cost.py",
}


class Page:
    """What a page file works with: words, inputs, and `show` for its sections."""

    def __init__(self, name, words):
        self.name, self.words = name, words
        self.notes = st.session_state.setdefault(f"_notes.{name}", [])
        self.toolbar()
        self.notes_place = st.empty()
        self.inputs = Inputs(name, words, self.note)
        self.shared = Inputs("", words, self.note)  # the sentence: common to all pages
        self.shared.register = self.inputs.register

    def note(self, key, **values):
        """Say something once, at the top of the page: it stays until it is put away or the page is left."""
        self.notes.append(self.words(key, **values))

    def finish(self):
        """What stands last in the script: the notes that the sections left, and the footer."""
        if self.notes:
            with self.notes_place.container():
                st.warning("\n\n".join(self.notes), icon=":material/link_off:")
                st.button(self.words("note_close"), key=f"_close.{self.name}", on_click=self.notes.clear)
        st.caption(self.words("footer", version=VERSION))

    def toolbar(self):
        """What the page is about, reset, and the link to this state, which every section refreshes."""
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(self.words("lead"), width="stretch")
            st.button(
                self.words("reset"),
                key=f"_reset.{self.name}",
                icon=":material/restart_alt:",
                on_click=self._reset,
            )
            with st.popover(self.words("link"), icon=":material/link:"):
                st.caption(self.words("link_about"))
                self.link_place = st.empty()

    def _reset(self):
        self.notes.clear()
        self.inputs.reset()

    def refresh_link(self):
        always = [("lang", self.words.language)] if self.words.language != LANGUAGES[0] else []
        address = self.inputs.link(_address(), always)
        self.link_place.code(address, language=None, wrap_lines=True)

    def sentence(self, presets, own=True):
        """The sentence of the page: one of the lecture's, or the student's own."""
        chosen = self.shared.choice("sentence", [*presets, "own"] if own else presets)
        if chosen != "own":
            return self._preset(chosen)
        typed = self.shared.text("words", placeholder=self.words("words_placeholder"), max_chars=20_000)
        found = sentences.read_sentence(typed)
        if not found.tokens:
            st.caption(self.words("sentence_blank"))
            return self._preset(presets[0])
        if found.n_found > len(found.tokens):
            st.caption(self.words("sentence_cut", found=found.n_found, kept=len(found.tokens)))
        if found.by_character:
            st.caption(self.words("sentence_by_character"))
        return ChosenSentence(found.tokens, len(found.tokens) - 1, 0, is_own=True)

    def _preset(self, id):
        tokens = sentences.read_sentence(self.words(f"sentences.{id}.text")).tokens
        asks, answer = (self.words(f"sentences.{id}.{role}") for role in ("asks", "answer"))
        return ChosenSentence(tokens, tokens.index(asks), tokens.index(answer), is_own=False)

    def show_shared(self, draw):
        """Draw a section whose inputs the later ones use.

        It is no fragment, so a tweak reruns the page. Returns their values.
        """
        values = _guarded(Section(self, draw.__name__), draw)
        if values is None:  # it failed and has said so; nothing can follow
            self.finish()
            st.stop()
        return values

    def show(self, *sections):
        """Draw the sections in order, each as a fragment: a tweak reruns its own section, not the page."""
        for draw in sections:
            section = Section(self, draw.__name__)
            running = st.session_state.get(section.running_key, False)
            st.fragment(_guarded, run_every=TICK if running else None, key=section.key)(section, draw)
        self.finish()


class ChosenSentence(tuple):
    """Tokens, and which of them (from 0) asks and which would be the answer.

    `tokens, asks, answer, is_own`.
    """

    __slots__ = ()

    def __new__(cls, tokens, asks, answer, is_own):
        return super().__new__(cls, (tokens, asks, answer, is_own))

    tokens = property(lambda self: self[0])
    asks = property(lambda self: self[1])
    answer = property(lambda self: self[2])
    is_own = property(lambda self: self[3])


class Section:
    """One section.

    A question, a few words, inputs beside the picture, a sentence, the code that ran, the numbers.
    """

    def __init__(self, page, name):
        self.page, self.name = page, name
        self.key = f"{page.name}.{name}"
        self.running_key = f"_running.{self.key}"
        self.ask = page.inputs

    def words(self, key, **values):
        """A text of this section, or of the page if the section has none of that name."""
        own = f"{self.name}.{key}"
        return self.page.words(own if self.page.words.has(own) else key, **values)

    def begin(self):
        st.header(self.words("title"), anchor=self.name)
        st.markdown(self.words("text"))
        self.inputs, self.picture = st.columns([1, 2], gap="medium")

    def chart(self, picture, name="picture", **values):
        """A picture under a title that says its message.

        `<name>` is the title's text, `<name>_alt` the alternative's.
        """
        st.markdown(f"**{self.words(name, **values)}**")
        st.vega_lite_chart(
            picture.data, picture.spec, key=f"{self.key}.{name}", alt=self.words(f"{name}_alt", **values)
        )

    def stamp(self, kind, **values):
        """Where the numbers of a picture come from: computed, set by hand, random with its seed, trained."""
        st.caption(self.page.words(f"stamp.{kind}", **values))

    def says(self, key="says", **values):
        """The sentence computed from the numbers of the picture."""
        st.info(self.words(key, **values), icon=":material/lightbulb:")

    def details(self, code=(), numbers=None):
        """The functions that ran and the numbers as a table; neither costs anything while it is closed."""
        folds = (
            ("code", code, _show_code, ":material/code:"),
            ("numbers", numbers, self._show_numbers, ":material/table:"),
        )
        for place, (kind, given, show, icon) in zip(st.columns(2), folds, strict=True):
            if given is not None and len(given) > 0:
                fold = place.expander(
                    self.page.words(kind), key=f"{self.key}.{kind}", icon=icon, on_change="rerun"
                )
                if fold.open:
                    with fold:
                        show(given)

    def _show_numbers(self, numbers):
        st.dataframe(numbers, hide_index=True, alt=self.page.words("numbers"))
        st.download_button(
            self.page.words("csv"),
            numbers.to_csv(index=False).encode("utf-8-sig"),  # the mark makes Excel read it as UTF-8
            file_name=f"{self.key}.csv",
            mime="text/csv",
            key=f"{self.key}.csv",
            on_click="ignore",
        )

    @property
    def wanted(self):
        """Whether the reader has asked for something to run."""
        return st.session_state.get(f"_wanted.{self.key}", False)

    @wanted.setter
    def wanted(self, run):
        st.session_state[f"_wanted.{self.key}"] = run

    def tick_while(self, running):
        """Look again every TICK seconds while something runs.

        The timer is set on a full run, so start and end cost one.
        """
        if running != st.session_state.get(self.running_key, False):
            st.session_state[self.running_key] = running
            st.rerun()


def open_page(name):
    """Looks, language and navigation of a page; returns what its sections are drawn with."""
    language = _language()
    words = Words(language, name)
    st.set_page_config(page_title=f"{words('title')} · {words('app')}", page_icon=ICON, layout="wide")
    st.html(STYLE)
    arcs.set_document_language(language)
    _navigation(words)
    st.title(words("title"), anchor=False)
    page = Page(name, words)
    if "_unknown_language" in st.session_state:
        del st.session_state["_unknown_language"]
        page.note("note_language")
    for other in PAGES:
        if other != name:
            st.session_state.pop(f"_notes.{other}", None)
    return page


def _language():
    held = st.session_state
    if "lang" not in held:
        asked = st.query_params.get("lang", LANGUAGES[0])
        held.lang = asked if asked in LANGUAGES else LANGUAGES[0]
        if asked != held.lang:
            held["_unknown_language"] = True
    if st.query_params.get("lang", LANGUAGES[0]) != held.lang:
        if held.lang == LANGUAGES[0]:
            del st.query_params["lang"]
        else:
            st.query_params["lang"] = held.lang
    return held.lang


def _navigation(words):
    """A row of links to all pages, and the language at its end."""
    query = {"lang": words.language} if words.language != LANGUAGES[0] else None
    with st.container(horizontal=True, vertical_alignment="center", key="navigation"):
        for name, path in PAGES.items():
            st.page_link(path, label=words(f"nav.{name}"), query_params=query)
        st.session_state.lang_choice = words.language
        st.segmented_control(
            "语言 / Language",
            LANGUAGES,
            format_func=lambda id: {"zh": "中文", "en": "English"}.get(id, id),
            key="lang_choice",
            required=True,
            label_visibility="collapsed",
            on_change=_switch_language,
        )


def _switch_language():
    st.session_state.lang = st.session_state.lang_choice


def _address():
    """The page's address without its query."""
    return (st.context.url or "").split("?")[0]


def _guarded(section, draw):
    """A section that fails says so and leaves the others alone.

    (Streamlit's own control flow is no Exception.)
    """
    try:
        with st.container(border=True):
            section.begin()
            values = draw(section)
        section.page.refresh_link()
        return values
    except Exception:
        LOG.exception("section %s failed", section.key)
        st.error(section.page.words("section_failed"))
        return None


def _show_code(functions):
    for function in functions:
        st.code(source(function), language="python")


@lru_cache(maxsize=128)
def source(function):
    """The very function that ran, as it stands in its file."""
    return f"# {inspect.unwrap(function).__module__}\n" + dedent(inspect.getsource(inspect.unwrap(function)))


__all__ = ["VERSION", "Page", "Section", "charts", "live_run", "open_page", "source", "verbatim"]
