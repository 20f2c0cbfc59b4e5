"""Opens a page and lays out its sections; the only place that knows how a page of this app is built.

A page file reads: open the page, show its sections in reading order. These have a module each in
`pages.sections`; those of the home page stand in its file. Everything is imported here, before the first
session: with Streamlit's file watcher on, a module that is imported late stalls every open session once.
"""

import importlib
import pkgutil
from typing import NamedTuple

import streamlit as st

from core import sentences
from pages.shared import arcs, charts, live_run
from pages.shared.inputs import Inputs
from pages.shared.looks import ICON, STYLE
from pages.shared.section import WANTED, Section, guarded, source
from pages.shared.text import LANGUAGES, Words, verbatim

# What Streamlit imports at the first icon, Python and pandas at the first CSV and ZIP; what one page needs.
LATE = ("streamlit.emojis", "numpy.rec", "encodings.utf_8_sig", "encodings.cp437", "pandas.io.formats.csvs")
for name in LATE:
    importlib.import_module(name)
for name in ("core", "pages.sections"):
    for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
        importlib.import_module(module.name)

VERSION = "0.1.0"
MOST_NOTES = 3  # that are spelt out

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

    def __init__(self, name, words, facts):
        self.name, self.words, self.facts = name, words, facts
        self.notes = st.session_state.setdefault(f"_notes.{name}", [])
        self.inputs = Inputs(name, words, self.note)
        self.shared = Inputs("", words, self.note)  # the sentence: common to all pages
        self.shared.register = self.inputs.register
        self.drawn = []  # names of the sections that stand above the fragments

    def note(self, key, **values):
        """Say something once, at the top of the page: it stays until it is put away or the page is left."""
        self.notes.append(self.words(key, **values))

    def finish(self):
        """What stands last in the script: the notes that the sections left, and the footer."""
        self.refresh_link()
        if self.notes:
            said, more = self.notes[:MOST_NOTES], len(self.notes) - MOST_NOTES
            if more > 0:
                said.append(self.words("notes_more", n=more))
            with self.notes_place.container():
                st.warning("\n\n".join(said), icon=":material/link_off:")
                st.button(self.words("note_close"), key=f"_close.{self.name}", on_click=self.notes.clear)
        st.caption(self.words("footer", version=VERSION))

    def head(self):
        """Links to all pages, title, contents, reset, the link to this state, and a place for notes."""
        self._navigation()
        st.title(self.words("title"), anchor=False)
        st.markdown(self.words("lead"))
        with st.container(horizontal=True, vertical_alignment="center"):
            self.contents_place = st.empty()
            st.button(
                self.words("reset"),
                key=f"_reset.{self.name}",
                icon=":material/restart_alt:",
                on_click=self._reset,
            )
            with st.popover(self.words("link"), icon=":material/link:"):
                st.caption(self.words("link_about"))
                self.link_place = st.empty()
        self.notes_place = st.empty()

    def _navigation(self):
        """A row of links to all pages, and the language at its end."""
        with st.container(horizontal=True, vertical_alignment="center", key="navigation"):
            for name in PAGES:
                self.link_to(name)
            st.session_state.lang_choice = self.words.language
            st.segmented_control(
                "语言 / Language",
                LANGUAGES,
                format_func=lambda id: {"zh": "中文", "en": "English"}.get(id, id),
                key="lang_choice",
                required=True,
                label_visibility="collapsed",
                on_change=_switch_language,
            )

    def _contents(self, names):
        """Links to all sections: some pages are long."""
        with self.contents_place.popover(self.words("contents"), icon=":material/toc:"):
            st.markdown("\n".join(f"1. [{self.words(f'{name}.title')}](#{name})" for name in names))

    def _reset(self):
        self.notes.clear()
        for key in list(st.session_state):  # what runs, stops
            if str(key).startswith(f"{WANTED}{self.name}."):
                del st.session_state[key]
        self.inputs.reset()

    def link_to(self, name):
        """A link to another page that keeps the language."""
        query = {"lang": self.words.language} if self.words.language != LANGUAGES[0] else None
        st.page_link(PAGES[name], label=self.words(f"nav.{name}"), query_params=query)

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
        self.drawn.append(draw.__name__)
        values = guarded(Section(self, draw.__name__), draw)
        if values is None:  # it failed and has said so; nothing can follow
            self.finish()
            st.stop()
        return values

    def show(self, *sections):
        """Draw the sections in order, each as a fragment: a tweak reruns its own section, not the page.

        One that works with what the page has asked for is handed it: `partial(draw, sentence=sentence)`.
        """
        names = [getattr(draw, "func", draw).__name__ for draw in sections]
        self._contents([*self.drawn, *names])
        for name, draw in zip(names, sections, strict=True):
            section = Section(self, name)
            pause = st.session_state.get(section.running_key)
            st.fragment(guarded, run_every=pause, key=section.key)(section, draw)
        self.finish()


class ChosenSentence(NamedTuple):
    """Tokens, and which of them (from 0) asks and which would be the answer."""

    tokens: tuple[str, ...]
    asks: int
    answer: int
    is_own: bool


def open_page(name, **facts):
    """Looks, language and navigation of a page; returns what its sections are drawn with.

    `facts` are numbers of the code that the texts of the sections quote.
    """
    language = _language()
    words = Words(language, name)
    st.set_page_config(page_title=f"{words('title')} · {words('app')}", page_icon=ICON, layout="wide")
    st.html(STYLE)
    arcs.set_document_language(language)
    page = Page(name, words, facts)
    page.head()
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
    if (st.query_params.get_all("lang") or [LANGUAGES[0]]) != [held.lang]:  # of several one stays
        if held.lang == LANGUAGES[0]:
            del st.query_params["lang"]
        else:
            st.query_params["lang"] = held.lang
    return held.lang


def _switch_language():
    st.session_state.lang = st.session_state.lang_choice


def _address():
    """The page's address without its query."""
    return (st.context.url or "").split("?")[0]


__all__ = ["VERSION", "Page", "Section", "charts", "live_run", "open_page", "source", "verbatim"]
