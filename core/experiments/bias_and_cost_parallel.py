"""Page 5: the same multiplications one after the other and at once, as measured and in a simple model."""

from typing import NamedTuple

import numpy as np

from core.experiments.bias_and_cost_savings import columns


class Orders(NamedTuple):
    """Seconds of the same multiplications as a chain and as one product; all arrays are (n_widths,)."""

    d: np.ndarray
    chain: np.ndarray
    product: np.ndarray


def orders(records):
    """Sort out what was measured of the chain and of the one product."""
    return Orders(*columns(records, "chain", Orders._fields))


def ideal_steps(cost, processors):
    """Model the time on p processors: ``max(path, work / p)``, in steps of one multiply-add.

    Whatever need not wait is spread without loss, and nothing but multiply-adds takes time: a bound that no
    machine reaches. However many processors there are, one product after the other still takes a step each.

    Parameters
    ----------
    cost : Cost
        Of a layer, from `core.costs`.
    processors : int or (n,) array_like

    References
    ----------
    Brent, "The Parallel Evaluation of General Arithmetic Expressions" (1974), for the two bounds.
    """
    work = cost.operations / 2  # a multiply-add counts as two operations
    return np.maximum(cost.serial_steps, work / np.asarray(processors, float))


def enough_processors(cost):
    """Return the number of processors from which on only the waiting is left: work / path."""
    return cost.operations / 2 / cost.serial_steps


def overtaking(one, other):
    """Return the least processors with which `one` is as quick as `other` at its best, in the model."""
    return one.operations / 2 / other.serial_steps
