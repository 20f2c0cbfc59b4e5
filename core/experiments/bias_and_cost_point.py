"""Page 5, data: one training from near, of one model on so many examples."""

from itertools import islice
from typing import NamedTuple

from core.experiments.bias_and_cost_data import model_of, most_steps, steps_of
from core.experiments.bias_and_cost_exam import make_exam, shares_right

N_LOOKS = 20
RECORDED = {  # what `run` is called with -> name of the recording
    (0.0, "absolute", 128, 0): "bias_and_cost_point_by_heart",
    (0.0, "conv", 128, 0): "bias_and_cost_point_carries_over",
    (1.0, "conv", 512, 0): "bias_and_cost_point_not_learned",
}


class PointSnapshot(NamedTuple):
    """How far a training is."""

    step: int
    end: int  # the last step there is
    loss: float  # of the batch, nats; not a number before the first step
    accuracy: float  # share right of the examples it learns from
    test: float  # share right of 2,000 new questions


def run(task, name, size, seed):
    """Train one model to the last step, and look at it on the way.

    Parameters
    ----------
    task : float or "texture"
        Share of far questions, or the other task.
    name : str
        Of `bias_and_cost_data.MIXERS`.
    size, seed : int
        Number of examples; what draws them, the new questions and the first parameters.

    Yields
    ------
    PointSnapshot
        At step 0 and after every twentieth part of the steps.
    """
    exam, model, end = make_exam(task, size, seed), model_of(task, name), most_steps(task, name)
    for step in steps_of(task, name, size, seed, thorough=True):
        if step.number % (end // N_LOOKS) == 0:
            yield PointSnapshot(step.number, end, step.loss, *shares_right(exam, step.params, model))


def first_losses(task, name, size, seed):
    """Losses of the first ten batches, by which another machine sees that it does the same."""
    return [step.loss for step in islice(steps_of(task, name, size, seed), 1, 11)]
