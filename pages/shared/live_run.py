"""Runs that take longer than a click may: computed in worker processes, shared by all sessions.

A run is known by its job, a pure function of the inputs in the URL: a reload, a second tab and a neighbour
all find the same run, and it is computed once. A page looks at what is there (`Runs.look`), never waits, and
looks again while there may be more to come (`Section.tick_while`).
"""

import contextlib
import logging
import os
import pickle
import secrets
import threading
import time
from collections import OrderedDict, deque

import streamlit as st

from core.learning import worker
from core.learning.worker import Job

LOG = logging.getLogger("lecture")
PATIENCE = 90.0  # seconds without a look until a reader counts as gone: phones sleep
LATELY = 10.0  # seconds: a run at which somebody has looked since then comes first in the queue
MOST_WAITING, MOST_KEPT = 24, 48  # jobs in the queue; runs that are over
LOOKS = 0.25  # seconds between two looks at whether anybody still watches

WAITING, RUNNING, DONE, FAILED, STOPPED, LOST = "waiting", "running", "done", "failed", "stopped", "lost"
AGAIN = (FAILED, STOPPED, LOST)  # begun anew when somebody asks
OVER = (DONE, *AGAIN)


class Run:
    """One job: what it has yielded so far, in which state it is, and who watches."""

    def __init__(self, job):
        self.job, self.seen, self.state = job, [], WAITING
        self.readers = {}  # reader -> when the last look was
        self.started = self.ended = None

    @property
    def is_over(self):
        """Whether nothing more will come."""
        return self.state in OVER

    @property
    def has_failed(self):
        """Whether it ended otherwise than it should."""
        return self.state in AGAIN

    @property
    def seconds(self):
        """How long it has been running, or ran."""
        return 0.0 if self.started is None else (self.ended or time.monotonic()) - self.started

    def is_watched(self, now, patience=None):
        """Whether a reader has looked within so many seconds, PATIENCE if nothing else is said."""
        patience = PATIENCE if patience is None else patience
        return any(now - last < patience for last in self.readers.values())


class Runs:
    """The runs of this server, a queue, and the workers that take from it."""

    def __init__(self, n_workers):
        self._lock = threading.Condition()
        self._runs, self._queue = OrderedDict(), deque()
        self._workers = [Worker(self) for _ in range(n_workers)]
        threading.Thread(target=self._watch_readers, daemon=True, name="readers").start()

    # --- what pages call; none of it waits ------------------------------------------------------

    def look(self, job, reader):
        """Return the run of this job, if there is one; while it goes on, the reader counts as watching."""
        with self._lock:
            run = self._runs.get(job)
            if run is not None:
                self._runs.move_to_end(job)
                if not run.is_over:
                    run.readers[reader] = time.monotonic()
            return run

    def peek(self, job):
        """Return the run of this job, if there is one, without watching it."""
        with self._lock:
            return self._runs.get(job)

    def start(self, job, reader):
        """Have the job computed, unless it is being or has been. -> Run, or None if the queue is full."""
        with self._lock:
            run = self._runs.get(job)
            if run is None or run.state in AGAIN:
                if len(self._queue) >= MOST_WAITING:
                    return None
                run = self._runs[job] = Run(job)
                self._runs.move_to_end(job)
                self._queue.append(run)
                self._forget_old_runs()
                self._lock.notify_all()
            run.readers[reader] = time.monotonic()
            return run

    def leave(self, job, reader):
        """Stop watching; the run stops with its last reader."""
        with self._lock:
            run = self._runs.get(job)
            if run is not None and not run.is_over:
                run.readers.pop(reader, None)
                self._stop_unwatched(run)

    def place(self, run):
        """How many runs come before this one in the queue, itself counted; 0 when it has its turn."""
        with self._lock:
            return self._in_line().index(run) + 1 if run in self._queue else 0

    def end(self):
        """End all workers, and what they do; for tests and for servers that end."""
        with self._lock:
            for each in self._workers:
                each.is_wanted = False
            self._queue.clear()
            self._lock.notify_all()
        for each in self._workers:
            each.kill()

    # --- what workers call ----------------------------------------------------------------------

    def next(self, each):
        """Wait for the next run in the queue; None when the worker is no longer wanted."""
        with self._lock:
            while each.is_wanted and not self._queue:
                self._lock.wait()
            if not each.is_wanted:
                return None
            run = each.run = self._in_line()[0]
            self._queue.remove(run)
            run.state, run.started = RUNNING, time.monotonic()
            self._lock.notify_all()
            return run

    def is_over(self, each, state):
        """Take note that a worker's run has ended."""
        with self._lock:
            run, each.run = each.run, None
            run.ended = time.monotonic()
            if run.state == RUNNING:  # else it was stopped meanwhile
                run.state = state
            run.readers.clear()

    # --- what goes on by itself -----------------------------------------------------------------

    def _watch_readers(self):
        """Stop what nobody watches any more; asleep while there is nothing to do."""
        while True:
            with self._lock:
                going_on = [*self._queue, *(each.run for each in self._workers if each.run)]
                if not going_on:
                    self._lock.wait()
                for run in going_on:
                    self._stop_unwatched(run)
            time.sleep(LOOKS)

    def _in_line(self):
        """The queue in the order of its turns: what is left behind by a closed tab keeps nobody waiting."""
        now = time.monotonic()
        return sorted(self._queue, key=lambda run: not run.is_watched(now, LATELY))

    def _stop_unwatched(self, run):
        if run.is_over or run.is_watched(time.monotonic()):
            return
        run.state = STOPPED
        if run in self._queue:
            self._queue.remove(run)
        for each in self._workers:
            if each.run is run:
                each.kill()

    def _forget_old_runs(self):
        over = [job for job, run in self._runs.items() if run.is_over]
        for job in over[: max(0, len(over) - MOST_KEPT)]:
            del self._runs[job]


