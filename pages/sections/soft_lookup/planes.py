"""The planes of keys and values: how their axes are named, and how far they reach."""

import numpy as np


def axes(s):
    """The titles of all planes."""
    return s.page.words("axis_1"), s.page.words("axis_2")


def bound(*arrays):
    """Half the side of a plane that shows all points: at least 4, a whole even number."""
    largest = max(float(np.abs(a).max()) for a in arrays)
    return max(4, 2 * int(np.ceil((largest + 0.5) / 2)))
