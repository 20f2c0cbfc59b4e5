"""Page 5: what seeing everything costs, by formula and as measured on this machine."""

from typing import NamedTuple

import numpy as np

from core.costs import LAYERS, attention_cost, conv_cost, rnn_cost


def bill(n, d, k, projections=False):  # -> {layer: Cost}
    """Return what one layer of each kind costs; the taps of "dilated" spread k-fold from layer to layer."""
    return {
        "attention": attention_cost(n, d, projections),
        "rnn": rnn_cost(n, d),
        "conv": conv_cost(n, d, k),
        "dilated": conv_cost(n, d, k, growth=k),
    }


def operations_by_n(sizes, d, k, projections=False):  # (n_sizes,) -> {layer: (n_sizes,)}
    """Operations of each layer over a range of lengths."""
    bills = [bill(n, d, k, projections) for n in sizes]
    return {layer: [costs[layer].operations for costs in bills] for layer in LAYERS}


# --- measured ---------------------------------------------------------------------------------


class Measured(NamedTuple):
    """What was measured of one layer so far, in the order of the lengths; all arrays are (n_sizes,)."""

    n: np.ndarray
    seconds: np.ndarray
    bytes: np.ndarray


def collect(records):
    """Sort the records of `core.costs_measured` by layer; what is said again counts as it was said last.

    Returns
    -------
    measured : {layer: Measured}
        Every layer is there, if need be with empty arrays.
    machine : dict or None
        What the times depend on; it is told first, and None until then.
    """
    rows = {
        name: {r["n"]: (r["n"], r["seconds"], r["bytes"]) for r in records if r.get("layer") == name}
        for name in LAYERS
    }
    measured = {
        name: Measured(*np.array(list(some.values()), float).reshape(-1, 3).T) for name, some in rows.items()
    }
    return measured, next((r["machine"] for r in records if "machine" in r), None)


class PowerLaw(NamedTuple):
    """``y = factor * n ** exponent``, a straight line where both axes are logarithmic."""

    exponent: float
    factor: float

    def at(self, n):
        """Return its value at n."""
        return self.factor * np.asarray(n, float) ** self.exponent


def fit_exponent(n, y, n_from=256):  # (n_sizes,), (n_sizes,) -> PowerLaw or None
    """Fit a power law by least squares on the logarithms.

    Only lengths of `n_from` or more count: a fixed cost of each call weighs most on short inputs and
    hides part of the growth. None if fewer than two points are left.
    """
    used = np.asarray(n) >= n_from
    if np.count_nonzero(used) < 2:
        return None
    exponent, log_factor = np.polyfit(np.log(n[used]), np.log(y[used]), 1)
    return PowerLaw(float(exponent), float(np.exp(log_factor)))


def crossover(n, a, b):  # (n_sizes,) three times -> float or None
    """Find the length from which on `a` lies above `b` for good.

    Between the two measured lengths it is read off the straight lines that join them on logarithmic axes.
    None if `a` lies above from the first length on, or still below at the last one.
    """
    above = np.log(a) - np.log(b)  # (n_sizes,)
    below = np.flatnonzero(above < 0)
    if below.size == 0 or below[-1] == len(above) - 1:
        return None
    i = below[-1]
    way = above[i] / (above[i] - above[i + 1])  # 0 at n[i], 1 at n[i + 1]
    return float(n[i] ** (1 - way) * n[i + 1] ** way)


def speed(measured, operations):  # Measured, (n_sizes,) -> (n_sizes,)
    """Operations a second, in units of 10^9: how well a layer keeps the processor busy."""
    return np.asarray(operations, float) / measured.seconds / 1e9
