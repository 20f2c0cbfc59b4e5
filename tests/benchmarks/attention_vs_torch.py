"""Attention forward and backward against PyTorch's `scaled_dot_product_attention`, one thread each.

`python -m tests.benchmarks.attention_vs_torch [--rounds 40] [--cold]`

Batch 1, 4 heads, d_k 16, float32. PyTorch is needed by nothing else: `pip install torch==2.13.0` (any 2.x
works; the bounds were set with 2.13 for CPU). Both take turns within one run, ten calls at a time, and the
shortest call of each counts: whatever else the machine does can only make a call longer. Bounds on the ratio
ours / theirs: 1.0 up to 64 tokens, 1.25 at 128 and 256. `--cold` leaves out `core.one_thread.keep_memory`:
pages of memory then cost us more than the arithmetic at 256 tokens.
"""

import argparse
import json
import sys
import time

from tests.benchmarks import begin_with_torch

SIZES = (8, 16, 32, 64, 128, 256)
HEADS, D_K = 4, 16
CALLS = 10  # in a row, so that each side finds its own arrays in the processor's cache


def bound(n):
    return 1.0 if n <= 64 else 1.25


def make_ours(arrays):
    """The forward and backward call of this project."""
    from core.blocks.attention import (
        scaled_dot_product_attention,
        scaled_dot_product_attention_backward,
    )

    q, k, v, dout = arrays

    def call():
        out, cache = scaled_dot_product_attention(q, k, v)
        return out, *scaled_dot_product_attention_backward(dout, cache)

    return call


def make_theirs(arrays, torch):
    """The same call in PyTorch."""
    q, k, v, dout = (torch.from_numpy(x.copy()) for x in arrays)
    for x in (q, k, v):
        x.requires_grad_(True)

    def call():
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        return out, *torch.autograd.grad(out, (q, k, v), dout)

    return call


def check_same(ours, theirs):
    """Raise an AssertionError unless both compute the same output and gradients."""
    import numpy as np

    for a, b in zip(ours(), theirs(), strict=True):
        np.testing.assert_allclose(a, b.detach().numpy(), rtol=1e-4, atol=1e-5)


def shortest(call):
    """Return the time of the shortest of CALLS calls in a row."""
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(torch, rounds):
    """Yield a row for every length: seconds of both, and their ratio."""
    import numpy as np

    rng = np.random.default_rng(0)
    for n in SIZES:
        arrays = rng.standard_normal((4, 1, HEADS, n, D_K), dtype=np.float32)
        ours, theirs = make_ours(arrays), make_theirs(arrays, torch)
        check_same(ours, theirs)
        pairs = [(shortest(ours), shortest(theirs)) for _ in range(rounds)]
        a, b = (min(times) for times in zip(*pairs, strict=True))
        row = {"n": n, "ours_us": round(a * 1e6, 2), "torch_us": round(b * 1e6, 2), "ratio": round(a / b, 3)}
        yield row | {"bound": bound(n), "within": a / b <= bound(n)}


def table(rows):
    """Print the rows as they come, and return them."""
    print(f"{'n':>4} {'ours us':>9} {'torch us':>9} {'ratio':>6}  bound")
    line = "{n:4} {ours_us:9.1f} {torch_us:9.1f} {ratio:6.2f}  {bound:.2f}"
    kept = []
    for row in rows:
        print(line.format(**row) + ("" if row["within"] else "  above"), flush=True)
        kept.append(row)
    return kept


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=40)
    options.add_argument("--cold", action="store_true", help="leave the memory of the process as it starts")
    rounds, cold = vars(options.parse_args()).values()
    torch, facts = begin_with_torch(cold)
    rows = table(measure(torch, rounds))
    within = all(row["within"] for row in rows)
    result = {"benchmark": "attention_vs_torch", **facts}
    print(json.dumps({**result, "rounds": rounds, "cold": cold, "within": within, "rows": rows}))
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
