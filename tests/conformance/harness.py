"""Reads the cases, finds the adapters, and runs one against the other.

A module ``tests/conformance/*_adapters.py`` exports

``ADAPTERS``
    ``{(convention, op): function(attributes, inputs, params, up) -> (outputs, grads)}``, all dictionaries.
    An adapter renames, reshapes, transposes, inverts masks; the arithmetic under test stays in ``core``.
``NOT_COVERED``
    ``{(convention, op): reason}`` for what the core leaves out.
"""

import importlib
import json
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).parent
SECTIONS = ("in", "param", "out", "up", "grad")


class NotSupported(Exception):
    """Raised by an adapter for attributes that the core leaves out; the message is the reason."""


class Register(NamedTuple):
    adapters: dict
    not_covered: dict
    twice: list  # operations that two modules claim, or that are both adapted and left out


def cases_folder():
    """Folder of the cases: the one in here, or the one named by the environment variable CONFORMANCE_DIR."""
    return Path(os.environ.get("CONFORMANCE_DIR") or HERE / "cases")


def load_manifest(folder):
    """List the records of all cases of a folder."""
    return json.loads((Path(folder) / "manifest.json").read_text(encoding="utf-8"))["cases"]


def load_arrays(folder, case):
    """Read the arrays of one case: ``{section: {name: array}}``."""
    with np.load(Path(folder) / case["file"], allow_pickle=False) as archive:
        return {
            section: {name: archive[f"{case['name']}/{section}/{name}"] for name in case.get(section, {})}
            for section in SECTIONS
        }


def key_of(case):
    """Name the operation as the adapters do."""
    return case["convention"], case["op"]


def collect():
    """Gather what all adapter modules export."""
    register = Register({}, {}, [])
    for path in sorted(HERE.glob("*_adapters.py")):
        module = importlib.import_module(f"tests.conformance.{path.stem}")
        for mine, all_of_them in (
            (module.ADAPTERS, register.adapters),
            (module.NOT_COVERED, register.not_covered),
        ):
            known = {*register.adapters, *register.not_covered}
            register.twice.extend(key for key in mine if key in known)
            all_of_them.update(mine)
    return register


def run_case(folder, case, adapter):
    """Run one case and compare every output and every gradient with what its origin computed.

    Raises
    ------
    AssertionError
        A value, a shape or a missing array.
    NotSupported
        The adapter leaves this combination of attributes out.
    """
    arrays = load_arrays(folder, case)
    outputs, grads = adapter(case["attributes"], arrays["in"], arrays["param"], arrays["up"])
    for section, got in (("out", outputs), ("grad", grads)):
        for name, wanted in arrays[section].items():
            assert name in got, f"{section} {name} is missing: the adapter gave {sorted(got)}"
            compare(np.asarray(got[name]), wanted, case["tolerance"], f"{section} {name}")


def compare(got, wanted, tolerance, label):
    """Compare one array: shape, integers and booleans exactly, the rest within the tolerance of the case."""
    assert got.shape == wanted.shape, f"{label}: shape {got.shape}, expected {wanted.shape}"
    if wanted.dtype.kind in "biu":
        np.testing.assert_array_equal(got, wanted, err_msg=label)
    else:
        np.testing.assert_allclose(got, wanted, **tolerance, err_msg=label)
