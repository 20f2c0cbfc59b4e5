"""Arrays -> pictures.

A small table and a Vega-Lite spec. No Streamlit in here; one kind of picture a file.
"""

from pages.shared.charts.bars import bars
from pages.shared.charts.base import HUES, Picture
from pages.shared.charts.costs import CostLine, cost_curves
from pages.shared.charts.curves import curves
from pages.shared.charts.heat_maps import scores_map, weights_map
from pages.shared.charts.planes import plane
from pages.shared.charts.reach import reach_map
from pages.shared.charts.stairs import stairs
from pages.shared.charts.tower import Box, tower

__all__ = [
    "HUES",
    "Box",
    "CostLine",
    "Picture",
    "bars",
    "cost_curves",
    "curves",
    "plane",
    "reach_map",
    "scores_map",
    "stairs",
    "tower",
    "weights_map",
]
