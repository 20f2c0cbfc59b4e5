"""What attention costs, and what blocks and the key/value cache save, on one thread of this machine.

`python -m tests.benchmarks.costs` (about 20 seconds of processor time)

Five tables: growth of time and memory from 256 tokens on; errors against float64; 16,384 tokens in blocks;
one more token with and without the cache; the future skipped. Times are the shortest of several runs.
Bounds, on what does not depend on the machine: blocked and plain attention within 1e-6 for normal q and k;
less than 64 MB beyond the output for 16,384 tokens; the cache within 1e-5 of computing all again (float32).
"""

import json
import os
import subprocess
import sys
import time

import numpy as np

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.blocked_attention import blocked_attention
from core.blocks.kv_cache import causal_attention_step, empty_cache, step_operations
from core.blocks.masks import causal_mask
from core.blocks.multi_head import self_attention
from core.costs import attention_cost
from core.costs_measured import D, K, layers
from core.costs_saved import normal, projections
from core.experiments.bias_and_cost import fit_exponent
from core.one_thread import ONE_THREAD
from core.timing import best_seconds, machine, peak_bytes

SIZES = (256, 512, 1024, 2048, 4096)
PLACES = (64, 256, 1024, 2047)  # of the token that is one more
MIB = 2**20


def growth(rng):
    """Time and memory of every layer over the lengths, and the exponents fitted to them."""
    rows = []
    for n in SIZES:
        x = normal(rng, n, D)
        calls = layers(n, D, K, rng) | {"blocked": lambda x=x: blocked_attention(x, x, x)}
        for name, call in calls.items():
            peak = peak_bytes(call)
            seconds = min(best_seconds(call) for _ in range(3))
            rows.append({"layer": name, "n": n, "ms": seconds * 1e3, "mib": peak / MIB})
    exponents = []
    for name in ("attention", "blocked", "conv", "rnn"):
        n, ms, mib = np.array([(r["n"], r["ms"], r["mib"]) for r in rows if r["layer"] == name]).T
        time_fit, memory_fit = fit_exponent(n, ms), fit_exponent(n, mib)
        exponents.append({"layer": name, "time": time_fit.exponent, "memory": memory_fit.exponent})
    return {"growth": rows, "exponents": exponents}


