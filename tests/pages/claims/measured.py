"""A measurement such as page 5 waits for, with crooked numbers that no sentence can hit by chance."""

from core.costs import LAYERS
from core.costs_measured import ROUNDS, SIZES, WIDTHS
from core.costs_saved import BLOCKED_SIZES, BLOCKS, LONG, PLACES, SKIPPED_BLOCKS

MACHINE = {"system": "Linux", "python": "3.11", "numpy": "2.4", "blas": "openblas"}
LONG_SIZE = 2048


def layers(pair=1.1e-9, exponent=2.0, short=2.0, word=1.3e-6):
    """Attention takes `pair` s times n to the `exponent`, below 256 to `short`; the RNN `word` s a word."""
    bend = 256 ** (exponent - short)
    seconds = {
        "attention": lambda n: pair * (n**exponent if n >= 256 else bend * n**short),
        "rnn": lambda n: word * n,
        "conv": lambda n: 1.7e-7 * n,
    }
    size = {"attention": lambda n: 8 * n * n, "rnn": lambda n: 771 * n, "conv": lambda n: 517 * n}
    return [
        {"layer": layer, "n": n, "seconds": seconds[layer](n), "bytes": size[layer](n)}
        for _ in range(ROUNDS)
        for n in SIZES
        for layer in LAYERS
    ]


def blocked(pair=1.1e-9):
    for n in BLOCKED_SIZES:
        for block in BLOCKS:
            seconds = pair * n**1.93 * (1 + 17 / block)
            size = 3.3 * n * block + 777 * n
            yield {
                "kind": "blocked",
                "n": n,
                "block": block,
                "seconds": seconds,
                "bytes": size,
                "difference": 2.3e-10 * n,
            }
    long = {"kind": "blocked", "n": LONG, "block": 256, "seconds": 1.07e-9 * LONG**2}
    yield long | {"bytes": 5.3 * 2**20 + LONG * 64 * 4}


def skipping(taken):
    """`taken` gives the share of the time from the share of the blocks."""
    for block in SKIPPED_BLOCKS:
        m = LONG_SIZE // block
        counts = {"causal_blocks": m * (m + 1) // 2, "full_blocks": m * m}
        share = counts["causal_blocks"] / counts["full_blocks"]
        seconds = {"causal_seconds": 0.31 * taken(share), "full_seconds": 0.31}
        yield {"kind": "skipping", "n": LONG_SIZE, "block": block, **counts, **seconds}


def whole_run(*, step=1.9e-5, taken=lambda share: share + 0.07, blocks=1.1e-9, **of_layers):
    """Everything that the child tells, in its order."""
    told = [{"machine": MACHINE}, *layers(**of_layers), *blocked(blocks), *skipping(taken)]
    told += [{"kind": "token", "t": t, "again": 1.3e-8 * t * t, "cached": step} for t in PLACES]
    told += [
        {"kind": "chain", "d": d, "n": 1024, "chain": 3.1e-8 * d * d + 2e-4, "product": 1.1e-8 * d * d}
        for d in WIDTHS
    ]
    return told
