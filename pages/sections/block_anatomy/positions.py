"""Positions as sinusoids that are added or as turns: their numbers, and their products by distance."""

import pandas as pd

from core.blocks.positions import sinusoidal_positions
from core.blocks.rotary import rotary
from core.experiments import block_anatomy_positions as places
from pages.shared import charts

BASES = ("10000", "100")


def positions(s):
    compared, turned, seed = compare_positions(s)
    n, d = compared.rows.shape
    found = places.by_distance(compared.products)
    values = {"n": n, "d": d, "own": found.mean[n - 1], "apart": charts.written(places.deviation(found))}
    with s.picture:
        axes = [s.words(axis) for axis in ("position_axis", "number_axis", "value")]
        numbered = [[str(i) for i in range(1, size + 1)] for size in (n, d)]
        rows = charts.scores_map(compared.rows, *numbered, axes, None if turned else 1)
        s.chart(rows, "turned_picture" if turned else "rows_picture", **values)
        titles = [s.words(title) for title in ("distance", "product", "least", "most")]
        s.chart(charts.distance_dots(*found, titles), "distance_picture", **values)
        s.stamp("random", seed=seed) if turned else s.stamp("computed")
    kind = ("rotary_odd" if d % 2 else "rotary") if turned else ("odd" if d % 2 else "even")
    s.says("says_one" if n == 1 else f"says_{kind}", largest=found.most.max(), **values)
    made_by = [places.turned_pairs, rotary] if turned else [places.added_waves, sinusoidal_positions]
    s.details(
        code=[*made_by, places.by_distance, places.deviation],
        numbers=lambda: pd.DataFrame(found._asdict()),
    )


def compare_positions(s):
    """The positions that the inputs want, whether they are turned, and the seed of what is turned."""
    with s.inputs:
        turned = s.ask.choice("kind", ("sinusoids", "rotary")) == "rotary"
        n, d = s.ask.number("n", 1, 64, 32), s.ask.number("positions_width", 1, 64, 32)
        base = int(s.ask.choice("base", BASES))
        seed = s.ask.seed("turn_seed") if turned else None
    compared = places.turned_pairs(n, d, base, seed) if turned else places.added_waves(n, d, base)
    return compared, turned, seed
