"""The table of parts on the home page against the functions that each page really calls."""

import ast
import importlib
import inspect
import textwrap
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from core.blocks.attention import scaled_dot_product_attention as attention
from core.blocks.linear import linear
from core.blocks.mlp import mlp
from core.blocks.norms import layer_norm
from core.blocks.softmax import softmax
from pages.shared.frame import PAGES

ROOT = Path(__file__).parents[2]
PARTS = {  # a part, and what is called wherever it is at work; None: see `is_at_work`
    "dot_product": attention,
    "softmax": softmax,
    "weighted_mean": attention,
    "matrix_product": None,
    "backprop": None,
    "mlp": mlp,
    "normalisation": layer_norm,
}


def names_in(tree):
    """Every name and every module.name that some code mentions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id, None
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield node.value.id, node.attr
        elif isinstance(node, ast.Constant) and str(node.value).startswith("core."):  # python -m core...
            yield node.value, None


def look_up(name, attribute, known):
    if name.startswith("core."):
        module = importlib.import_module(name)
        return [one for one in vars(module).values() if getattr(one, "__module__", "") == name]
    found = known.get(name)
    if isinstance(found, tuple):  # functions that a module names in a row
        return list(found)
    return [getattr(found, attribute, None) if isinstance(found, ModuleType) and attribute else found]


def imported_by(tree):
    """What the import lines of a page bring from the maths."""
    known = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.startswith(("core", "pages.sections")):
            module = importlib.import_module(node.module)
            for alias in node.names:
                if not hasattr(module, alias.name):
                    importlib.import_module(f"{node.module}.{alias.name}")
                known[alias.asname or alias.name] = getattr(module, alias.name)
    return known


@cache
def parsed(function):
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


@cache
def reached_from(page):
    """All functions of the maths that a page calls, directly or not."""
    tree = ast.parse((ROOT / PAGES[page]).read_text(encoding="utf-8"))
    reached, waiting = set(), [(tree, imported_by(tree))]
    while waiting:
        tree, known = waiting.pop()
        for name, attribute in names_in(tree):
            for found in look_up(name, attribute, known):
                function = inspect.unwrap(found) if callable(found) else None
                ours = str(getattr(function, "__module__", "")).startswith(("core.", "pages.sections."))
                if ours and inspect.isfunction(function) and function not in reached:
                    reached.add(function)
                    waiting.append((parsed(function), function.__globals__))
    return reached


def is_at_work(part, page):
    reached = reached_from(page)
    if part == "backprop":
        return any(function.__name__.endswith("_backward") for function in reached)
    if part == "matrix_product":  # many words at once through one matrix: W x
        return linear in reached or any("w_q" in inspect.signature(one).parameters for one in reached)
    return PARTS[part] in reached


def table_on_screen():
    tree = ast.parse((ROOT / PAGES["home"]).read_text(encoding="utf-8"))
    (table,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PARTS"
    )
    return ast.literal_eval(table)


@pytest.mark.parametrize("part", PARTS)
def test_the_table_of_parts_is_what_the_pages_call(part):
    pages = [name for name in PAGES if name != "home"]
    at_work = tuple(number for number, page in enumerate(pages, start=1) if is_at_work(part, page))
    assert table_on_screen()[part] == at_work


def test_the_table_of_parts_is_whole():
    assert set(table_on_screen()) == set(PARTS)


def test_a_call_is_followed_through_the_modules():
    reached = reached_from("soft_lookup")
    assert softmax in reached  # by way of attention
    assert mlp not in reached
