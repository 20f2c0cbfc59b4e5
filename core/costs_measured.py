"""Times one layer of each kind on this machine: ``python -m core.costs_measured`` (lecture: the price).

One JSON object a line, as soon as it is measured, so that whoever reads the pipe sees the curves grow. The
layers are the very blocks of this project, forward only, on one sequence of float32.
"""

import json
import math
import os
import platform
import signal
import sys
import time
import tracemalloc

import numpy as np

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.convolution import convolution
from core.blocks.recurrence import rnn
from core.costs import LAYERS

D, K = 64, 3  # width of a token, taps of the convolution
SIZES = tuple(2**i for i in range(4, 13))  # 16 ... 4096 tokens
ROUNDS = 3


def layers(n, d, k, rng):
    """Make each layer with random inputs, ready to be called; attention gets q, k, v as they are."""
    x = rng.standard_normal((n, d), dtype=np.float32)
    w_x, w_h = rng.standard_normal((2, d, d), dtype=np.float32) / np.float32(d**0.5)
    w = rng.standard_normal((k, d, d), dtype=np.float32) / np.float32((k * d) ** 0.5)
    return {
        "attention": lambda: scaled_dot_product_attention(x, x, x),
        "rnn": lambda: rnn(x, w_x, w_h),
        "conv": lambda: convolution(x, w),
    }


def peak_bytes(call):
    """Return the most memory that the call held at one time, its result included."""
    # NumPy tells tracemalloc of every array.
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def best_seconds(call, enough=0.005, fewest=1):
    """Return the shortest of several runs: whatever else the machine does can only make a run longer.

    With one thread, processor time is the time of the clock less the waiting for other programs. Windows
    counts it in steps of 16 ms, too coarse here.
    """
    clock = time.perf_counter if sys.platform == "win32" else time.process_time
    runs = []
    while len(runs) < fewest or sum(runs) < enough:
        start = clock()
        call()
        runs.append(clock() - start)
    return min(runs)


def measurements(sizes=SIZES, d=D, k=K, rounds=ROUNDS):
    """Yield a record for every size and layer, small sizes first, and what machine it was at the end.

    Later rounds say it again with the best time so far: a moment in which the machine was busy elsewhere
    does not stay in the picture.
    """
    best = {}
    for _ in range(rounds):
        rng = np.random.default_rng(0)
        for n in sizes:
            made = layers(n, d, k, rng)
            for name in LAYERS:
                if (name, n) not in best:
                    best[name, n] = (math.inf, peak_bytes(made[name]))  # first: it also warms up
                seconds, peak = best[name, n]
                best[name, n] = (min(seconds, best_seconds(made[name])), peak)
                yield {"layer": name, "n": n, "seconds": best[name, n][0], "bytes": peak}
    yield {"machine": machine()}


def machine():
    """Name what the times depend on."""
    blas = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "blas": f"{blas.get('name', '?')} {blas.get('version', '')}".strip(),
    }


def main():
    """Print the measurements, out of everybody's way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C belongs to the server; the closed pipe ends us
    if hasattr(os, "nice"):
        os.nice(10)
    try:
        for record in measurements():
            print(json.dumps(record), flush=True)
    except BrokenPipeError:
        os._exit(0)  # nobody reads any more; at once, before Python flushes the dead pipe


if __name__ == "__main__":
    main()
