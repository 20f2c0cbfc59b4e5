"""Our parts against other people's numbers: every case of the folder, forward and gradients."""

import json

import numpy as np
import pytest

from tests.conformance.harness import (
    NotSupported,
    cases_folder,
    collect,
    compare,
    key_of,
    load_manifest,
    run_case,
)

FOLDER = cases_folder()
CASES = load_manifest(FOLDER)
REGISTER = collect()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case):
    key = key_of(case)
    if key in REGISTER.not_covered:
        pytest.skip(REGISTER.not_covered[key])
    assert key in REGISTER.adapters, f"{key} is neither adapted nor listed with a reason"
    try:
        run_case(FOLDER, case, REGISTER.adapters[key])
    except NotSupported as reason:
        pytest.skip(str(reason))


def test_every_operation_is_decided_once():
    decided = {*REGISTER.adapters, *REGISTER.not_covered}
    assert {key_of(case) for case in CASES} - decided == set()
    assert REGISTER.twice == []


def test_every_reason_is_a_sentence():
    assert all(isinstance(reason, str) and len(reason) > 10 for reason in REGISTER.not_covered.values())


def test_a_wrong_value_a_wrong_shape_and_a_missing_array_fail(tmp_path):
    folder = write_folder(tmp_path)
    (case,) = load_manifest(folder)
    run_case(folder, case, lambda attributes, x, p, up: ({"y": 2 * x["x"]}, {"x": 2 * up["y"]}))
    with pytest.raises(AssertionError, match="out y"):
        run_case(folder, case, lambda attributes, x, p, up: ({"y": 2.001 * x["x"]}, {"x": 2 * up["y"]}))
    with pytest.raises(AssertionError, match="grad x: shape"):
        run_case(folder, case, lambda attributes, x, p, up: ({"y": 2 * x["x"]}, {"x": up["y"][:1]}))
    with pytest.raises(AssertionError, match="grad x is missing"):
        run_case(folder, case, lambda attributes, x, p, up: ({"y": 2 * x["x"]}, {}))


def test_integers_are_compared_exactly():
    loose = {"rtol": 1.0, "atol": 1.0}
    compare(np.array([1.5]), np.array([1.0]), loose, "a")
    with pytest.raises(AssertionError, match="b"):
        compare(np.array([2]), np.array([1]), loose, "b")


def test_the_folder_can_be_replaced(tmp_path, monkeypatch):
    assert (cases_folder() / "manifest.json").exists()
    monkeypatch.setenv("CONFORMANCE_DIR", str(write_folder(tmp_path)))
    assert [case["name"] for case in load_manifest(cases_folder())] == ["double"]


def write_folder(path):
    """Write a folder that holds one case: y = 2 x."""
    x, up = np.array([3.0, -1.0]), np.array([0.5, 7.0])
    sections = {"in": {"x": x}, "out": {"y": 2 * x}, "up": {"y": up}, "grad": {"x": 2 * up}}
    arrays = {f"double/{s}/{name}": a for s, named in sections.items() for name, a in named.items()}
    np.savez(path / "made_up.npz", **arrays)
    record = {
        "name": "double",
        "op": "Double",
        "convention": "made_up",
        "file": "made_up.npz",
        "attributes": {},
    }
    record["tolerance"] = {"rtol": 1e-9, "atol": 1e-11}
    record |= {section: {name: {} for name in named} for section, named in sections.items()}
    (path / "manifest.json").write_text(json.dumps({"cases": [record]}), encoding="utf-8")
    return path
