"""Runs that were recorded: what a section shows before anybody trains. `record.py` makes them."""

import json
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

FOLDER = Path(__file__).parent / "recordings"


class Recording(NamedTuple):
    """A run as it was, and how it came about."""

    seen: list  # its snapshots
    meta: dict  # settings, seconds, versions, kernel


def save(name, snapshots, meta):
    """Write the snapshots of one run, all of one kind, each field as one array.

    Floats are kept as float32, and fields named `flat`, all parameters of a model, as float16: a picture made
    of them differs by less than a thousandth.
    """
    fields = {}
    for field in snapshots[0]._fields:
        column = np.stack([np.asarray(getattr(snapshot, field)) for snapshot in snapshots])
        small = np.float16 if field == "flat" else np.float32
        fields[field] = column.astype(small) if column.dtype.kind == "f" else column
    FOLDER.mkdir(exist_ok=True)
    np.savez_compressed(FOLDER / f"{name}.npz", meta=json.dumps(meta), **fields)


@lru_cache(maxsize=256)
def load(name, kind):
    """Read a recording.

    Parameters
    ----------
    name : str
    kind : NamedTuple class
        What its snapshots were.

    Returns
    -------
    Recording
        Numbers come back as Python's own, arrays as float32.
    """
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as found:
        meta = json.loads(str(found["meta"]))
        columns = [found[field] for field in kind._fields]
    rows = zip(*(map(_value, column) for column in columns), strict=True)
    return Recording([kind(*row) for row in rows], meta)


def _value(entry):
    if np.ndim(entry) == 0:
        return entry.item()
    return entry.astype(np.float32) if entry.dtype == np.float16 else entry
