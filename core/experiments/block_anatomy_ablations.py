"""Page 4, take one away: six towers learn to add neighbours, five of them without a part of the first.

Six blocks are deep enough for a missing part to hurt, and shallow enough to train while one waits. A rescue
gives a tower that fails smaller first weights, or more steps.
"""

from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from core.blocks.losses import cross_entropy
from core.learning.mixers.attention import Attention
from core.learning.models import Model, count_parameters, init_model, learn, read
from core.learning.optimisers import Adam
from core.learning.sums import LENGTH, N_WORDS, sum_task, sums
from core.learning.training import Cosine, random_batches, train

FULL = Attention(d_model=32, n_heads=4, d_ff=64, n_layers=6, base=None, norm="pre", final_norm=True)
VARIANTS = {  # the tower, and whether it learns a vector for each place
    "full": (FULL, True),
    "no_residual": (FULL._replace(residual=False), True),
    "no_norm": (FULL._replace(norm="off", final_norm=False), True),
    "post_norm": (FULL._replace(norm="post", final_norm=False), True),
    "no_mlp": (FULL._replace(use_mlp=False), True),
    "no_positions": (FULL, False),
}
N_STEPS, N_LOOKS = 200, 20
RESCUES = {  # variant -> number of steps, gain of the first weights
    "no_norm": (N_STEPS, 0.5),
    "no_mlp": (4 * N_STEPS, 1.0),
    "post_norm": (5 * N_STEPS, 1.0),
    "no_residual": (5 * N_STEPS, 1.0),
}
N_TRAIN, N_TEST, BATCH = 4096, 256, 32
LEARNING_RATE, BETAS, WARM_UP, MAX_NORM = 3e-3, (0.9, 0.98), 20, 1.0


class AblationSnapshot(NamedTuple):
    """How far a tower is, on sentences that it does not train on."""

    step: int
    end: int
    loss: float  # nats
    accuracy: float  # share of right answers, all places of all sentences


def run(variant, seed, n_steps=N_STEPS, gain=1.0):
    """Train one of the six towers, and look at it twenty times.

    Parameters
    ----------
    variant : {"full", "no_residual", "no_norm", "post_norm", "no_mlp", "no_positions"}
    seed : int
        Draws the sentences and the batches - the same for all six - and the first parameters.
    n_steps : int
        How long it trains: so many steps, a multiple of 20; the learning rate sinks over all of them.
    gain : float
        The first weights of the blocks are drawn from N(0, gain^2 / fan-in).

    Yields
    ------
    AblationSnapshot
        Before the first step, then after each twentieth part of them.
    """
    task, model = sum_task(rng_for("sentences", seed), N_TRAIN, N_TEST), model_of(variant, gain)
    for step in steps_of(variant, seed, n_steps, gain):
        if step.number % (n_steps // N_LOOKS) == 0:
            yield AblationSnapshot(step.number, n_steps, *look(step.params, model, task.test))


def steps_of(variant, seed, n_steps=N_STEPS, gain=1.0):
    """Train one of the six towers without looking. -> an iterator of Step"""
    return train_tower(model_of(variant, gain), seed, n_steps)


def train_tower(model, seed, n_steps, rate=LEARNING_RATE, dtype=np.float32):
    """Train any tower on this task. -> an iterator of Step"""
    task = sum_task(rng_for("sentences", seed), N_TRAIN, N_TEST)

    def learn_batch(params, ids):
        return learn(params, model, ids, None, sums(ids))

    batches = random_batches(rng_for("batches", seed), [task.train], n_steps, BATCH)
    optimiser, schedule = Adam(rate, BETAS), Cosine(n_steps, WARM_UP)
    params = init_model(rng_for("model", seed), model, dtype)
    return train(params, learn_batch, batches, optimiser, schedule, MAX_NORM)


def first_losses(variant, seed, n_steps=N_STEPS, gain=1.0):
    """Losses of the first ten batches, by which another machine sees that it does the same.

    Without layer norm a difference in rounding grows a hundredfold at every step, so there the ten steps are
    made a thousand times shorter, and in float64.
    """
    is_wild = VARIANTS[variant][0].norm == "off" and gain == 1
    careful = {"rate": LEARNING_RATE / 1000, "dtype": np.float64} if is_wild else {}
    steps = train_tower(model_of(variant, gain), seed, n_steps, **careful)
    return [step.loss for step in islice(steps, 1, 11)]


def rng_for(use, seed):
    """Give each use of a seed its own random numbers."""
    return np.random.default_rng(seed).spawn(3)[("sentences", "batches", "model").index(use)]


def model_of(variant, gain=1.0):
    """Describe one of the six towers."""
    tower, has_places = VARIANTS[variant]
    return Model(N_WORDS, N_WORDS, tower._replace(gain=gain), n_places=LENGTH if has_places else 0)


@lru_cache(maxsize=len(VARIANTS))
def n_parameters(variant):
    """Count what one of the six towers learns."""
    return count_parameters(model_of(variant))


def look(params, model, ids):
    """Ask for the sums at all places of these sentences. -> loss, accuracy"""
    logits, _ = read(ids, params, model)
    targets = sums(ids)
    loss, _ = cross_entropy(logits, targets)
    return float(loss), float((logits.argmax(axis=-1) == targets).mean())
