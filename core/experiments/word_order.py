"""Page 3, order: what a shuffle of the words changes, and a task in which nothing but their order counts.

Attention alone is blind to order. So a small Transformer without positions cannot learn who chases, however
long it trains: whatever it says of "cat chases dog" it says of "dog chases cat", and gets one of them wrong.
"""

from itertools import islice
from typing import NamedTuple

import numpy as np

from core.blocks.losses import cross_entropy
from core.blocks.masks import causal_mask
from core.blocks.positions import sinusoidal_positions
from core.experiments.self_attention import D_MODEL, random_heads
from core.learning.mixers.attention import Attention
from core.learning.models import Model, init_model, learn, read
from core.learning.optimisers import Adam
from core.learning.tasks import N_HELD_OUT, N_NOUNS, N_VERBS, ORDER_VOCAB, order_task
from core.learning.training import random_batches, train
from core.sentences import word_vectors

ROUNDING = 1e-12  # a difference below it is rounding; one above it means that something has changed


class Shuffled(NamedTuple):
    """A sentence before and after a shuffle."""

    order: np.ndarray  # (n,), the old place of the word that now stands at each place
    before: np.ndarray  # (n, d_model), outputs in the old order
    after: np.ndarray  # (n, d_model), outputs in the new order
    changes: np.ndarray  # (n,), by how much the output of each word changed, in the new order


def shuffle(tokens, shuffle_seed, *, causal=False, positions=False, seed=0):
    """Shuffle the words, attend again, and compare each word's output with what it was.

    Parameters
    ----------
    tokens : sequence of str, length n
    shuffle_seed : int
        Draws the new order.
    causal : bool
        Whether a word sees only itself and the words before it.
    positions : bool
        Whether waves that tell the place are added to the words.
    seed : int
        Draws the words and the parameters of the heads.

    Returns
    -------
    Shuffled
    """
    n = len(tokens)
    order = np.random.default_rng(shuffle_seed).permutation(n)
    words = word_vectors(tokens, D_MODEL, seed)
    places = sinusoidal_positions(n, D_MODEL) if positions else 0.0
    mask = causal_mask(n) if causal else None
    before, _ = random_heads(words + places, seed, mask)
    after, _ = random_heads(words[order] + places, seed, mask)
    return Shuffled(order, before, after, np.abs(after - before[order]).max(axis=-1))


# --- who chases? ---

BASE = 100.0  # of the waves that tell places; fast ones, as sentences are short
N_PARAMS = 2602  # 17 words x 16, a block of 2,160 with bare norms, 16 x 10 + 10 to read out
N_UNSEEN = N_HELD_OUT * 2 * N_VERBS  # sentences about pairs held out: 108, both ways round
N_STEPS, EVERY, BATCH, LEARNING_RATE = 200, 5, 64, 1e-2


class OrderSnapshot(NamedTuple):
    """How far a model is."""

    step: int
    end: int  # last step
    loss: float  # in nats, on all sentences it trains on; a coin toss between the two nouns costs ln 2
    accuracy: float  # on sentences about pairs of nouns that it never saw together
    seen_accuracy: float  # on the sentences it trains on
    probe: np.ndarray  # (2,), chance it gives noun 0 in "0 chases 1" and in "1 chases 0", an unseen pair


def learn_order(seed, positions):
    """Train a small Transformer to say who chases, with or without positions, and look every few steps.

    Parameters
    ----------
    seed : int
        Draws the pairs that are held out, the first parameters, and the batches: the same with and without
        positions.
    positions : bool

    Yields
    ------
    OrderSnapshot
        At step 0, EVERY, 2 * EVERY, ..., N_STEPS.
    """
    task, model, steps = begin(seed, positions)
    for step in steps:
        if step.number % EVERY == 0:
            yield look(step, task, model)


def begin(seed, positions):
    """Draw everything that a seed decides. -> the task, the model, and the steps of the training."""
    rng = np.random.default_rng(seed)
    task = order_task(rng)
    model = order_model(positions)
    params = init_model(rng, model)

    def learn_batch(params, ids, targets):
        return learn(params, model, ids, at_the_first(ids), targets[:, None])

    batches = random_batches(rng, task.seen, N_STEPS, BATCH)
    return task, model, train(params, learn_batch, batches, Adam(LEARNING_RATE, betas=(0.9, 0.99)))


def first_losses(seed, positions):
    """Losses of the first ten batches, by which another machine sees that it does the same."""
    *_, steps = begin(seed, positions)
    return [step.loss for step in islice(steps, 1, 11)]


def order_model(positions):
    """Describe the small Transformer: one block, with positions or without."""
    mixer = Attention(d_model=16, n_heads=2, d_ff=32, n_layers=1, base=BASE if positions else None)
    return Model(ORDER_VOCAB, N_NOUNS, mixer)


def at_the_first(ids):  # (n, 4) -> (n, 1)
    """Name the place where every answer is read: the first."""
    return np.zeros((len(ids), 1), int)


def answers(ids, params, model):  # (n, 4) -> (n, n_classes)
    """Score the nouns for each sentence."""
    return read(ids, params, model, at_the_first(ids))[0][:, 0]


def look(step, task, model):
    """Ask a model all questions there are, seen and unseen."""
    seen, unseen = (answers(questions.ids, step.params, model) for questions in task)
    loss, _ = cross_entropy(seen, task.seen.targets)
    _, cache = cross_entropy(unseen, task.unseen.targets)
    probe = np.exp(
        cache.log_softmax.log_weights[[0, N_VERBS], 0]
    )  # nouns 0 and 1 stand first, in both orders
    accuracies = right(unseen, task.unseen), right(seen, task.seen)
    return OrderSnapshot(step.number, N_STEPS, float(loss), *accuracies, probe)


def right(logits, questions):  # (n, n_classes) -> float
    """Share of the questions whose right answer got the largest score."""
    return float((logits.argmax(axis=-1) == questions.targets).mean())
