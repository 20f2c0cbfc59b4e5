"""Things that take a while: computed a little at each look, or in a child process; shared by all sessions.

A run is known by its name, a pure function of the inputs in the URL: a reload, a second tab and a neighbour
all find the same run, and it is computed once. A page draws what is there (`seen`) and looks again
(`Section.tick_while`) until the run is `done`.
"""

import json
import logging
import os
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[2]
SLICE = 0.015  # seconds of computing per look: other readers' clicks come first
LOG = logging.getLogger("lecture")


class LiveRun:
    """A generator of snapshots that is taken a slice further by whoever looks.

    `start()` makes the generator. A run that raises says so in the log, is `failed` and stands still, with
    what it has seen, until somebody has it `begin_again`.
    """

    def __init__(self, start):
        self._start, self._lock = start, threading.Lock()
        self._clear()

    def _clear(self):
        self.seen, self.done, self.failed = [], False, False
        self._snapshots = self._start()

    def begin_again(self):
        """Forget a failure and all that came before it; any other run is left alone."""
        with self._lock:
            if self.failed:
                self._clear()

    def first(self):
        """Have at least one snapshot: computed here, or waited for while another session computes it."""
        if not self.seen:
            self.begin_again()
            self._advance(0, wait=True)

    def advance(self, seconds=SLICE):
        """Compute for about `seconds`, unless the run is over or another session is computing right now."""
        self._advance(seconds, wait=False)

    def _advance(self, seconds, wait):
        if self.done or self.failed or not self._lock.acquire(blocking=wait):
            return
        try:
            with _slot():
                self._go_on_until(time.perf_counter() + seconds)
        finally:
            self._lock.release()

    def _go_on_until(self, end):
        try:
            self.seen.append(next(self._snapshots))
            while time.perf_counter() < end:
                self.seen.append(next(self._snapshots))
        except StopIteration:
            self.done = True
        except Exception:
            self.failed = True
            LOG.exception("a run failed after %d snapshots", len(self.seen))


@st.cache_resource(show_spinner=False)
def _slot():
    """One slice at a time in the whole server."""
    return threading.BoundedSemaphore(1)


@st.cache_resource(max_entries=32, show_spinner=False)
def live_run(_start, name, *settings):
    """The run of this name and these settings; `_start(*settings)` makes its snapshots if nobody did yet."""
    return LiveRun(partial(_start, *settings))


class ChildRun:
    """A module run once in a process of its own; it prints one JSON object a line.

    The child reads nothing and ends by itself within seconds, so that a killed server leaves no orphan for
    long; if the server ends, the closed pipe ends the child at its next line.
    """

    def __init__(self, module):
        self.seen, self.done, self.failed = [], False, False
        threading.Thread(target=self._follow, args=(module,), daemon=True).start()

    def _follow(self, module):
        command = [sys.executable, "-X", "utf8", "-m", module]
        one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
        try:
            with subprocess.Popen(
                command, cwd=ROOT, env=os.environ | one_thread, stdout=subprocess.PIPE, encoding="utf-8"
            ) as child:
                for line in child.stdout:
                    self.seen.append(json.loads(line))
            self.failed = child.returncode != 0
        except (OSError, TypeError, ValueError):  # no process or no interpreter to be had, or no JSON from it
            self.failed = True
        self.done = True


@st.cache_resource(max_entries=4, show_spinner=False)
def child_run(module):
    """The one run of this module on this server, started by the first reader who needs it."""
    return ChildRun(module)
