"""Runs in worker processes: computed once for all, stopped when nobody watches, never left behind."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from core.experiments import pronoun_link, word_order
from core.learning import worker
from core.learning.worker import Job
from pages.shared import live_run
from pages.shared.live_run import DONE, FAILED, LOST, RUNNING, STOPPED, WAITING, Run, Runs, job_of

ROOT = Path(__file__).parents[2]
PATIENT = 60  # seconds for anything that is waited for
QUICK = job_of(word_order.learn_order, 0, True)  # about a tenth of a second
LONG = [job_of(pronoun_link.train_link, seed, 2) for seed in range(8)]  # some seconds each
BROKEN = Job("core.experiments.word_order", "learn_order", ("no seed", True))


def until(holds, what, seconds=PATIENT):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"waited in vain for: {what}"
        time.sleep(0.01)


def over(run):
    until(lambda: run.is_over, f"the end of {run.job}")
    return run


@pytest.fixture
def pool():
    """One worker, ended afterwards with all that it does."""
    runs = Runs(1)
    yield runs
    processes = [each._process for each in runs._workers if each._process]
    runs.end()
    for process in processes:
        process.wait(PATIENT)


# --- what a run is ------------------------------------------------------------------------------


def test_a_run_yields_what_the_generator_yields(pool):
    run = over(pool.start(QUICK, "reader"))
    assert run.state == DONE
    here = list(word_order.learn_order(0, True))
    assert [now.step for now in run.seen] == [now.step for now in here]
    assert run.seen[0].loss == pytest.approx(here[0].loss, rel=1e-6)


def test_thirty_askers_of_one_run_cost_one_run(pool):
    runs = {id(pool.start(QUICK, f"reader {i}")) for i in range(30)}
    assert len(runs) == 1
    run = over(pool.peek(QUICK))
    assert pool.start(QUICK, "late") is run  # it has been computed: shown at once
    assert pool.look(QUICK, "later") is run


def test_a_run_that_fails_says_so_and_the_next_one_is_fine(pool, caplog):
    with caplog.at_level(logging.ERROR, "lecture"):
        run = over(pool.start(BROKEN, "reader"))
    assert (run.state, run.has_failed, run.seen) == (FAILED, True, [])
    assert "Traceback" in caplog.text
    assert over(pool.start(QUICK, "reader")).state == DONE
    again = pool.start(BROKEN, "reader")  # asked for once more, it is tried once more
    assert again is not run


def test_only_what_is_of_core_is_run():
    ((kind, why),) = worker.messages(Job("os", "walk", ("/",)))
    assert kind == worker.FAILED and "must be one of core" in why


# --- the queue ----------------------------------------------------------------------------------


def test_the_queue_tells_places_and_when_it_is_full(pool, monkeypatch):
    monkeypatch.setattr(live_run, "MOST_WAITING", 2)
    first = pool.start(LONG[0], "a")
    until(lambda: first.state == RUNNING, "the first")
    second, third = pool.start(LONG[1], "b"), pool.start(LONG[2], "b")
    assert [run.state for run in (second, third)] == [WAITING, WAITING]
    assert [pool.place(run) for run in (first, second, third)] == [0, 1, 2]
    assert pool.start(LONG[3], "c") is None
    pool.leave(LONG[1], "b")
    assert second.state == STOPPED and pool.place(third) == 1
    assert pool.start(LONG[3], "c") is not None


def test_whoever_still_looks_comes_before_who_has_left(pool):
    first = pool.start(LONG[0], "a")
    until(lambda: first.state == RUNNING, "the first")
    left, wanted = pool.start(LONG[1], "b"), pool.start(LONG[2], "c")
    assert [pool.place(run) for run in (left, wanted)] == [1, 2]
    left.readers["b"] -= live_run.LATELY + 1  # the tab was closed, or the phone sleeps
    assert [pool.place(run) for run in (left, wanted)] == [2, 1]
    pool.leave(LONG[0], "a")
    until(lambda: wanted.state == RUNNING, "the next")
    assert left.state == WAITING and pool.place(left) == 1
    pool.look(LONG[1], "b")  # it is back, and has lost nothing but its place
    pool.leave(LONG[2], "c")
    until(lambda: left.state == RUNNING, "the one that was left")


def test_old_runs_are_forgotten(pool, monkeypatch):
    monkeypatch.setattr(live_run, "MOST_KEPT", 2)
    jobs = [job_of(word_order.learn_order, seed, True) for seed in range(4)]
    for job in jobs:
        over(pool.start(job, "reader"))
    last = pool.start(QUICK._replace(settings=(9, True)), "reader")
    assert [pool.peek(job) is not None for job in jobs] == [False, False, True, True]
    over(last)


# --- who watches --------------------------------------------------------------------------------


def test_a_run_stops_within_a_second_of_its_last_reader(pool):
    run = pool.start(LONG[0], "a")
    pool.look(LONG[0], "b")
    until(lambda: run.seen, "a snapshot")
    process = pool._workers[0]._process
    pool.leave(LONG[0], "a")
    assert run.state == RUNNING  # somebody still watches
    pool.leave(LONG[0], "b")
    assert run.state == STOPPED
    until(lambda: process.poll() is not None, "the end of the process", seconds=1)
    assert over(pool.start(QUICK, "a")).state == DONE  # with a new process
    assert pool.start(LONG[0], "c") is not run  # begun anew


def test_a_run_that_nobody_asks_for_stops(pool, monkeypatch):
    monkeypatch.setattr(live_run, "PATIENCE", 0.2)
    run = pool.start(LONG[0], "asleep")
    until(lambda: run.state == STOPPED, "the end of patience", seconds=5)


def test_whoever_asks_keeps_it_going(pool, monkeypatch):
    monkeypatch.setattr(live_run, "PATIENCE", 1.0)
    run = pool.start(LONG[0], "awake")
    end = time.monotonic() + 2
    while time.monotonic() < end:
        pool.look(LONG[0], "awake")
        assert run.state in (RUNNING, WAITING)
        time.sleep(0.05)


@pytest.mark.parametrize(("state", "is_new"), [(STOPPED, True), (RUNNING, False), (LOST, False)])
def test_what_every_reader_needs_is_begun_again_if_it_was_only_stopped(pool, monkeypatch, state, is_new):
    """The first reader left while it waited for its turn: that is no failure to tell the next one of."""
    monkeypatch.setattr(live_run, "runs", lambda: pool)
    monkeypatch.setattr(live_run, "reader", lambda: "next")
    job = job_of(pronoun_link.guess_lines)  # anything that can be gone through
    pool._runs[job] = run = Run(job)
    run.state = state
    assert (live_run.common_run(pronoun_link.guess_lines) is not run) == is_new


# --- when processes die or cannot be had --------------------------------------------------------


def test_a_worker_that_is_killed_is_replaced_and_its_readers_are_told(pool):
    run = pool.start(LONG[0], "reader")
    until(lambda: run.seen, "a snapshot")
    pool._workers[0]._process.kill()
    assert over(run).state == LOST
    assert run.seen  # what came before is still there
    assert over(pool.start(QUICK, "reader")).state == DONE


def test_a_process_that_was_told_to_end_gets_no_other_run(pool, monkeypatch):
    """It takes its time to end; what it still said of its last run must not be taken for the next one's."""
    over(pool.start(QUICK, "reader"))
    each = pool._workers[0]
    ending = each._process
    monkeypatch.setattr(ending, "poll", lambda: None)
    each.kill()
    assert over(pool.start(QUICK._replace(settings=(1, True)), "reader")).state == DONE
    assert each._process is not ending