class Worker:
    """A thread that hands runs to a process of its own and takes in what comes back.

    The process is started when it is needed, and anew after it was killed or died.
    """

    def __init__(self, runs):
        self._runs, self._process = runs, None
        self._ending = None  # a process that was told to end and may take its time
        self.run, self.is_wanted = None, True
        threading.Thread(target=self._work, daemon=True, name="worker").start()

    def kill(self):
        """End the process at once; a new one is started for the next run."""
        process = self._ending = self._process
        if process is not None:
            process.kill()

    def _work(self):
        while (run := self._runs.next(self)) is not None:
            state = LOST
            try:
                state = self._follow(run)
            except Exception:
                LOG.exception("following %s failed", run.job)
                self._drop_process()
            finally:
                self._runs.is_over(self, state)
        self._drop_process()

    def _follow(self, run):
        """Take in what the run yields. -> how it ended."""
        for kind, content in self._messages(run):
            if run.state != RUNNING:  # stopped, perhaps while the process was started: nobody hears the rest
                self._drop_process()
                return STOPPED
            if kind == worker.SNAPSHOT:
                run.seen.append(content)
            elif kind == worker.FAILED:
                LOG.error("%s failed after %d snapshots\n%s", run.job, len(run.seen), content)
                return FAILED
            else:
                return DONE
        return LOST

    def _messages(self, run):
        try:
            process = self._ensure_process()
        except OSError:  # no process to be had: one thread of the server does it, one job at a time
            LOG.warning("no worker process can be started; computing inside the server")
            with _in_the_server():
                yield from worker.messages(run.job)
            return
        try:
            worker.send(run.job, process)
            yield from worker.receive(process)
        except (EOFError, OSError, pickle.UnpicklingError):  # it died, or was killed in the middle of a word
            self._drop_process()

    def _ensure_process(self):
        if self._process is None or self._process is self._ending or self._process.poll() is not None:
            self._drop_process()
            self._process = worker.start()
        return self._process

    def _drop_process(self):
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # what was not sent yet finds nobody
                pipe.close()
        process.wait()


@st.cache_resource(show_spinner=False)
def _in_the_server():
    """One job at a time where everything runs in one process."""
    return threading.BoundedSemaphore(1)


def n_workers():
    """Two, or one where there is one core."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(2, count)


@st.cache_resource(show_spinner=False)
def runs():
    """The runs of this server."""
    return Runs(n_workers())


def reader():
    """A name for this session: who watches, and who stops watching."""
    return st.session_state.setdefault("_reader", secrets.token_hex(8))


def common_run(function):
    """The run of a job that every reader of a page needs, begun by the first of them."""
    job = job_of(function)
    run = runs().look(job, reader())
    if run is None or run.state == STOPPED:  # nobody looked while it waited for its turn: that is no failure
        run = runs().start(job, reader())
    return run or Run(job)


def job_of(function, *settings):
    """Name the job of a generator function of core."""
    return Job(function.__module__, function.__name__, settings)


__all__ = ["Job", "Run", "Runs", "common_run", "job_of", "reader", "runs"]
