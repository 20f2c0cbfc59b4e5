"""All parameters of a model in one long vector, and the same numbers as a tree of named arrays.

Blocks read the tree; the optimiser walks the vector in a few large steps instead of many small ones.
"""

import numpy as np

from core.blocks.arrays import as_float


def leaves(tree):
    """List the arrays of a tree of (named) tuples in order; None stands for a part that does not exist."""
    if tree is None:
        return []
    if isinstance(tree, tuple):
        return [leaf for branch in tree for leaf in leaves(branch)]
    return [tree]


def flatten(tree):
    """Copy the arrays of a tree into one vector.

    Parameters
    ----------
    tree : tuple or ndarray
        Arrays in (named) tuples nested to any depth; None is allowed in place of an array.

    Returns
    -------
    flat : (n_params,) ndarray
        Every number once, in the order of the tree.
    views : tuple or ndarray
        The same tree, made of windows into `flat`: what an optimiser writes into `flat` stands in the tree
        at once.
    """
    arrays = [as_float(leaf).ravel() for leaf in leaves(tree)]
    flat = np.concatenate(arrays) if arrays else np.empty(0)
    return flat, unflatten(flat, tree)


def unflatten(flat, tree):
    """Lay windows over `flat` in the structure and shapes of `tree`.

    Raises
    ------
    ValueError
        If `flat` is not a vector of as many numbers as the tree holds.
    """
    size = sum(np.size(leaf) for leaf in leaves(tree))
    if np.shape(flat) != (size,):
        raise ValueError(f"the tree holds {size} numbers, the vector has shape {np.shape(flat)}")
    views, _ = _windows(flat, tree, 0)
    return views


def pack(tree, out):
    """Write the arrays of a tree, such as the gradients of one step, into the vector `out` and return it.

    Raises
    ------
    ValueError
        If the tree does not hold as many numbers as `out`.
    """
    return np.concatenate([leaf.reshape(-1) for leaf in leaves(tree)], out=out, casting="same_kind")


def _windows(flat, tree, start):
    """Return the tree of windows that begins at `start`, and where it ends."""
    if tree is None:
        return None, start
    if isinstance(tree, tuple):
        branches = []
        for branch in tree:
            window, start = _windows(flat, branch, start)
            branches.append(window)
        return type(tree)(*branches) if hasattr(tree, "_fields") else tuple(branches), start
    end = start + np.size(tree)
    return flat[start:end].reshape(np.shape(tree)), end
