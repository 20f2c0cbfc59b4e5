"""The future skipped tile by tile: what is left of the tiles, and of the time."""

import pandas as pd

from core import costs_saved
from core.blocks.blocked_attention import blocked_attention
from core.experiments import bias_and_cost_savings as savings
from pages.sections.bias_and_cost.layers import compared
from pages.sections.bias_and_cost.measuring import measuring, so_far, stamp, wait_for
from pages.shared import charts

NOTHING = 0.97  # of the time or more is left: as good as nothing is saved


def skipping(s):
    run = measuring("skipping", len(costs_saved.SKIPPED_BLOCKS))
    n = costs_saved.SKIPPED_SIZE
    with s.inputs:
        block = s.ask.pick("tile", costs_saved.SKIPPED_BLOCKS, 256)
        wait_for(s, run)
    some, every = savings.count_blocks(n // block, 1)  # as many blocks as n tokens give in larger ones
    skipped, share = savings.skipped(run.records), some / every
    with s.picture:
        titles = (s.words("asking"), s.words("asked"), s.words("allowed"))
        tiles = charts.connections_map(savings.tiles(n, block), "attention", titles, ".0%")
        s.chart(tiles, "tiles_picture", n=n, block=block, some=some, every=every, share=share)
        s.stamp("counted")
        share_chart(s, skipped, block, n)
        stamp(s, run)
    taken = dict(zip(skipped.block, skipped.measured, strict=True)).get(block)
    if taken is not None:
        key = "says_nothing" if taken > NOTHING else f"says_{compared(taken, share, '.0%')}"
        s.says(key, block=block, n=n, share=share, taken=taken)
    s.details(
        code=[costs_saved.skipping, blocked_attention, savings.tiles],
        numbers=lambda: so_far("block", costs_saved.SKIPPED_BLOCKS, skipped),
    )


def share_chart(s, skipped, block, n):
    sizes = costs_saved.SKIPPED_BLOCKS
    names = (s.words("counted"), s.words("measured"))
    counted = pd.DataFrame({"x": sizes, "y": [savings.counted_share(n, b) for b in sizes], "name": names[0]})
    measured = pd.DataFrame({"x": skipped.block, "y": skipped.measured, "name": names[1]})
    data = pd.concat([counted, measured], ignore_index=True).astype({"x": float, "y": float})
    series = ((names[0], "neutral"), (names[1], "attention"))
    domains = ((sizes[0], sizes[-1]), (0, 1.2))
    titles = (s.words("block_axis"), s.words("share"))
    s.chart(
        charts.curves(data, series, titles, log=("x",), domains=domains, ticks=sizes, at=block, height=260),
        "share_picture",
        n=n,
        first=savings.counted_share(n, sizes[0]),
        last=savings.counted_share(n, sizes[-1]),
    )
