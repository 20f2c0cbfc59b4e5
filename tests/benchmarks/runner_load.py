"""What training costs those who do not train, and what runs leave behind.

`python -m tests.benchmarks.runner_load [--runs 200] [--changes 60]`

1. Input changes of a page, in wall-clock time (median), with nothing else going on and while six different
   models are trained by the workers; the two take turns. At most 1.5 times as long.
2. Thirty askers of one run: it is computed once.
3. A worker killed in the middle of a run: its reader is told, the next run is fine.
4. Many runs one after the other: no process, no file handle, less than 50 MB stay behind.
"""

import argparse
import json
import logging
import os
import statistics
import sys
import time
from pathlib import Path

from core.one_thread import ONE_THREAD

MOST_RATIO, MOST_MB = 1.5, 50
PATIENT = 120  # seconds for anything that is waited for


def until(holds):
    """Wait until something is so."""
    end = time.monotonic() + PATIENT
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("waited in vain")
        time.sleep(0.01)


def input_changes(at, n):
    """Milliseconds of n changes of one slider, each of them one run of the page's script."""
    key, times = "self_attention.seed", []
    for i in range(n):
        at.slider(key).set_value(i % 20)
        start = time.perf_counter()
        at.run()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def while_others_train(n_changes):
    """Compare changes without and with six trainings, in turns."""
    from core.experiments.pronoun_link import train_link
    from pages.shared import live_run
    from tests.pages import app

    pool, at = live_run.runs(), app.open_app("self_attention", "en")
    input_changes(at, 10)
    jobs = [live_run.job_of(train_link, seed, 2) for seed in range(101, 107)]
    quiet, busy = [], []
    for _ in range(3):
        quiet += input_changes(at, n_changes // 3)
        for job in jobs:
            pool.start(job, "benchmark")
        until(lambda: sum(pool.peek(job).state == live_run.RUNNING for job in jobs) == live_run.n_workers())
        until(lambda: any(pool.peek(job).seen for job in jobs))
        busy += input_changes(at, n_changes // 3)
        still = any(not pool.peek(job).is_over for job in jobs)
        for job in jobs:
            pool.leave(job, "benchmark")
        assert still, "the trainings ended before the changes did"
        until(lambda: all(pool.peek(job).is_over for job in jobs))
        time.sleep(0.5)
    a, b = statistics.median(quiet), statistics.median(busy)
    p95 = [statistics.quantiles(times, n=20)[-1] for times in (quiet, busy)]
    return {"quiet_ms": a, "busy_ms": b, "ratio": b / a, "p95_quiet_ms": p95[0], "p95_busy_ms": p95[1]}


def thirty_askers():
    """Count what thirty askers of one run cost."""
    from core.experiments.word_order import learn_order
    from pages.shared import live_run

    pool, job = live_run.runs(), live_run.job_of(learn_order, 500, True)
    runs = {id(pool.start(job, f"reader {i}")) for i in range(30)}
    until(lambda: pool.peek(job).is_over)
    return {"askers": 30, "computed": len(runs), "snapshots": len(pool.peek(job).seen)}


def killed_worker():
    """Kill the process of a run; tell what its reader is told, and how the next run ends."""
    from core.experiments.pronoun_link import train_link
    from core.experiments.word_order import learn_order
    from pages.shared import live_run

    pool, job = live_run.runs(), live_run.job_of(train_link, 200, 2)
    run = pool.start(job, "reader")
    until(lambda: run.seen)
    (each,) = [each for each in pool._workers if each.run is run]
    each.kill()
    until(lambda: run.is_over)
    following = pool.start(live_run.job_of(learn_order, 501, True), "reader")
    until(lambda: following.is_over)
    return {"told": run.state, "next": following.state}


def resources():
    """Children, open handles and megabytes of this process."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="utf-8").split()
    return {
        "children": len(children),
        "handles": len([*Path("/proc/self/fd").iterdir()]),
        "mb": int(resident.split()[1]) / 1024,
    }


def many_runs(n):
    """Compute n runs one after the other; tell what stays."""
    from core.experiments.word_order import learn_order
    from pages.shared import live_run

    pool = live_run.runs()

    def run(seed):
        job = live_run.job_of(learn_order, seed, True)
        pool.start(job, "reader")
        until(lambda: pool.peek(job).is_over)

    for seed in range(1000, 1020):  # what is kept anyway is there after these
        run(seed)
    before = resources()
    for seed in range(2000, 2000 + n):
        run(seed)
    after = resources()
    return {"runs": n, **{f"more_{name}": after[name] - before[name] for name in before}}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=200)
    options.add_argument("--changes", type=int, default=60)
    given = options.parse_args()
    logging.disable(logging.CRITICAL)
    os.environ.update(ONE_THREAD)
    found = {
        "load": while_others_train(given.changes),
        "askers": thirty_askers(),
        "killed": killed_worker(),
        "many": many_runs(given.runs),
    }
    for name, figures in found.items():
        told = (
            f"{key} {value if isinstance(value, str) else round(value, 2)}" for key, value in figures.items()
        )
        print(f"{name:7}", ", ".join(told))
    within = {
        "load": found["load"]["ratio"] <= MOST_RATIO,
        "askers": found["askers"]["computed"] == 1,
        "killed": found["killed"] == {"told": "lost", "next": "done"},
        "many": found["many"]["more_children"] <= 0
        and found["many"]["more_handles"] <= 0
        and found["many"]["more_mb"] < MOST_MB,
    }
    print(json.dumps({"benchmark": "runner_load", **found, "within": within}))
    return 0 if all(within.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
