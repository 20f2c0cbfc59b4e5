"""Small editable tables: what can be used of one after an edit, and how it is written in a link."""

import re

import pandas as pd
import streamlit as st

from pages.shared.links import to_number

LARGEST_CELL = 99  # in magnitude


def column_config(column, label, decimals):
    """How a column is shown and what may be typed into it."""
    if pd.api.types.is_numeric_dtype(column):
        return st.column_config.NumberColumn(
            label, format=f"%.{decimals}f", min_value=-LARGEST_CELL, max_value=LARGEST_CELL, width=58
        )
    return st.column_config.TextColumn(label, max_chars=12, width=60)


def read_grid(key, editor, edited, start):
    """What can be used of an edited table, what cannot, and its text; read anew only if the edits changed."""
    held = st.session_state
    edits = f"{editor} {held[editor]['edited_rows']}"
    if held.get(f"{key}.edits") != edits:
        good, bad = only_numbers(edited, held.get(f"{key}.good", start))
        held.update(
            {f"{key}.{part}": value for part, value in (("edits", edits), ("good", good), ("bad", bad))}
        )
        held[f"{key}.text"] = encode(good)
    return held[f"{key}.good"], held[f"{key}.bad"], held[f"{key}.text"]


def only_numbers(edited, last_good):
    """The table with unusable cells put back to what they were, and the places of those cells."""
    good, bad = {}, []
    for column in last_good:
        cells, was = edited[column].tolist(), last_good[column].tolist()
        read = _name if isinstance(was[0], str) else _number
        now = [read(cell) for cell in cells]
        bad += [(row, column) for row, cell in enumerate(now) if cell is None]
        good[column] = [old if new is None else new for old, new in zip(was, now, strict=True)]
    return pd.DataFrame(good), bad


def _number(cell):
    value = to_number(cell)
    return None if value is None or abs(value) > LARGEST_CELL else value


def _name(cell):
    """A name that can stand in a link, where "," and ";" part the cells; None if nothing is left."""
    return re.sub("[,;]", "", cell).strip() or None if isinstance(cell, str) else None


def encode(table):
    """Rows joined by ";", cells by ","."""
    rows = zip(*(table[column].tolist() for column in table), strict=True)
    return ";".join(
        ",".join(cell if isinstance(cell, str) else f"{cell:.12g}" for cell in row) for row in rows
    )


def decode(text, default):
    """The table that a link describes, or None if it is not one of this shape."""
    rows = [row.split(",") for row in text.split(";")]
    if len(rows) != len(default) or any(len(row) != default.shape[1] for row in rows):
        return None
    table, bad = only_numbers(pd.DataFrame(rows, columns=default.columns), default)
    return None if bad else table
