"""How long a call takes, how much memory it holds, and what machine it ran on (lecture: the price)."""

import platform
import sys
import time
import tracemalloc

import numpy as np


def peak_bytes(call):
    """Return the most memory that the call held at one time, its result included."""
    # NumPy tells tracemalloc of every array.
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def clock():
    """Return the seconds so far: with one thread, those of the clock less the waiting for other programs.

    Windows counts processor time in steps of 16 ms, too coarse here; there it is the clock.
    """
    return time.perf_counter() if sys.platform == "win32" else time.process_time()


def best_seconds(call, enough=0.005, fewest=1):
    """Return the shortest of several runs: whatever else the machine does can only make a run longer."""
    runs = []
    while len(runs) < fewest or sum(runs) < enough:
        start = clock()
        call()
        runs.append(clock() - start)
    return min(runs)


def machine():
    """Name what the times depend on."""
    blas = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "blas": f"{blas.get('name', '?')} {blas.get('version', '')}".strip(),
    }
