"""Page 2, a trained dictionary: four models of one size learn to look things up, in lists they never saw.

Attention is one layer with one head and nothing else: no positions, no MLP, no norm, so what it learns is
what a query and a key are. The others train on the same lists, and longer.
"""

from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from core.blocks.losses import cross_entropy
from core.learning.dictionary import (
    N_VALUES,
    N_VOCAB,
    distinct_keys,
    every_question,
    guess_from_last,
    guess_from_list,
    lookups,
)
from core.learning.mixers.attention import Attention
from core.learning.mixers.convolution import Convolution
from core.learning.mixers.recurrent import Recurrent
from core.learning.models import Model, count_parameters, init_model, learn, read
from core.learning.optimisers import Adam
from core.learning.parameters import unflatten
from core.learning.training import train

MIXERS = {  # 6,199 to 6,334 parameters each
    "attention": Attention(n_heads=1, d_ff=1, n_layers=1, base=None, norm="off", use_mlp=False),
    "gru": Recurrent(d_hidden=25),
    "rnn": Recurrent(d_hidden=48, gated=False),
    "conv": Convolution(d_model=27, kernel=3, dilations=(1, 1)),
}
SIZES = (2, 4, 8, 16, 32)  # entries of the lists on which a trained model is tried
N_STEPS, N_STEPS_OTHERS, EVERY = 300, 400, 20
BATCH, LEARNING_RATE, N_TRIED = 64, 5e-3, 512


class LookupSnapshot(NamedTuple):
    """How far a model is, on lists that it does not train on."""

    step: int
    end: int
    loss: float  # nats
    accuracy: float
    weight: float  # on the entry that is asked for, mean; not a number where there are no weights
    at_sizes: np.ndarray  # (n_sizes,), accuracy on lists of SIZES entries, told at the end
    weight_at_sizes: np.ndarray  # (n_sizes,)
    flat: np.ndarray  # all parameters of attention; empty for the others


def run(name, n, seed, longer=1):
    """Train a model to look up one of n entries, and look at it every few steps.

    Parameters
    ----------
    name : {"attention", "gru", "rnn", "conv"}
    n : int
        Entries of the lists it trains on.
    seed : int
        Draws the first parameters, and the lists: the same for all four models.
    longer : int
        Times as many steps; attention never needs them and keeps its own number.

    Yields
    ------
    LookupSnapshot
        At step 0, EVERY, 2 * EVERY, ... to the end.
    """
    *_, tried = np.random.default_rng(seed).spawn(3)
    model, end, test = model_of(name), n_steps(name, longer), lookups(tried, N_TRIED, n)
    for step in steps_of(name, n, seed, longer):
        if step.number % EVERY == 0:
            sizes = [lookups(tried, N_TRIED, size) for size in SIZES] if step.number == end else []
            yield look(step, end, model, test, sizes)


def steps_of(name, n, seed, longer=1):
    """Train one of the four models without looking. -> an iterator of Step"""
    model = model_of(name)
    first, drawn, _ = np.random.default_rng(seed).spawn(3)

    def learn_batch(params, lists):
        return learn(params, model, lists.ids, lists.rows, lists.targets[:, None])

    batches = ((lookups(drawn, BATCH, n),) for _ in range(n_steps(name, longer)))
    return train(init_model(first, model), learn_batch, batches, Adam(LEARNING_RATE, betas=(0.9, 0.99)))


def first_losses(name, n, seed, longer=1):
    """Losses of the first ten batches, by which another machine sees that it does the same."""
    return [step.loss for step in islice(steps_of(name, n, seed, longer), 1, 11)]


def model_of(name):
    """Describe one of the four models."""
    return Model(N_VOCAB, N_VALUES, MIXERS[name])


@lru_cache(maxsize=len(MIXERS))
def n_parameters(name):
    """Count what one of the four models learns."""
    return count_parameters(model_of(name))


def n_steps(name, longer=1):
    """Tell how many steps a model trains."""
    return N_STEPS if name == "attention" else N_STEPS_OTHERS * longer


def look(step, end, model, test, sizes):
    """Try a model on lists of the size it trains on, and at the end on those of all sizes."""
    loss, accuracy, weight = try_on(test, step.params, model)
    by_size = np.full((2, len(SIZES)), np.nan)
    if sizes:
        by_size = np.array([try_on(lists, step.params, model)[1:] for lists in sizes]).T
    attends = isinstance(model.mixer, Attention)
    flat = step.flat.copy() if attends else np.empty(0, step.flat.dtype)
    return LookupSnapshot(step.number, end, loss, accuracy, weight, *by_size, flat)


def try_on(lists, params, model):
    """Ask a model about lists. -> loss, accuracy, mean weight on the entry that is asked for."""
    logits, cache = read(lists.ids, params, model, lists.rows)
    loss, _ = cross_entropy(logits, lists.targets[:, None])
    accuracy = (logits[:, 0].argmax(axis=-1) == lists.targets).mean()
    if not isinstance(model.mixer, Attention):
        return float(loss), float(accuracy), float("nan")
    weights = weights_of(cache)[np.arange(len(lists.ids)), lists.answer]
    return float(loss), float(accuracy), float(weights.mean())


def weights_of(cache):  # -> (n_lists, n + 1)
    """Take what each question gave to each entry, and, last, to itself."""
    return cache.mixer.blocks[0].attention.attention.weights[:, 0, 0]


# --- a trained dictionary at work ---


class Looked(NamedTuple):
    """What a model found when one list was asked for each of its keys."""

    keys: np.ndarray  # (n,)
    values: np.ndarray  # (n,)
    weights: np.ndarray  # (n, n + 1), a row for each question; the last column is the question itself
    chances: np.ndarray  # (n, n_values), what it takes for the answer


def look_up(flat, n, list_seed):
    """Ask a new list for each of its keys.

    Parameters
    ----------
    flat : (n_params,) array_like
        Parameters of attention, as a snapshot holds them.
    n : int
        Entries of the list.
    list_seed : int
        Draws the list.

    Returns
    -------
    Looked
    """
    rng, model = np.random.default_rng(list_seed), model_of("attention")
    keys, values = distinct_keys(rng, 1, n)[0], rng.integers(N_VALUES, size=n)
    params = unflatten(np.asarray(flat, np.float32), init_model(rng, model))
    questions = every_question(keys, values)
    logits, cache = read(questions.ids, params, model, questions.rows)
    _, loss = cross_entropy(logits, questions.targets[:, None])
    return Looked(keys, values, weights_of(cache), np.exp(loss.log_softmax.log_weights[:, 0]))


def guesses(n):
    """How far guessing gets on lists of n entries.

    Returns
    -------
    blind, from_list, from_last : float
        Right answers of who reads nothing; of who knows the values but matches no keys; of who matches them
        but sees only the entries within reach of the convolution.
    """
    return 1 / N_VALUES, guess_from_list(n), guess_from_last(n, MIXERS["conv"].reach)
