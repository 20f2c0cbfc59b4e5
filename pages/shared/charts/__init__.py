"""Arrays -> pictures.

A small table and a Vega-Lite spec. No Streamlit in here; one kind of picture a file.
"""

from pages.shared.charts.bars import bars
from pages.shared.charts.base import HUES, Picture
from pages.shared.charts.curves import curves
from pages.shared.charts.heat_maps import scores_map, weights_map
from pages.shared.charts.planes import plane

__all__ = ["HUES", "Picture", "bars", "curves", "plane", "scores_map", "weights_map"]
