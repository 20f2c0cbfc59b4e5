"""The words on screen: both languages complete, nothing missing, nothing left over, short enough to read."""

import ast
import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest

from core.experiments.bias_and_cost_data import SEEDS
from core.experiments.bias_and_cost_exam import N_NEW
from core.experiments.block_anatomy_ablations import VARIANTS
from core.experiments.local_conv_race import MIXERS, RATES
from core.learning.pronoun import N_VOCAB
from pages.sections.block_anatomy import ablation_runs
from pages.sections.local_conv import race_runs
from pages.shared import text
from pages.shared.frame import PAGES
from pages.shared.text import COMMON, FOLDER, LANGUAGES, Words, entries
from tests.pages import app

ROOT = Path(__file__).parents[2]
FILES = [*PAGES, COMMON]
HAN = re.compile("[\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
HAN_ALLOWED = {"core/sentences.py", "pages/shared/frame.py"}  # examples in docstrings; the language switch
MOST_WORDS, MOST_CHARACTERS = 80, 170
every_file = pytest.mark.parametrize("name", FILES)


def placeholders(template):
    """{(name, format code)} of a text."""
    return {(name, code) for _, name, code, _ in Formatter().parse(template) if name is not None}


def files_of(page):
    """The file of a page and those of its sections, where these have modules of their own."""
    return [ROOT / PAGES[page], *sorted((ROOT / "pages/sections" / page).rglob("*.py"))]


def sources_of(name):
    """Parse the files in which the keys of a file of texts may be used."""
    shared = sorted((ROOT / "pages/shared").rglob("*.py"))
    own = [path for page in ([name] if name in PAGES else PAGES) for path in files_of(page)]
    core = sorted((ROOT / "core").rglob("*.py"))
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in [*shared, *own, *core]}


def is_function(node):
    return isinstance(node, ast.FunctionDef)


