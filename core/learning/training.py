"""The training loop: batch, loss, gradient, step - handed out one step at a time to whoever watches."""

import math
from typing import NamedTuple

import numpy as np

from core.learning.optimisers import clip_grad_norm
from core.learning.parameters import flatten, pack


class Step(NamedTuple):
    """What stands after a step; before the first one there is no batch, and its figures are not a number."""

    number: int  # steps made
    params: tuple  # goes on changing: whoever wants to keep it copies `flat`
    flat: np.ndarray  # the same numbers as one vector
    loss: float  # of the batch that the step was made from, before it was made
    accuracy: float
    grad_norm: float  # before clipping


class Constant:
    """A number of steps, all with the optimiser's own learning rate."""

    def __init__(self, n_steps):
        self.n_steps = n_steps

    def factor(self, number):
        """Tell by what the learning rate of this step, counted from 1, is multiplied."""
        return 1.0

    def is_over(self, number, accuracy):
        """Tell whether the training ends after this step."""
        return number >= self.n_steps


class Cosine(Constant):
    """A number of steps whose rate grows evenly, then sinks along half a wave.

    Parameters
    ----------
    n_steps : int
    warm_up : int
        Steps over which the rate grows.
    rest : float
        Share of the rate that is left at the end.

    References
    ----------
    Loshchilov, Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts" (2017), equation 5.
    """

    def __init__(self, n_steps, warm_up=20, rest=0.05):
        super().__init__(n_steps)
        self.warm_up, self.rest = warm_up, rest

    def factor(self, number):
        """Tell by what the learning rate of this step, counted from 1, is multiplied."""
        if number <= self.warm_up:
            return number / self.warm_up
        done = (number - self.warm_up) / max(self.n_steps - self.warm_up, 1)
        return self.rest + (1 - self.rest) * (1 + math.cos(math.pi * done)) / 2


class UntilLearned:
    """Train at full rate until the task is learned, then let the rate sink to 0, and stop.

    How long a model stays on a plateau differs threefold from seed to seed, so a fixed number of steps would
    cut off the slow ones.

    Parameters
    ----------
    most : int
        Steps at most.
    warm_up : int
        Steps over which the rate grows.
    wanted : float
        Running mean of the batches' accuracy that counts as learned.
    decay : int
        Steps over which the rate then sinks.
    keep : float
        Share of the running mean that each step keeps.
    """

    def __init__(self, most=2500, warm_up=50, wanted=0.97, decay=400, keep=0.97):
        self.most, self.warm_up, self.wanted, self.decay, self.keep = most, warm_up, wanted, decay, keep
        self.mean, self.learned_at = 0.0, None

    def factor(self, number):
        """Tell by what the learning rate of this step, counted from 1, is multiplied."""
        growing = min(1.0, number / self.warm_up)
        sinking = 1.0 if self.learned_at is None else 1 - (number - self.learned_at) / (self.decay + 1)
        return growing * sinking

    def is_over(self, number, accuracy):
        """Take note of a step's accuracy; tell whether the training ends after this step."""
        self.mean = self.keep * self.mean + (1 - self.keep) * accuracy
        if self.learned_at is None and self.mean > self.wanted:
            self.learned_at = number
        return number >= self.end

    @property
    def end(self):
        """Last step, as far as it is known: the most there may be, until the task is learned."""
        return self.most if self.learned_at is None else min(self.most, self.learned_at + self.decay)


def train(params, learn, batches, optimiser, schedule=None, max_norm=None):
    """Train step by step.

    Parameters
    ----------
    params : tree of arrays
        Where to start; it is left as it is.
    learn : callable
        ``learn(params, *batch) -> (loss, accuracy, dparams)``.
    batches : iterable of tuples
        One batch for each step; the training ends with them, if not before.
    optimiser : object with ``lr`` and ``step(params, grads)`` on flat vectors
        Adam, for example.
    schedule : Constant, Cosine or UntilLearned, optional
        How the learning rate changes, and when it is enough.
    max_norm : float, optional
        Longest gradient; a longer one is shortened.

    Yields
    ------
    Step
        Before the first step, then after each one.
    """
    flat, params = flatten(params)
    grads, full_rate = np.empty_like(flat), optimiser.lr
    yield Step(0, params, flat, *[float("nan")] * 3)
    for number, batch in enumerate(batches, start=1):
        loss, accuracy, dparams = learn(params, *batch)  # 1
        norm = clip_grad_norm(pack(dparams, grads), np.inf if max_norm is None else max_norm)  # 2
        if schedule:
            optimiser.lr = full_rate * schedule.factor(number)
        optimiser.step(flat, grads)  # 3
        yield Step(number, params, flat, loss, accuracy, norm)
        if schedule and schedule.is_over(number, accuracy):
            return


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