def errors(rng):
    """Largest differences between plain and blocked float32 and the truth, plain attention in float64."""
    rows = []
    for n in (1024, 4096):
        for factor in (1, 30):
            q, k, v = normal(rng, n, D) * np.float32(factor), normal(rng, n, D), normal(rng, n, D)
            some = slice(None, None, n // 256)  # a query knows nothing of the others: 256 of them will do
            plain, _ = scaled_dot_product_attention(q[some], k, v)
            blocked = blocked_attention(q, k, v)[0][some]
            truth, _ = scaled_dot_product_attention(*(x.astype(float) for x in (q[some], k, v)))
            pairs = {"plain": plain - truth, "blocked": blocked - truth, "between": blocked - plain}
            largest = {name: float(np.abs(gap).max()) for name, gap in pairs.items()}
            rows.append({"n": n, "scores_times": factor, **largest})
    return {"errors": rows}


def long_text(rng, n=16384):
    """Time and memory of blocked attention where plain attention would need 1 GiB for the scores alone."""
    q, k, v = normal(rng, 3, n, D)
    extra = peak_bytes(lambda: blocked_attention(q, k, v)) - v.nbytes  # the output is as large as v
    seconds = best_seconds(lambda: blocked_attention(q, k, v))
    scores = n * n * q.itemsize
    return {"long": [{"n": n, "seconds": seconds, "extra_mib": extra / MIB, "scores_mib": scores / MIB}]}


def step_seconds(x, params, rounds=12, reach=8):  # -> {t: seconds}, (n, d_model), cache
    """Write the text several times over; a place gets the shortest step of the last few up to it."""
    best = dict.fromkeys(PLACES, np.inf)
    for _ in range(rounds):
        cache, outs = empty_cache(params, 1, capacity=len(x)), []
        for t in range(1, len(x) + 1):
            start = time.perf_counter()
            out, cache = causal_attention_step(x[t - 1 : t], params, 1, cache)
            seconds = time.perf_counter() - start
            outs.append(out)
            best |= {place: min(best[place], seconds) for place in PLACES if 0 <= place - t < reach}
    return best, np.concatenate(outs), cache


def one_more_token(rng):
    """Time and operations of the next token with the cache, and of computing the whole causal layer again."""
    params = projections(rng, D)
    x = normal(rng, PLACES[-1], D)
    cached, outs, cache = step_seconds(x, params)
    rows = []
    for t in PLACES:
        mask = causal_mask(t)
        again = best_seconds(lambda t=t, mask=mask: self_attention(x[:t], params, 1, mask), fewest=3)
        whole, _ = self_attention(x[:t], params, 1, mask)
        row = {"t": t, "again_us": again * 1e6, "cached_us": cached[t] * 1e6, "times": again / cached[t]}
        # Exactly t: with the cache, every token is computed once.
        row["operations_times"] = attention_cost(t, D, projections=True).operations / step_operations(t, D)
        row["cache_bytes"] = 2 * t * D * 4
        rows.append({**row, "difference": float(np.abs(outs[:t] - whole).max())})
    if cache.n_bytes != rows[-1]["cache_bytes"]:
        raise AssertionError(f"the cache holds {cache.n_bytes} bytes, the formula says otherwise")
    return {"cache": rows}


def skipping(rng, n=4096):
    """Share of blocks and of time that is left when blocks of the future are skipped."""
    q, k, v = normal(rng, 3, n, D)
    rows = []
    for block in (128, 256, 512):
        calls = [lambda b=block, c=c: blocked_attention(q, k, v, causal=c, block=b) for c in (True, False)]
        (_, some), (_, every) = (call() for call in calls)
        turns = [[best_seconds(call) for call in calls] for _ in range(3)]
        causal, full = (min(times) for times in zip(*turns, strict=True))
        rows.append({"n": n, "block": block, "blocks": some, "of": every, "share": some / every})
        rows[-1]["time_share"] = causal / full
    return {"skipping": rows}


def rounded(x):
    """Keep four digits of every number in a nest of lists and dictionaries."""
    if isinstance(x, dict):
        return {name: rounded(value) for name, value in x.items()}
    if isinstance(x, list):
        return [rounded(value) for value in x]
    return float(f"{x:.4g}") if isinstance(x, float) else x


def table(rows):
    """Print rows that all have the same entries."""
    print("  ".join(f"{name:>16}" for name in rows[0]))
    for row in rows:
        print("  ".join(f"{rounded(x)!s:>16}" for x in row.values()), flush=True)
    print()


def is_within(result):
    """Whether everything that does not depend on the machine is as promised."""
    between = max(row["between"] for row in result["errors"] if row["scores_times"] == 1)
    extra = max(row["extra_mib"] for row in result["long"]) * MIB
    difference = max(row["difference"] for row in result["cache"])
    return between <= 1e-6 and extra <= 64e6 and difference <= 1e-5


def main():
    if not ONE_THREAD.items() <= os.environ.items():  # read when NumPy is imported: start anew
        command = [sys.executable, "-m", "tests.benchmarks.costs"]
        return subprocess.call(command, env=os.environ | ONE_THREAD)
    rng, start, result = np.random.default_rng(0), time.perf_counter(), {"machine": machine()}
    for measure in (growth, errors, long_text, one_more_token, skipping):
        print(measure.__doc__)
        found = measure(rng)
        for rows in found.values():
            table(rows)
        result |= found
    result |= {"seconds": time.perf_counter() - start, "within": is_within(result)}
    print(json.dumps(rounded({"benchmark": "costs", **result})))
    return 0 if result["within"] else 1


if __name__ == "__main__":
    sys.exit(main())
