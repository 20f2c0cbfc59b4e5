"""One block: how many heads it may have, and what passes through it as boxes and as a table."""

import pandas as pd

from pages.shared import charts

HEADS = (1, 2, 4, 8)
HUES = {"attention": "attention", "mlp": "mlp"}  # of the boxes; all others are neutral


def as_boxes(s, passage, sizes, marked):
    """One box a stage that ran, with its mean and spread beside it."""
    return [
        charts.Box(
            s.words(f"stages.{stage.name}"),
            " × ".join(map(str, stage.array.shape)),
            (s.words("mean", value=mean), s.words("spread", value=spread)),
            HUES.get(stage.name, "neutral"),
            stage.name in marked,
        )
        for stage, mean, spread in zip(passage.stages, sizes.mean, sizes.spread, strict=True)
    ]


def as_table(passage, sizes):
    names = [stage.name for stage in passage.stages]
    shapes = [str(stage.array.shape) for stage in passage.stages]
    return pd.DataFrame({"stage": names, "shape": shapes} | sizes._asdict())
