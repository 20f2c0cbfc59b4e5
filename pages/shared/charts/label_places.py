"""Where words stand beside lines on logarithmic axes, so that they touch neither lines nor each other."""

from itertools import pairwise

import numpy as np

ROW = 0.08  # of the plot's height: one line of text
ROOM = 0.22  # of the width, right of the longest input: for what the lines say at their ends


def whole_powers(values):
    """The powers of ten around all values."""
    logs = np.log10(values)
    return float(10.0 ** np.floor(logs.min() + 1e-9)), float(10.0 ** np.ceil(logs.max() - 1e-9))


def room_for_ends(sizes):
    """Where the length axis ends, so that there is room beside the last point."""
    return float(sizes[0] * (sizes[-1] / sizes[0]) ** (1 / (1 - ROOM)))


def spread_apart(values, bounds, gap=ROW):
    """Lift values on a logarithmic axis until texts beside them do not touch, from the lowest up."""
    low, high = np.log10(bounds)
    step = gap * (high - low)
    places = np.log10(values)
    order = np.argsort(places, kind="stable")
    for below, i in pairwise(order):
        places[i] = max(places[i], places[below] + step)
    return 10.0**places


def name_places(lengths, x_bounds, bounds):
    """Where the names of rules stand: (side of the text's anchor, height), one below or above the other.

    Costs rise to the right, so there is room above them on the left and below them on the right.
    """
    low, high = x_bounds
    n_above, n_below, places = 0, 0, []
    for n in lengths:
        way = np.log(n / low) / np.log(high / low)  # 0 at the left end, 1 at the right end
        if way < 0.3:
            down, n_above = (n_above + 0.6) * ROW, n_above + 1
        else:
            down, n_below = 1 - (n_below + 0.6) * ROW, n_below + 1
        y = bounds[1] * (bounds[0] / bounds[1]) ** down
        places.append(("left" if way < 0.6 else "right", float(y)))
    return places
