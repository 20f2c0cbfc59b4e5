"""Convex hulls in the plane.

A weighted mean with weights that sum to 1 never leaves the hull of its values (page 2).
"""

import numpy as np


def turn(a, b, c):  # (2,), (2,), (2,) -> float
    """Positive if the way a -> b -> c turns left, 0 if it goes straight on."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def hull(points):  # (n, 2) -> list of indices
    """Corners of the convex hull, counter-clockwise from the leftmost point (Andrew's monotone chain, 1979).

    Points on an edge are no corners. Of one point, or of equal points, there is no hull: the list is empty.
    """
    order = np.lexsort((points[:, 1], points[:, 0]))

    def half(indices):
        chain = []
        for i in indices:
            while len(chain) > 1 and turn(points[chain[-2]], points[chain[-1]], points[i]) <= 0:
                chain.pop()
            chain.append(int(i))
        return chain[:-1]

    corners = half(order) + half(order[::-1])
    return corners if len(np.unique(points[corners], axis=0)) > 1 else []


def inside(point, points, tolerance=1e-9):  # (2,), (n, 2) -> bool
    """Whether a point lies in the convex hull of others, its edges included."""
    box = (points.min(axis=0) - tolerance <= point).all() and (point <= points.max(axis=0) + tolerance).all()
    corners = points[hull(points)]
    edges = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    return bool(box and all(turn(a, b, point) >= -tolerance for a, b in edges))
