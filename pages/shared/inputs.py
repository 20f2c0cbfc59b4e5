"""Widgets whose values live in the URL: a lecturer can hand out a link to exactly what is on the screen.

Numbers and switches use Streamlit's own binding (`bind="query-params"`). Choices store ids, never
translated labels, and grids store their numbers; both write the URL themselves. Places, which a running
script moves, only read it. Each input is entered in the page's register (key, value, default): the link to a
state and the reset are made from it.
"""

from urllib.parse import urlencode

import streamlit as st

from pages.shared.grids import column_config, decode, encode, read_grid
from pages.shared.links import as_text, nearest_of, on_grid, round_to, same_number, to_number, write_url

LAST_SEED = 20
UNBOUND = "_unbound"  # in the session: keys of the inputs that Streamlit does not write into the URL


class Inputs:
    """The inputs of one page.

    `words` gives labels as `inputs.<name>` and options as `options.<name>.<id>`.
    """

    def __init__(self, page, words, note):
        self.page, self.words, self.note = page, words, note
        self.register = {}  # key -> (value as it stands in the URL, its default)

    # --- numbers and switches: bound to the URL by Streamlit ------------------------------------

    def number(self, name, low, high, default, step=1, **options):
        """A slider; whole numbers if low, high, default and step are.

        Its bounds and its default may move with other inputs (a shorter sentence, another word that asks):
        what is out of bounds is brought back, and a slider that stands at its default goes along.
        """
        key, kind = self._key(name), type(step)
        if low == high:  # a slider with one place cannot be drawn, and there is nothing to choose
            return low
        self._nearest(key, name, lambda raw: on_grid(raw, low, high, step))
        insisted = _take_up(key)
        _follow(key, kind(default))
        _keep_inside(key, low, high)
        wanted = st.session_state.get(key)
        value = st.slider(
            self._label(name),
            kind(low),
            kind(high),
            kind(default),
            step=step,
            key=key,
            bind="query-params",
            help=self._help(name),
            **options,
        )
        if wanted not in (None, value) and not insisted:
            _insist(key, wanted)
        return self._enter(key, round_to(value, step), kind(default))

    def seed(self, name):
        """A slider over the seeds that a student can choose from, 0 first."""
        return self.number(name, 0, LAST_SEED, 0)

    def pick(self, name, values, default, **options):
        """A slider over given numbers, for steps that grow (1, 2, 4, ...).

        A link may hold any number, the nearest is taken.
        """
        key = self._key(name)
        self._nearest(key, name, lambda raw: nearest_of(to_number(raw), values))
        value = st.select_slider(
            self._label(name),
            values,
            default,
            key=key,
            bind="query-params",
            help=self._help(name),
            **options,
        )
        return self._enter(key, value, default)

    def toggle(self, name, default=False, **options):
        key = self._key(name)
        self._nearest(key, name, {"true": True, "false": False}.get)
        value = st.toggle(
            self._label(name),
            default,
            key=key,
            bind="query-params",
            help=self._help(name),
            **options,
        )
        return self._enter(key, value, default)

    # --- places: the URL is read, but does not follow -------------------------------------------

    def place(self, name, low, high, default=0, step=1, **options):
        """A slider that the script itself may move while something runs: how far a walk has come.

        To move it, write `st.session_state["<page>.<name>"]` before it is drawn. It begins where a link says,
        "link to this state" carries it and a reset brings it back. The address bar does not follow: each
        value that a script gives to a bound slider becomes an entry of the browser's history, and whoever
        wants to go back would have to go through a whole walk.
        """
        key, kind = self._key(name), type(step)
        if low == high:
            return low
        self._nearest(key, name, lambda raw: on_grid(raw, low, high, step), bound=False)
        _follow(key, kind(default))
        _keep_inside(key, low, high)
        _carry_over(key, (low, high, step))
        value = st.slider(
            self._label(name),
            kind(low),
            kind(high),
            kind(default),
            step=step,
            key=key,
            persist_state="session",
            help=self._help(name),
            **options,
        )
        return self._enter(key, round_to(value, step), kind(default))

    # --- choices and grids: the URL is written here ---------------------------------------------

    def choice(self, name, ids, default=None, **options):
        """One of `ids`, shown by their translated labels."""
        key, default = self._key(name), default or ids[0]
        self._nearest(key, name, {id: id for id in ids}.get, bound=False)
        held = st.session_state.get(key)
        # Written in any case: what another page's widget of this key left behind would not reach this one.
        st.session_state[key] = held if held in ids else default
        labels = {id: self.words(f"options.{name}.{id}") for id in ids}
        value = st.segmented_control(
            self._label(name),
            ids,
            format_func=lambda id: labels.get(id, id),
            key=key,
            required=True,
            wrap=True,  # else what does not fit in the column is out of sight
            persist_state="session",
            help=self._help(name),
            **options,
        )
        write_url(key, value, default)
        return self._enter(key, value, default)

    def text(self, name, placeholder, **options):
        key = self._key(name)
        if key in st.session_state:  # as in `choice`: the words of another page's widget of this key
            st.session_state[key] = st.session_state[key]
        value = st.text_input(
            self._label(name),
            placeholder=placeholder,
            key=key,
            bind="query-params",
            help=self._help(name),
            **options,
        )
        return self._enter(key, value, "")

    def grid(self, name, default, labels=None, decimals=2):
        """A small editable table of fixed shape. `default` is a DataFrame of numbers and names.

        Cells that are empty or hold no number are named in a sentence, and the last good value of that cell
        is used.
        """
        key = self._key(name)
        start, usual, editor = self._grid_start(key, name, default)
        edited = st.data_editor(
            start,
            key=editor,
            hide_index=True,
            num_rows="fixed",
            alt=self._label(name),
            column_config={c: column_config(start[c], (labels or {}).get(c, c), decimals) for c in start},
            width="stretch",
        )
        good, bad, value = read_grid(key, editor, edited, start)
        if bad:
            cells = ", ".join(
                self.words("grid_cell", row=row + 1, column=(labels or {}).get(c, c)) for row, c in bad
            )
            st.warning(self.words("grid_bad", cells=cells))
        write_url(key, value, usual)
        self._enter(key, value, usual)
        return good

    def _grid_start(self, key, name, default):
        """The table that the editor starts from: as the link, the reset or the first visit wants it."""
        held, usual = st.session_state, encode(default)
        if held.get(f"{key}.usual") != usual:  # first visit, or the default speaks another language now
            untouched = held.get(f"{key}.text") == held.get(f"{key}.usual")
            text = st.query_params.get(key) if untouched else held[f"{key}.text"]
            table = decode(text, default) if text else default
            if table is None:
                self.note("note_unknown", name=self._label(name))
            held[f"{key}.start"] = held[f"{key}.good"] = default if table is None else table
            held[f"{key}.version"] = held.get(f"{key}.version", -1) + 1  # a new editor, without old edits
            held[f"{key}.usual"] = usual
        return held[f"{key}.start"], usual, f"{key}.{held[f'{key}.version']}"

    # --- the register ---------------------------------------------------------------------------

    def link(self, address, always=()):
        """The address of exactly this state: `always` and every input that is not at its default."""
        moved = [(key, value) for key, (value, default) in self.register.items() if value != default]
        query = urlencode([*always, *((key, as_text(value)) for key, value in moved)])
        return f"{address}?{query}" if query else address

    def reset(self):
        """Put every input of the page back; to be called as a callback, so that the URL follows."""
        held = st.session_state
        for key, default in held.get(f"_defaults.{self.page}", {}).items():
            if key not in self.register and key in held:  # an input that other inputs hide at the moment
                _put_back(key, default)
        for key, (_, default) in self.register.items():
            if f"{key}.usual" in held:  # a grid
                del held[f"{key}.usual"], held[f"{key}.text"]
                st.query_params.pop(key, None)
            elif key in held:
                _put_back(key, default)

    def _enter(self, key, value, default):
        self.register[key] = (value, default)
        st.session_state.setdefault(f"_defaults.{self.page}", {})[key] = default
        return value

    def _key(self, name):
        return f"{self.page}.{name}" if self.page else name

    def _label(self, name):
        return self.words(f"inputs.{name}")

    def _help(self, name):
        return self.words(f"help.{name}") if self.words.has(f"help.{name}") else None

    def _nearest(self, key, name, read, bound=True):
        """Take a value from a link that the widget itself would refuse, or would not see if it is not bound.

        The nearest valid one, and say so once.
        """
        if not bound:
            st.session_state.setdefault(UNBOUND, set()).add(key)
        raw = st.query_params.get(key)  # of several the last; Streamlit itself would take none of them
        if raw is None or key in st.session_state:
            return
        several = len(st.query_params.get_all(key)) > 1
        value = read(raw)
        if value is None:
            self.note("note_unknown", name=self._label(name))
            return
        as_written = as_text(value) == raw
        if several or not as_written or not bound:  # the widget alone would not find it
            st.session_state[key] = value
        if not as_written and not same_number(raw, value):
            self.note("note_nearest", name=self._label(name), value=as_text(value))


