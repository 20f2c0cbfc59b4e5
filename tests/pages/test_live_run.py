"""A module in a process of its own: what it says, how it ends, and that there may be no process at all."""

import subprocess
import time

import pytest

from pages.shared import live_run
from pages.shared.live_run import ChildRun


@pytest.fixture
def run_module(tmp_path, monkeypatch):
    """Run some source as a module and wait for its end."""

    def run_module(source):
        (tmp_path / "chatterbox.py").write_text(source, encoding="utf-8")
        monkeypatch.setattr(live_run, "ROOT", tmp_path)
        return wait_for(ChildRun("chatterbox"))

    return run_module


def wait_for(run):
    end = time.monotonic() + 60
    while not run.done and time.monotonic() < end:
        time.sleep(0.01)
    assert run.done
    return run


def test_every_line_is_an_object_in_order(run_module):
    run = run_module(
        "import json\nfor i in range(3): print(json.dumps({'n': i, 'word': '猫'}, ensure_ascii=False))"
    )
    assert run.seen == [{"n": i, "word": "猫"} for i in range(3)]
    assert not run.failed


def test_the_child_computes_with_one_thread(run_module):
    run = run_module("import json, os\nprint(json.dumps(os.environ['OPENBLAS_NUM_THREADS']))")
    assert run.seen == ["1"]


def test_a_child_that_breaks_down_keeps_what_it_said(run_module):
    run = run_module("import sys\nprint(1, flush=True)\nsys.exit(3)")
    assert run.seen == [1]
    assert run.failed


def test_a_child_that_talks_nonsense_has_failed(run_module):
    run = run_module("print('{}')\nprint('no json')")
    assert run.seen == [{}]
    assert run.failed


def test_where_no_process_can_be_started_the_run_has_failed(monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    run = wait_for(ChildRun("core.costs_measured"))
    assert run.seen == []
    assert run.failed


def test_all_readers_share_one_run(monkeypatch):
    started = []
    monkeypatch.setattr(live_run, "ChildRun", lambda module: started.append(module) or object())
    live_run.child_run.clear()
    try:
        assert live_run.child_run("a") is live_run.child_run("a")
        assert started == ["a"]
    finally:
        live_run.child_run.clear()
