"""A process that computes for the app: ``python -m core.learning.worker``; NumPy only, in nobody's way.

It reads jobs from its standard input and writes what they yield to its standard output, both pickled, until
the input ends. A job names a generator function of `core` and its settings. The server at the other end may
end at any moment, however it likes: the closed pipe ends the worker at its next word.
"""

import importlib
import os
import pickle
import signal
import subprocess
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

from core.one_thread import ONE_THREAD, keep_memory

ROOT = Path(__file__).parents[2]


class Job(NamedTuple):
    """What is to be computed; equal jobs give equal results."""

    module: str  # of core
    function: str  # a generator function in it
    settings: tuple = ()


NAME = "core.learning.worker"  # also where this module runs as the main one
SNAPSHOT, DONE, FAILED = "snapshot", "done", "failed"


def start():
    """Start a worker process; jobs go to its `stdin`, messages come from its `stdout`.

    Raises
    ------
    OSError
        If no process can be started.
    """
    return subprocess.Popen(
        [sys.executable, "-X", "utf8", "-m", NAME],
        cwd=ROOT,
        env=os.environ | ONE_THREAD,  # one core for a worker, the others for the class
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),  # on Windows, which has no nice
    )


def send(job, process):
    """Hand a job to a worker process."""
    pickle.dump(job, process.stdin)
    process.stdin.flush()


def receive(process):
    """Yield the messages of the job that a worker process is doing, to the last.

    Raises
    ------
    EOFError, OSError or pickle.UnpicklingError
        If the process ends before.
    """
    kind = SNAPSHOT
    while kind == SNAPSHOT:
        kind, content = pickle.load(process.stdout)
        yield kind, content


def snapshots(job):
    """Start a job.

    Raises
    ------
    ValueError
        If it does not name a module of this project's core.
    """
    if job.module.partition(".")[0] != "core":
        raise ValueError(f"a job must be one of core; got {job.module}")
    return getattr(importlib.import_module(job.module), job.function)(*job.settings)


def messages(job):
    """Yield (kind, content) for all that a job has to say: its snapshots, and how it ended."""
    try:
        for snapshot in snapshots(job):
            yield SNAPSHOT, snapshot
    except Exception:  # whatever it was, the next job is not to suffer
        yield FAILED, traceback.format_exc()
    else:
        yield DONE, None


def serve(jobs, out):
    """Do one job after the other, until the pipe is closed at one of its ends."""
    while True:
        try:
            job = pickle.load(jobs)
            for message in messages(job):
                pickle.dump(message, out)
                out.flush()
        except (EOFError, OSError):
            return


def main():
    """Serve, out of everybody's way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C belongs to the server; the closed pipe ends us
    if hasattr(os, "nice"):
        os.nice(10)
    jobs, out = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not spoil the pipe
    keep_memory()
    serve(jobs, out)
    os._exit(0)  # at once, before Python flushes a pipe that nobody reads


if __name__ == "__main__":
    main()