def _follow(key, default):
    held, usual = st.session_state, f"_usual.{key}"
    if key in held and held.get(usual, default) != default and held[key] == held[usual]:
        held[key] = default
    held[usual] = default


def _insist(key, wanted):
    """A slider with other bounds is new to Streamlit and begins at what the URL still says: once more."""
    st.session_state[f"_insist.{key}"] = wanted
    st.rerun()


def _take_up(key):
    wanted = st.session_state.pop(f"_insist.{key}", None)
    if wanted is not None:
        st.session_state[key] = wanted
    return wanted is not None


def _put_back(key, default):
    st.session_state[key] = default
    if key in st.session_state.get(UNBOUND, ()):  # Streamlit would leave the URL as it is
        st.query_params.pop(key, None)


def _carry_over(key, bounds):
    """Keep the value of a slider whose bounds change: it is a new one for Streamlit, which would forget it.

    Nothing is written while they stay, or each run would draw back a thumb that is being moved.
    """
    held = st.session_state
    if key in held and held.get(f"_bounds.{key}") != bounds:
        held[key] = held[key]
    held[f"_bounds.{key}"] = bounds


def _keep_inside(key, low, high):
    held = st.session_state.get(key)
    if held is not None and not low <= held <= high:
        st.session_state[key] = type(held)(min(max(held, low), high))
