"""What the app asks of the machine that runs it: packages that exist, and little time a change."""

import ast
import importlib.metadata
import sys
import tempfile
from pathlib import Path

import pytest
import streamlit as st
from packaging.requirements import Requirement
from packaging.version import Version
from streamlit.testing.v1 import AppTest, local_script_runner

from pages.shared.frame import PAGES
from tests.benchmarks import rerun_ratio
from tests.pages import app

ROOT = Path(__file__).parents[2]
CODE = [ROOT / PAGES["home"], *sorted((ROOT / "pages").rglob("*.py")), *sorted((ROOT / "core").rglob("*.py"))]
OLDEST = (3, 11)
OWN = ("core", "pages", "tests")
TESTS_ONLY = {"pytest"}  # of the first list: what the README's test command starts with
SENTENCE = " ".join(f"w{i}" for i in range(64))  # the longest that is taken
SLOWEST = 4  # times the yardstick of the rerun benchmark, whose heat map takes about 25 ms


# --- what is installed -------------------------------------------------------------------------


def requirements(path="requirements.txt"):
    """Every line of the list that names a package."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line.strip() and not line.startswith(("#", "-r"))]


def bounds(requirement):
    """{">=": version, "<": version} of a requirement."""
    return {one.operator: Version(one.version) for one in requirement.specifier}


def hard_needs(package):
    """What a package cannot be installed without."""
    needs = [Requirement(line) for line in importlib.metadata.requires(package) or ()]
    return {need.name for need in needs if need.marker is None or "extra" not in str(need.marker)}


@pytest.mark.parametrize("path", ["requirements.txt", "tests/requirements.txt"])
def test_every_requirement_is_a_package_with_bounds_that_hold_here(path):
    """Fault 80: a module of the standard library in the list makes the installer fail."""
    for requirement in requirements(path):
        assert requirement.name not in sys.stdlib_module_names
        assert set(bounds(requirement)) == {">=", "<"}, requirement
        assert requirement.specifier.contains(importlib.metadata.version(requirement.name)), requirement


def test_streamlit_is_held_to_one_minor_version_and_protobuf_is_left_to_it():
    """Fault 77: two packages that each want their own protobuf do not start."""
    listed = {requirement.name: requirement for requirement in requirements()}
    lowest, highest = (bounds(listed["streamlit"])[way] for way in (">=", "<"))
    assert (highest.major, highest.minor) == (lowest.major, lowest.minor + 1)
    assert "protobuf" not in listed
    for name in listed.keys() - {"streamlit"}:
        assert "protobuf" not in hard_needs(name)


def imported(path):
    """Top-level modules that a file imports from elsewhere."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        yield from (name.split(".")[0] for name in names)


def test_the_list_holds_what_the_app_imports_and_nothing_else():
    foreign = {name for path in CODE for name in imported(path)} - set(sys.stdlib_module_names) - set(OWN)
    packages = importlib.metadata.packages_distributions()
    used, listed = {packages[name][0] for name in foreign}, {one.name for one in requirements()} - TESTS_ONLY
    assert listed <= used
    assert used - listed <= hard_needs("streamlit")  # such as Arrow, in which all tables go to the browser


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_oldest_python_can_read_it(path):
    assert ast.parse(path.read_text(encoding="utf-8"), feature_version=OLDEST)


# --- what a change costs -----------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch):
    """Fragments rerun alone, as in a browser, with pages compiled once."""
    runner = rerun_ratio.Runner
    monkeypatch.setattr(local_script_runner, "LocalScriptRunner", runner)
    monkeypatch.setattr(st.testing.v1.app_test, "LocalScriptRunner", runner)
    return runner


def first_of_each_section(at, drawn):
    """{fragment: (key, its two ends)}; None stands for the whole page."""
    found = {}
    for widget, ends in rerun_ratio.widgets(at):
        found.setdefault(drawn.get(widget.id), (widget.key, ends))
    return found


def cheapest(at, key, ends, fragment, rounds=4):
    """Seconds of processor time of one change, whatever else the machine is doing: the least of some."""
    return min(
        rerun_ratio.seconds(at, lambda at: app.inputs(at)[key], ends[i % 2], fragment) for i in range(rounds)
    )


@pytest.mark.parametrize("page", ["home", "local_conv", "self_attention", "block_anatomy"])
def test_a_change_of_the_longest_sentence_is_cheap(page, counted):
    """Fault 73: about 100 ms of one core at most, or forty students in a class wait for each other."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.py"
        plain.write_text(rerun_ratio.YARDSTICK, encoding="utf-8")
        yardstick = AppTest.from_file(plain, default_timeout=60).run()
        (slider,) = yardstick.slider
        unit = cheapest(yardstick, slider.key, (1, 16), None)
    at = app.open_app(page, query={"sentence": "own", "words": SENTENCE})
    for fragment, (key, ends) in first_of_each_section(at, dict(counted.drawn)).items():
        at.run()  # a fragment leaves only its own elements to be found
        assert cheapest(at, key, ends, fragment) < SLOWEST * unit, key
