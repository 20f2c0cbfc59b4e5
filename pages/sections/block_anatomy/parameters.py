"""Where the parameters of a block are: counted part by part."""

import pandas as pd

from core.blocks.encoder_block import init_block
from core.experiments import block_anatomy
from pages.sections.block_anatomy.block import HEADS
from pages.shared import charts

PART_HUES = ["attention", "mlp", "neutral"]  # of the bars, in the order of Counts


def parameters(s):
    with s.inputs:
        d_model = s.ask.pick("count_width", (8, 16, 32, 64), 32)
        widening = s.ask.pick("widening", (1, 2, 4, 8), 4)
        n_heads = s.ask.pick("count_heads", HEADS, 4)
    counts = block_anatomy.count_parameters(block_anatomy.block_of(d_model, n_heads, widening))
    one_head = block_anatomy.count_parameters(block_anatomy.block_of(d_model, 1, widening))
    total = sum(counts)
    numbers = counts._asdict() | {"total": total, "share": counts.mlp / total}
    with s.picture:
        parts = [s.words(f"part_{part}") for part in counts._fields]
        titles = (s.words("part"), s.words("count"))
        s.chart(charts.bars(parts, counts, PART_HUES, titles, form=",d"), **numbers)
        s.stamp("computed")
    s.says(heads=n_heads, difference=total - sum(one_head), **numbers)
    s.details(
        code=[block_anatomy.count_parameters, init_block],
        numbers=pd.DataFrame({"part": counts._fields, "parameters": counts}),
    )
