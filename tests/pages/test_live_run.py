"""Runs computed slice by slice, and modules in a process of their own: what they say and how they end."""

import logging
import subprocess
import threading
import time

import pytest

from pages.shared import live_run
from pages.shared.live_run import ChildRun, LiveRun

# --- slice by slice -----------------------------------------------------------------------------------------


def test_the_first_snapshot_costs_one_step_and_the_rest_comes_in_slices():
    run = LiveRun(lambda: iter(range(3)))
    run.first()
    assert (run.seen, run.done) == ([0], False)
    run.first()  # it is there already
    assert run.seen == [0]
    run.advance(60)
    assert (run.seen, run.done, run.failed) == ([0, 1, 2], True, False)


def test_a_run_that_failed_stands_still_until_it_is_begun_again(caplog):
    attempts = []

    def snapshots():
        attempts.append("one")
        yield "begun"
        if len(attempts) == 1:
            raise FloatingPointError("on purpose")
        yield "ended"

    run = LiveRun(snapshots)
    with caplog.at_level(logging.ERROR, "lecture"):
        run.advance(60)
    assert "on purpose" in caplog.text
    assert (run.seen, run.done, run.failed) == (["begun"], False, True)  # never "done"
    run.advance(60)
    run.first()
    assert run.seen == ["begun"]
    run.begin_again()
    run.advance(60)
    assert (run.seen, run.done, run.failed) == (["begun", "ended"], True, False)
    run.begin_again()  # nothing has failed
    assert run.done


def test_a_run_that_fails_at_once_is_tried_again_at_the_next_look(caplog):
    attempts = iter([iter(()), 1])

    def snapshots():
        if next(attempts) != 1:
            raise OSError("not yet")
        yield "here"

    run = LiveRun(snapshots)
    run.first()
    assert run.failed and not run.seen
    run.first()
    assert run.seen == ["here"] and not run.failed


def test_who_needs_the_first_snapshot_waits_for_who_is_computing_it():
    computing, go_on = threading.Event(), threading.Event()

    def snapshots():
        computing.set()
        assert go_on.wait(60)
        yield "first"
        yield "second"

    run = LiveRun(snapshots)
    one = threading.Thread(target=run.advance, args=(0,))
    one.start()
    assert computing.wait(60)
    run.advance(0)  # does not wait
    assert run.seen == []
    other = threading.Thread(target=run.first)
    other.start()
    go_on.set()
    one.join(60)
    other.join(60)
    assert run.seen[0] == "first"


# --- a process of its own -----------------------------------------------------------------------------------


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
