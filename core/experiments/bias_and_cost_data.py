"""Page 5, data: how many examples each way of linking words needs until it answers new questions.

Four models share words, norms, MLP and read-out, and differ in one link: by place (a window of three), by
content with a learned vector for each place or a learned number for each distance, by passing on (an RNN in
both directions). The fifth is one large matrix over the whole sentence, which shares nothing between places.
"""

from functools import lru_cache
from itertools import islice, repeat
from typing import NamedTuple

import numpy as np

from core.experiments.bias_and_cost_exam import TEXTURE, as_batch, look, make_exam
from core.learning import ask, texture
from core.learning.ask import N_WORDS
from core.learning.mixers.both_ways import BothWays
from core.learning.mixers.flat import Flat
from core.learning.mixers.heads import Heads
from core.learning.mixers.one_block import OneBlock
from core.learning.mixers.windows import Window
from core.learning.models import Model, count_parameters, init_model, learn
from core.learning.optimisers import AdamW
from core.learning.training import Cosine, random_batches, train

MIXERS = {
    "conv": OneBlock(Window(kernel=3)),
    "relative": OneBlock(Heads(n_heads=2, n_relative=N_WORDS)),
    "absolute": OneBlock(Heads(n_heads=2)),
    "rnn": OneBlock(BothWays(d_hidden=12)),
    "mlp": Flat(N_WORDS, d_model=16, d_hidden=24),
}
HAVE_HEADS = ("relative", "absolute")
SIZES = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)  # numbers of examples
BATCH, WEIGHT_DECAY, MAX_NORM = 64, 0.05, 1.0
# The large matrix learns slowly and its steps are cheap, so it makes ten times as many.
N_STEPS, N_STEPS_TEXTURE, N_STEPS_MLP = 300, 400, 3000
RATE, RATE_TEXTURE_MLP = 1e-2, 3e-3
SURE, KEEP = 0.01, 0.9  # a running mean of the loss, in nats, that is enough; what each step keeps of it
TASKS = {"local": 0.0, "mixed": 0.5, "far": 1.0, "texture": TEXTURE}  # those whose sweep is recorded
SEEDS = (0, 1, 2, 3, 4)
WANTED = 0.9  # share of new questions right that counts as learned
WHOLE_SWEEPS = {  # what `sweep` is called with for the recordings
    name: (task, tuple(MIXERS), SIZES, SEEDS, True) for name, task in TASKS.items()
}


class Point(NamedTuple):
    """One model, trained once on so many examples, and tried on new questions."""

    step: int  # points done, this one included
    end: int  # points there will be
    model: int  # its place in MIXERS
    size: int  # examples
    seed: int
    n_steps: int  # that the training took
    train: float
    test: float
    by_distance: np.ndarray
    on_target: np.ndarray
    reach: np.ndarray


def sweep(task, names, sizes, seeds, thorough=False):
    """Train models on growing numbers of examples.

    Parameters
    ----------
    task : float or "texture"
        Share of far questions, or the other task.
    names : sequence of str
        Of MIXERS.
    sizes : sequence of int
        Numbers of examples, the smallest first.
    seeds : sequence of int
        Each draws the examples, the new questions - the same for all models - and the first parameters.
    thorough : bool
        Whether a training makes all its steps; otherwise it ends when the loss has become small.

    Yields
    ------
    Point
        One for each model, size and seed.
    """
    todo = [(name, size, seed) for size in sizes for seed in seeds for name in names]
    for number, (name, size, seed) in enumerate(todo, start=1):
        n_steps, found = train_point(task, name, size, seed, thorough)
        yield Point(number, len(todo), list(MIXERS).index(name), size, seed, n_steps, *found)


def train_point(task, name, size, seed, thorough=False):
    """Train one model to the end. -> number of steps, Found"""
    *_, last = steps_of(task, name, size, seed, thorough)
    found = look(make_exam(task, size, seed), last.params, model_of(task, name), name in HAVE_HEADS)
    return last.number, found


def steps_of(task, name, size, seed, thorough=False):
    """Train one model until its loss has become small, or to the last step.

    Yields
    ------
    Step
    """
    model, n_steps = model_of(task, name), most_steps(task, name)
    *_, for_model, for_batches = np.random.default_rng(seed).spawn(5)  # the first three draw the exam
    arrays = as_batch(make_exam(task, size, seed).examples)
    if arrays[1] is None:  # what is read as a whole has no rows to read
        arrays = (arrays[0], np.zeros((size, 0), int), arrays[2])
    draw = repeat(arrays, n_steps) if size <= BATCH else random_batches(for_batches, arrays, n_steps, BATCH)

    def learn_batch(params, ids, rows, targets):
        return learn(params, model, ids, None if model.pooled else rows, targets)

    optimiser = AdamW(rate_of(task, name), betas=(0.9, 0.98), weight_decay=WEIGHT_DECAY)
    params = init_model(for_model, model)
    mean = None
    for step in train(params, learn_batch, draw, optimiser, Cosine(n_steps), MAX_NORM):
        yield step
        if step.number:
            mean = step.loss if mean is None else KEEP * mean + (1 - KEEP) * step.loss
            if mean < SURE and not thorough:
                return


def first_losses(task, names, sizes, seeds, thorough=False):
    """Losses of the first two batches of every model, by which another machine sees that it does the same."""
    return [step.loss for name in names for step in islice(steps_of(task, name, sizes[0], seeds[0]), 1, 3)]


def most_steps(task, name):
    """Tell how long a training may take."""
    if name == "mlp":
        return N_STEPS_MLP
    return N_STEPS_TEXTURE if task == TEXTURE else N_STEPS


def rate_of(task, name):
    """Tell the learning rate at its largest."""
    return RATE_TEXTURE_MLP if (task, name) == (TEXTURE, "mlp") else RATE


def model_of(task, name):
    """Describe one of the five models, for one of the two tasks."""
    n_places = N_WORDS if name == "absolute" else 0
    if task == TEXTURE:
        return Model(texture.N_VOCAB, texture.N_CLASSES, MIXERS[name], n_places=n_places, pooled=True)
    return Model(ask.N_VOCAB, ask.N_VALUES, MIXERS[name], n_places=n_places)


@lru_cache(maxsize=32)
def n_parameters(task, name):
    """Count what one of the five models learns."""
    return count_parameters(model_of(task, name))


def ceiling(task):
    """Best share right: of the window of three where it is about nouns, of anybody where it is a texture."""
    return texture.ceiling() if task == TEXTURE else ask.ceiling(task, MIXERS["conv"].link.kernel // 2)
