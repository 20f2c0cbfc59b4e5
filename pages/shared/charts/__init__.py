"""Arrays -> pictures.

A small table and a Vega-Lite spec. No Streamlit in here; one kind of picture a file.
"""

from pages.shared.charts.bands import DASHED, DOTTED, SOLID, BandLine, bands
from pages.shared.charts.bars import bars
from pages.shared.charts.base import HUES, Picture, nice_bound
from pages.shared.charts.connections import connections_map
from pages.shared.charts.costs import CostLine, cost_curves
from pages.shared.charts.curves import curves
from pages.shared.charts.decades import decades, written
from pages.shared.charts.distances import distance_dots
from pages.shared.charts.dots import table_of_dots
from pages.shared.charts.gains import gain_curves, two_digits
from pages.shared.charts.heat_maps import mark_cell, mark_row, scores_map, weights_map
from pages.shared.charts.offsets import offset_bars
from pages.shared.charts.pixels import pixels
from pages.shared.charts.planes import plane
from pages.shared.charts.reach import reach_map
from pages.shared.charts.roles import vectors
from pages.shared.charts.shares import shares
from pages.shared.charts.shuffles import changes, moves
from pages.shared.charts.sizes import Size, sizes
from pages.shared.charts.stairs import stairs
from pages.shared.charts.tower import Box, tower
from pages.shared.charts.two_readings import two_readings
from pages.shared.charts.windows import windows

__all__ = [
    "DASHED",
    "DOTTED",
    "HUES",
    "SOLID",
    "BandLine",
    "Box",
    "CostLine",
    "Picture",
    "Size",
    "bands",
    "bars",
    "changes",
    "connections_map",
    "cost_curves",
    "curves",
    "decades",
    "distance_dots",
    "gain_curves",
    "mark_cell",
    "mark_row",
    "moves",
    "nice_bound",
    "offset_bars",
    "pixels",
    "plane",
    "reach_map",
    "scores_map",
    "shares",
    "sizes",
    "stairs",
    "table_of_dots",
    "tower",
    "two_digits",
    "two_readings",
    "vectors",
    "weights_map",
    "windows",
    "written",
]