def test_a_run_that_is_stopped_while_its_process_starts_leaves_nothing_to_the_next(pool, monkeypatch):
    start, may_go_on = worker.start, threading.Event()

    def slow():
        may_go_on.wait(PATIENT)
        return start()

    monkeypatch.setattr(worker, "start", slow)
    run = pool.start(LONG[0], "reader")
    until(lambda: run.state == RUNNING, "its turn")
    pool.leave(LONG[0], "reader")
    following = pool.start(QUICK, "reader")
    may_go_on.set()
    assert over(following).state == DONE
    assert (run.state, run.seen) == (STOPPED, [])
    assert {type(now).__name__ for now in following.seen} == {"OrderSnapshot"}


def test_where_no_process_can_start_a_thread_computes(pool, monkeypatch, caplog):
    def refuse():
        raise OSError("no more processes")

    monkeypatch.setattr(worker, "start", refuse)
    with caplog.at_level(logging.WARNING, "lecture"):
        run = over(pool.start(QUICK, "reader"))
    assert run.state == DONE and len(run.seen) == 41
    assert "no worker process" in caplog.text


SERVER = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
from pages.shared.live_run import Runs, job_of
from core.experiments.pronoun_link import train_link
runs = Runs(1)
run = runs.start(job_of(train_link, 0, 2), "reader")
while not run.seen:
    time.sleep(0.01)
print(runs._workers[0]._process.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no such signals on this system")
@pytest.mark.parametrize("end", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_no_worker_outlives_its_server(end):
    """Ctrl-C goes to the whole group, as a terminal sends it; the others to the server alone."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        child = int(server.stdout.readline())
        assert is_alive(child)
        sends = os.killpg if end == "SIGINT" else os.kill
        sends(server.pid, getattr(signal, end))
        server.wait(PATIENT)
        until(lambda: not is_alive(child), f"the end of the worker after {end}", seconds=5)
    finally:
        server.kill()
        server.stdout.close()
        server.wait()


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")  # a process that has ended may wait for somebody to take note of it
    return not state.exists() or state.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"


def test_a_worker_knows_numpy_alone_and_computes_with_one_thread():
    script = (
        "import os, sys\n"
        "from core.learning import worker\n"
        "print([m for m in ('streamlit', 'altair', 'pandas') if m in sys.modules])\n"
        "process = worker.start()\n"
        "worker.send(worker.Job('core.experiments.word_order', 'learn_order', (0, True)), process)\n"
        "print([kind for kind, _ in worker.receive(process)][-1])\n"
        "print(open(f'/proc/{process.pid}/environ', encoding='utf-8').read().count('_THREADS=1'))\n"
        "process.communicate()\n"
        "print(process.returncode)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, encoding="utf-8")
    modules, ending, threads, code = run.stdout.split("\n")[:4]
    assert (modules, ending, code, run.stderr) == ("[]", "done", "0", "")
    assert int(threads) >= 4
