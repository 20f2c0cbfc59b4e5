"""The training loop: batch, loss, gradient, step - handed out one step at a time to whoever watches."""

import numpy as np

from core.learning.parameters import flatten, pack


def train(params, loss_and_gradients, batches, optimiser):
    """Train step by step.

    Parameters
    ----------
    params : tree of arrays
        Where to start; it is left as it is.
    loss_and_gradients : callable
        ``loss_and_gradients(params, *batch) -> (loss, dparams)``.
    batches : iterable of tuples
        One batch for each step; the training ends with them.
    optimiser : object with ``step(params, grads)`` on flat vectors
        Adam, for example.

    Yields
    ------
    params : tree of arrays
        The parameters before the first step, then after each one. It is the same tree every time, and its
        numbers go on changing: whoever wants to keep some copies them.
    """
    flat, params = flatten(params)
    grads = np.empty_like(flat)
    yield params
    for batch in batches:
        _, dparams = loss_and_gradients(params, *batch)  # 1
        optimiser.step(flat, pack(dparams, grads))  # 2
        yield params


def random_batches(rng, arrays, n_steps, size):
    """Draw batches, each of `size` examples with repetition.

    Parameters
    ----------
    rng : numpy.random.Generator
    arrays : sequence of (n_examples, ...) ndarray
        What belongs to one example stands in the same row of each.
    n_steps, size : int

    Yields
    ------
    batch : tuple of (size, ...) ndarray
    """
    for _ in range(n_steps):
        rows = rng.integers(len(arrays[0]), size=size)
        yield tuple(array[rows] for array in arrays)