def call_name(call):
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def calls(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


# --- the two languages --------------------------------------------------------------------------------------


@every_file
def test_both_languages_say_the_same_things(name):
    zh, en = (entries(language, name) for language in LANGUAGES)
    assert set(zh) == set(en)
    for key in zh:
        assert placeholders(zh[key]) == placeholders(en[key]), key


@pytest.mark.parametrize("language", LANGUAGES)
@every_file
def test_no_text_is_empty_or_of_the_other_language(name, language):
    for key, value in entries(language, name).items():
        assert value.strip(" …"), key
        if language == "en":
            assert not HAN.search(value), key
        elif len(value) > 40 and not key.startswith("work_"):
            assert HAN.search(value), key


@every_file
def test_sections_ask_a_question_in_few_words(name):
    en, zh = entries("en", name), entries("zh", name)
    functions = {
        node.name for tree in sources_of(name).values() for node in ast.walk(tree) if is_function(node)
    }
    for key in en:
        section, _, part = key.rpartition(".")
        if section in functions and part == "title":
            assert en[key].endswith("?"), key
            assert zh[key].endswith("？"), key
        if not part.endswith("_alt"):  # a text alternative is heard, not seen
            assert len(en[key].split()) <= MOST_WORDS, key
            assert len(re.sub(r"\s|\{.*?\}", "", zh[key])) <= MOST_CHARACTERS, key


@pytest.mark.parametrize(
    "path", sorted(FOLDER.rglob("*.toml")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_files_of_texts_are_clean(path):
    written = path.read_bytes().decode("utf-8")  # strict: fails on anything else
    assert not written.startswith("\ufeff")
    assert "\r" not in written
    assert "\t" not in written
    assert written.endswith("\n") and not written.endswith("\n\n")
    assert not re.search(r" +$", written, re.MULTILINE)
    assert tomllib.loads(written)


# --- keys and code ------------------------------------------------------------------------------------------


def literals(trees):
    """Every string in the code, and the names of fields (which some keys are made of)."""
    found = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {node.value, *node.value.split()}
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
            if is_function(node):
                found.add(node.name)
    return found


def patterns(trees):
    """Every f-string with at least two fixed letters, as a pattern of what it can become."""
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
                if len("".join(part or "" for part in parts).strip(" ._")) >= 2:
                    yield "".join("[^ ]+" if part is None else re.escape(part) for part in parts)


@every_file
def test_no_key_is_left_over(name):
    """Each key, or what follows its section, stands in the code or can be put together by it."""
    trees = sources_of(name).values()
    known, able = literals(trees), re.compile("|".join(f"(?:{one})" for one in set(patterns(trees))))
    for key in entries("zh", name):
        ends = [key.split(".", i)[-1] for i in range(key.count(".") + 1)]  # a.b.c, b.c, c
        assert any(end in known or able.fullmatch(end) for end in ends), key


KEY_CALLS = {"words": "", "chart": "", "says": "", "stamp": "stamp.", "note": ""}
INPUT_CALLS = {"number", "pick", "toggle", "choice", "text", "grid"}


def keys_in(tree):
    """(line, key) of every text that is asked for by its full name."""
    for call in calls(tree):
        called = call_name(call)
        place = 1 if called == "chart" else 0
        given = call.args[place] if len(call.args) > place else None
        if not (isinstance(given, ast.Constant) and isinstance(given.value, str)):
            continue
        if called in KEY_CALLS:
            yield call.lineno, KEY_CALLS[called] + given.value
            if called == "chart":
                yield call.lineno, given.value + "_alt"
        elif called in INPUT_CALLS and "ask" in ast.unparse(call.func):
            yield call.lineno, f"inputs.{given.value}"


@pytest.mark.parametrize("name", PAGES)
def test_every_key_asked_for_exists(name):
    there = entries("zh", name) | entries("zh", COMMON)
    sections = {key.split(".", 1)[0] for key in there if "." in key}
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in files_of(name)}
    asked = [(path.name, *found) for path, tree in trees.items() for found in keys_in(tree)]
    assert asked or not sections - {key.split(".", 1)[0] for key in entries("zh", COMMON)}
    for file, line, key in asked:
        assert key in there or any(f"{section}.{key}" in there for section in sections), (
            f"{file}, line {line}: {key}"
        )


@every_file
def test_a_picture_has_both_its_texts(name):
    keys = set(entries("zh", name))
    assert {key.removesuffix("_alt") for key in keys if key.endswith("_alt")} <= keys


@pytest.mark.parametrize("page", PAGES)
def test_numbers_in_texts_have_a_format(page, monkeypatch):
    """Fault 34: whatever is no whole number says how many digits it has."""
    naked, fill = [], Words.__call__

    def watched(words, key, **values):
        template = fill(words, key)
        codes = dict(placeholders(template))
        for name, value in values.items():
            is_float = isinstance(value, float) or getattr(value, "dtype", None) in ("float32", "float64")
            if is_float and codes.get(name) == "":
                naked.append(f"{key}: {name}")
        return fill(words, key, **values)

    monkeypatch.setattr(text.Words, "__call__", watched)
    at = app.open_app(page)
    for widget in app.inputs(at).values():
        if app.extremes(widget):
            widget.set_value(app.extremes(widget)[-1])
    app.look_at(at.run())
    assert naked == []


# --- numbers that are written as words ----------------------------------------------------------------------

SPELT = [  # what it is in the code, what is written, how, and where
    (len(SEEDS), 5, {"zh": "五个种子", "en": "five"}, "bias_and_cost", ("data.says_local", "texture.says")),
    (race_runs.N_RECORDED, 5, {"zh": "五", "en": "five"}, "local_conv", ("race.text", "stamp.race_recorded")),
    (
        RATES,
        (3e-3, 5e-3),
        {"zh": "0.003", "en": "0.003"},
        "local_conv",
        ("race.rates", "options.race_rate.slow"),
    ),
    (
        RATES,
        (3e-3, 5e-3),
        {"zh": "0.005", "en": "0.005"},
        "local_conv",
        ("race.rates", "options.race_rate.fast"),
    ),
    (len(MIXERS), 5, {"zh": "五个模型", "en": "Five models"}, "local_conv", ("race.text",)),
    (len(VARIANTS), 6, {"zh": "六座塔", "en": "Six towers"}, "block_anatomy", ("take_one_away.text",)),
    (
        ablation_runs.N_RECORDED,
        5,
        {"zh": "五个种子", "en": "five"},
        "block_anatomy",
        ("take_one_away.text", "stamp.ablations_recorded"),
    ),
    (N_VOCAB, 48, {"zh": "48 个词", "en": "48 words"}, "self_attention", ("link.own_unknown",)),
    (N_NEW, 2000, {"zh": "2,000", "en": "2,000"}, "bias_and_cost", ("data.note_far",)),
]


@pytest.mark.parametrize(("number", "written", "words", "file", "keys"), SPELT)
def test_numbers_in_words_are_those_of_the_code(number, written, words, file, keys):
    assert number == written
    for language in LANGUAGES:
        for key in keys:
            assert words[language] in entries(language, file)[key], (language, key)


# --- the code holds no words --------------------------------------------------------------------------------

CODE = sorted([*(ROOT / "pages").rglob("*.py"), *(ROOT / "core").rglob("*.py"), ROOT / PAGES["home"]])


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_chinese_in_the_code(path):
    if path.relative_to(ROOT).as_posix() not in HAN_ALLOWED:
        assert not HAN.search(path.read_text(encoding="utf-8"))


def test_the_language_switch_alone_speaks_both():
    written = (ROOT / "pages/shared/frame.py").read_text(encoding="utf-8")
    assert sorted(set(HAN.findall(written))) == sorted("语言中文")


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_are_opened_with_their_encoding(path):
    """A Chinese Windows reads GBK where nothing is said."""
    for call in calls(ast.parse(path.read_text(encoding="utf-8"))):
        named = {keyword.arg for keyword in call.keywords}
        opens = call_name(call) in ("open", "read_text", "write_text")
        # A pipe to another process carries bytes unless it is told to carry text.
        talks = call_name(call) == "Popen" or ast.unparse(call.func) == "subprocess.run"
        if opens or (talks and named & {"text", "universal_newlines", "errors"}):
            assert "encoding" in named, ast.unparse(call)
