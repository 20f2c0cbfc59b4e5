"""Times what the parts cost on this machine, in a worker process of its own (lecture: the price).

Each record is handed out as soon as it is measured, so that readers see the curves grow. The layers are the
very blocks of this project, forward only, on one sequence of float32.
"""

import math

import numpy as np

from core import costs_saved
from core.blocks.attention import scaled_dot_product_attention
from core.blocks.convolution import convolution
from core.blocks.recurrence import rnn
from core.costs import LAYERS
from core.timing import best_seconds, machine, peak_bytes

D, K = costs_saved.D, 3  # width of a token, taps of the convolution
SIZES = tuple(2**i for i in range(4, 13))  # 16 ... 4096 tokens
ROUNDS = 3
STEPS = 1024  # of the chain
WIDTHS = (16, 32, 64, 128, 256, 512)  # of the chain


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


def measurements(sizes=SIZES, d=D, k=K, rounds=ROUNDS):
    """Yield a record for every size and layer, small sizes first.

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


def as_a_chain(h, w, n):  # (1, d), (d, d) -> (1, d)
    """Multiply n times, each time what the time before gave."""
    for _ in range(n):
        h = h @ w
    return h


def as_one_product(x, w):  # (n, d), (d, d) -> (n, d)
    """Multiply n rows that do not wait for each other."""
    return x @ w


def chain_and_product(widths=WIDTHS, n=STEPS):
    """Yield the times of the same n d d multiplications in both orders.

    The matrix turns vectors without stretching them, so that n products neither die away nor run over.
    """
    rng = np.random.default_rng(0)
    for d in widths:
        x = rng.standard_normal((n, d), dtype=np.float32)
        w = np.linalg.qr(rng.standard_normal((d, d)))[0].astype(np.float32)
        chain = best_seconds(lambda: as_a_chain(x[:1], w, n), fewest=2)  # noqa: B023
        product = best_seconds(lambda: as_one_product(x, w), fewest=2)  # noqa: B023
        yield {"kind": "chain", "d": d, "n": n, "chain": chain, "product": product}


def everything():
    """Yield what machine it is, then all records: what stands first on the page, and the longest run last."""
    yield {"machine": machine()}
    yield from measurements()
    yield from costs_saved.in_blocks()
    yield from costs_saved.skipping()
    yield from costs_saved.one_more_token()
    yield from chain_and_product()
    yield from costs_saved.long_input()
