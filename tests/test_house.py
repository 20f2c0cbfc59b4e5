"""The rules of the house, read from the source: who imports whom, no hidden state, short functions."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CORE = sorted((ROOT / "core").rglob("*.py"))
SCREEN = [ROOT / "streamlit_app.py", *sorted((ROOT / "pages").rglob("*.py"))]
FORBIDDEN = {
    "core/blocks": ("core.learning", "core.experiments"),
    "core/learning": ("core.experiments",),
    "pages/shared/charts": ("pages.sections", "pages.shared.frame", "pages.shared.section"),
    "pages/shared": ("pages.sections",),
    "": ("streamlit_app", "tests"),  # a page, whose name begins with a digit, cannot be imported anyway
}
LONGEST_FUNCTION = 40  # lines of code, docstring apart
STATELESS_RANDOM = {"Generator", "default_rng", "SeedSequence", "PCG64"}


def imports_of(tree):
    """List (line, module) of every import, also of those inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def names_of(tree):
    """List (line, full name) of everything that is imported: `from a import b` may import a module too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            start = f"{node.module}." if isinstance(node, ast.ImportFrom) and node.module else ""
            yield from ((node.lineno, start + alias.name) for alias in node.names)


def foreign_imports(tree):
    """Find imports of anything but numpy, the standard library and core itself."""
    allowed = {"numpy", "core", *sys.stdlib_module_names}
    return [found for found in imports_of(tree) if found[1].split(".")[0] not in allowed]


def imports_against_the_way(tree, folder):
    """Find imports that run up: blocks know no learning, learning no experiments, what is shared no page."""
    forbidden = [name for start, names in FORBIDDEN.items() if folder.startswith(start) for name in names]
    return [
        found
        for found in names_of(tree)
        if any(found[1] == name or found[1].startswith(name + ".") for name in forbidden)
    ]


def global_randomness(tree):
    """Find uses of NumPy's shared random state and of the module `random`."""
    found = [
        line for line, name in imports_of(tree) if name.split(".")[0] == "random" or name == "numpy.random"
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("np.random", "numpy.random"):
            found += [] if node.attr in STATELESS_RANDOM else [node.lineno]
    return found


def mutable_state(tree):
    """Find lists, dictionaries and sets under a lower-case name at module level."""
    kinds = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
    found = []
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        value = getattr(node, "value", None)
        made = isinstance(value, kinds) or (
            isinstance(value, ast.Call) and ast.unparse(value.func) in ("list", "dict", "set", "defaultdict")
        )
        found += [
            node.lineno for name in names if made and not name.startswith("__") and name != name.upper()
        ]
    return found


def long_functions(tree):
    """Find functions of more than LONGEST_FUNCTION lines, the docstring not counted."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            lines = node.end_lineno - body[0].lineno + 1 if body else 0
            found += [f"{node.name}: {lines}"] if lines > LONGEST_FUNCTION else []
    return found


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", CORE, ids=name)
def test_core_knows_only_numpy(path):
    assert foreign_imports(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", [*CORE, *SCREEN], ids=name)
def test_house_rules(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    folder = path.parent.relative_to(ROOT).as_posix()
    assert imports_against_the_way(tree, folder) == []
    assert global_randomness(tree) == []
    assert mutable_state(tree) == []
    assert long_functions(tree) == []
    assert ast.get_docstring(tree), "a module begins by saying what it is"


def test_the_rules_see_what_they_are_for():
    """Fault 32 among them: a shared random state would let one reader's seed change another's picture."""
    assert foreign_imports(ast.parse("import os, numpy as np\nfrom core.blocks import linear")) == []
    assert foreign_imports(ast.parse("def f():\n    import streamlit")) == [(2, "streamlit")]
    assert foreign_imports(ast.parse("from pages.shared import charts")) == [(1, "pages.shared")]
    assert foreign_imports(ast.parse("from . import linear")) == [(1, ".")]
    up = ast.parse("from core.learning.optimisers import Adam\nimport core.experiments")
    assert len(imports_against_the_way(up, "core/blocks")) == 2
    assert len(imports_against_the_way(up, "core/learning")) == 1
    assert imports_against_the_way(up, "core/experiments") == []
    up = ast.parse("from pages import sections\nfrom pages.shared import charts, frame")
    assert imports_against_the_way(up, "pages/shared/charts") == [
        (1, "pages.sections"),
        (2, "pages.shared.frame"),
    ]
    assert imports_against_the_way(up, "pages/shared") == [(1, "pages.sections")]
    assert imports_against_the_way(up, "pages/sections/topic") == []
    assert len(imports_against_the_way(ast.parse("def f():\n    import tests.pages"), "pages")) == 1
    assert (
        global_randomness(ast.parse("rng = np.random.default_rng(0)\ndef f(rng: np.random.Generator): ..."))
        == []
    )
    assert global_randomness(ast.parse("np.random.seed(0)\nx = numpy.random.normal()")) == [1, 2]
    assert global_randomness(ast.parse("import random\nfrom numpy.random import normal")) == [1, 2]
    assert mutable_state(ast.parse("cache = {}\nseen: set = set()\nnames = [n for n in x]")) == [1, 2, 3]
    kept = "NAMES = {'a': 1}\n_HALF = [1]\nhalf = (1, 2)\n__all__ = ['f']\ndef f():\n    x = []"
    assert mutable_state(ast.parse(kept)) == []
    long = "def f():\n    'doc'\n" + "    x = 1\n" * 41
    assert long_functions(ast.parse(long)) == ["f: 41"]
    assert long_functions(ast.parse(long.replace("    x = 1\n", "", 1))) == []
