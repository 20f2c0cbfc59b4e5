"""One section of a page: a question, a few words, inputs beside the picture, a sentence, code, numbers."""

import inspect
import logging
from functools import lru_cache, reduce
from textwrap import dedent

import pyarrow as pa
import streamlit as st
from pandas.api.types import is_numeric_dtype

from pages.shared.text import CodeSpan

WANTED = "_wanted."
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet's formula begins with
TICK = 0.2  # seconds between two looks at something that is still running
LOG = logging.getLogger("lecture")


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
        st.markdown(self.words("text", **self.page.facts))
        self.inputs, self.picture = st.columns([1, 2], gap="medium")

    def listed(self, parts, most=4):
        """Tokens in a row, or texts about them; "…" stands for what is more than `most`."""

        def row(some):
            joined = reduce(lambda a, b: self.page.words("and", a=a, b=b), some[:most])
            return joined + "…" if len(some) > most else joined

        span = CodeSpan(row(parts))
        span.token = row([getattr(part, "token", part) for part in parts])
        return span

    def chart(self, picture, name="picture", **values):
        """A picture under a title that says its message.

        `<name>` is the title's text, `<name>_alt` the alternative's.
        """
        st.markdown(f"**{self.words(name, **values)}**")
        plain = {name: getattr(value, "token", value) for name, value in values.items()}
        alternative = self.words(f"{name}_alt", **plain)
        st.vega_lite_chart(arrow(picture.columns), picture.spec, key=f"{self.key}.{name}", alt=alternative)

    def stamp(self, kind, **values):
        """Where the numbers of a picture come from: computed, set by hand, random with its seed, trained."""
        st.caption(self.page.words(f"stamp.{kind}", **values))

    def says(self, key="says", **values):
        """The sentence computed from the numbers of the picture."""
        st.info(self.words(key, **values), icon=":material/lightbulb:")

    def details(self, code, numbers):
        """The functions that ran and the numbers as a table; neither costs anything while it is closed.

        `numbers` is a DataFrame, or a function that makes one when somebody wants to see it.
        """
        folds = (
            ("code", code, _show_code, ":material/code:"),
            ("numbers", numbers, self._show_numbers, ":material/table:"),
        )
        places = st.columns(2)  # below each other on a phone
        for place, (kind, given, show, icon) in zip(places, folds, strict=True):
            label, key = self.page.words(kind), f"{self.key}.{kind}"
            fold = place.expander(label, key=key, icon=icon, on_change="rerun")
            if fold.open:
                with fold:
                    show(given)

    def _show_numbers(self, numbers):
        numbers = numbers() if callable(numbers) else numbers
        st.dataframe(numbers, hide_index=True, alt=self.page.words("numbers"))
        st.download_button(
            self.page.words("csv"),
            without_formulas(numbers)
            .to_csv(index=False)
            .encode("utf-8-sig"),  # the mark makes Excel read it as UTF-8
            file_name=f"{self.key}.csv",
            mime="text/csv",
            key=f"{self.key}.csv",
            on_click="ignore",
        )

    # --- things that run ------------------------------------------------------------------------

    def start_or_stop(self, running, before=None, disabled=False, at_rest=None):
        """A button that starts what may run, or one that stops it.

        `before` is called when it starts, `at_rest` when it stops.

        Two buttons, not one with two labels: a click that is told twice must not undo itself.
        """
        action = "pause" if running else "play"
        st.button(
            self.words(action),
            key=f"{self.key}.{action}",
            on_click=self.want,
            args=(not running, at_rest if running else before),
            type="primary",
            disabled=disabled,
        )

    def want(self, run, before=None):
        """What a click does: something is to run from now on, or to stop."""
        if before:
            before()
        self.wanted = run

    @property
    def wanted(self):
        """Whether the reader has asked for something to run."""
        return st.session_state.get(f"{WANTED}{self.key}", False)

    @wanted.setter
    def wanted(self, run):
        st.session_state[f"{WANTED}{self.key}"] = run

    def tick_while(self, *running):
        """Look again while something runs: every so many seconds, or every TICK seconds for True.

        The timer is set on a full run: start and end cost one, and so does a pause far from the one before.
        """
        pauses = [TICK if one is True else one for one in running if one]
        held, pause = st.session_state.get(self.running_key), min(pauses, default=None)
        if bool(pause) != bool(held) or (pause and not held / 2 < pause < held * 2):
            st.session_state[self.running_key] = pause
            st.rerun()


def guarded(section, draw):
    """A section that fails says so and leaves the others alone.

    (Streamlit's own control flow is no Exception.)
    """
    try:
        with st.container(border=True):
            section.begin()
            values = draw(section)
        section.page.refresh_link()  # on full runs too: a fragment may only write later where it wrote then
        return values
    except Exception:
        LOG.exception("section %s failed", section.key)
        st.error(section.page.words("section_failed"))
        return None


def arrow(table):  # DataFrame or {name: column} -> pyarrow.Table
    """The columns of a table as a picture needs them; by way of pandas it would take three times as long."""
    columns = {name: getattr(column, "array", column) for name, column in table.items()}
    return pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})


def without_formulas(table):
    """A table whose texts a spreadsheet takes as texts: "=1+1" as a word would be computed, or worse.

    A single quote in front is what OWASP advises against injection into CSV. Numbers stay as they are.
    """

    def plain(value):
        return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value

    safe = table.apply(lambda column: column if is_numeric_dtype(column) else column.map(plain))
    return safe.rename(columns=plain)


def _show_code(functions):
    for function in functions:
        st.code(source(function), language="python")


@lru_cache(maxsize=128)
def source(function):
    """The very function that ran, as it stands in its file."""
    return f"# {inspect.unwrap(function).__module__}\n" + dedent(inspect.getsource(inspect.unwrap(function)))
