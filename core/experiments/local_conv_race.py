"""Page 1, the race: who is "it"? Five models of about the same size learn it from the same sentences.

They differ in their layers: attention with its MLP in two blocks, five of convolution, contiguous or dilated,
one tanh RNN, one GRU.
"""

from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from core.blocks.linear import linear_backward
from core.blocks.losses import cross_entropy, cross_entropy_backward
from core.experiments.local_conv_exam import BY_DISTANCE, DISTANCES, SEEN, UNSEEN, make_exam
from core.learning.mixers.attention import Attention
from core.learning.mixers.convolution import Convolution
from core.learning.mixers.recurrent import Recurrent
from core.learning.models import Model, count_parameters, init_model, learn, read
from core.learning.optimisers import Adam
from core.learning.pronoun import N_NOUNS, N_VOCAB, PronounSentences, split_pairs, training_batches
from core.learning.training import UntilLearned, train

MIXERS = {
    "attention": Attention(d_model=32, n_heads=4, d_ff=64, n_layers=2),
    "conv": Convolution(d_model=32, kernel=3, dilations=(1, 1, 1, 1, 1)),
    "dilated": Convolution(d_model=32, kernel=3, dilations=(1, 2, 4, 8, 16)),
    "rnn": Recurrent(d_model=32, d_hidden=110, gated=False),
    "gru": Recurrent(d_model=32, d_hidden=56, gated=True),
}
N_STEPS, EVERY, BATCH = 800, 25, 64
RATES = (3e-3, 5e-3)  # learning rates to choose from, the same for all five
WARM_UP, MAX_NORM = 50, 1.0
NEAREST = 2  # of the distances, 3 and 4, that the others are compared with
LEARNED = 0.95  # share right that counts as learned


class RaceSnapshot(NamedTuple):
    """How far a model is; shares of right answers are those of two-noun sentences."""

    step: int
    end: int
    loss: float  # nats, pairs of nouns that met in training
    accuracy: float  # share of right answers about them
    unseen: float  # share of right answers about pairs that never met
    by_distance: np.ndarray  # (21,), share of right answers at each of DISTANCES, pairs that met
    signal: np.ndarray  # (21,), what of an error of length 1 gets back to the noun that is meant; median
    guess: float  # share of right answers, at best, of who sees only as far as "conv": pairs that met,
    guess_by_distance: np.ndarray  # (21,), and at each of DISTANCES


def run(name, seed, rate=RATES[0], n_steps=N_STEPS, every=EVERY):
    """Train one of the five models, and look every few steps.

    Parameters
    ----------
    name : {"attention", "conv", "dilated", "rnn", "gru"}
    seed : int
        Draws the pairs that are held out, the questions, the batches - the same for all five - and the first
        parameters.
    rate : float
        Learning rate. How well the GRU does on pairs that never met depends on it.
    n_steps, every : int
        How long it trains, and how many steps lie between two looks.

    Yields
    ------
    RaceSnapshot
        At step 0, every, 2 * every, ... to the end.
    """
    for_pairs, for_exam, *_ = np.random.default_rng(seed).spawn(4)
    model, exam = race_model(name), make_exam(for_exam, split_pairs(for_pairs), MIXERS["conv"].reach)
    for step in steps_of(name, seed, rate, n_steps):
        if step.number % every == 0:
            yield RaceSnapshot(step.number, n_steps, *look(step.params, model, exam))


def recording(name, seed, rate=RATES[0]):
    """Name the file that holds a recorded run: one for each learning rate, told in thousandths."""
    return f"local_conv_race_{name}_{round(1000 * rate)}_{seed}"


def steps_of(name, seed, rate, n_steps):
    """Train one of the five models without looking. -> an iterator of Step"""
    for_pairs, _, for_batches, for_model = np.random.default_rng(seed).spawn(4)
    model = race_model(name)

    def learn_batch(params, *batch):
        sentences = PronounSentences(*batch)
        return learn(params, model, sentences.ids, reads_at(sentences, model), sentences.targets[:, None])

    batches = training_batches(for_batches, split_pairs(for_pairs).seen, BATCH)
    schedule = UntilLearned(n_steps, WARM_UP, wanted=np.inf)  # all make the same number of steps
    optimiser = Adam(rate, betas=(0.9, 0.99))
    return train(init_model(for_model, model), learn_batch, batches, optimiser, schedule, MAX_NORM)


def first_losses(name, seed, rate=RATES[0]):
    """Losses of the first ten batches, by which another machine sees that it does the same."""
    return [step.loss for step in islice(steps_of(name, seed, rate, N_STEPS), 1, 11)]


def race_model(name):
    """Describe one of the five models."""
    return Model(N_VOCAB, N_NOUNS, MIXERS[name])


@lru_cache(maxsize=len(MIXERS))
def n_parameters(name):
    """Count what one of the five models learns."""
    return count_parameters(race_model(name))


def reads_at(sentences, model):  # -> (n, 1)
    """Tell where the answer is read: at the pronoun; one word later, at the reason, by who reads in order."""
    return sentences.asks[:, None] + isinstance(model.mixer, Recurrent)


def serial_steps(name, n):
    """Count what has to wait for one another in a sentence of n words: layers, or words read in order."""
    mixer = MIXERS[name]
    if isinstance(mixer, Recurrent):
        return n
    return len(mixer.dilations) if isinstance(mixer, Convolution) else mixer.n_layers


# --- questions and answers ---


class Asked(NamedTuple):
    """What a model makes of sentences of one length; all arrays are (n,)."""

    loss: np.ndarray
    right: np.ndarray  # bool
    signal: np.ndarray


def ask(params, model, sentences):
    """Let a model answer, and send an error of length 1 back to the noun that is meant.

    The error has the direction of the loss's gradient at the scores; its length would tell how wrong the
    model still is, and not how well an error gets through.
    """
    logits, cache = read(sentences.ids, params, model, reads_at(sentences, model))
    targets = sentences.targets[:, None]
    _, loss_cache = cross_entropy(logits.astype(np.float64), targets)  # near 0, float32 would round it away
    error = cross_entropy_backward(1.0, loss_cache)  # (n, 1, n_classes)
    error /= np.linalg.norm(error, axis=-1, keepdims=True)
    dout, *_ = linear_backward(error.astype(logits.dtype), cache.read_out)
    dwords, _ = cache.mixer_backward(dout, cache.mixer)  # (n, length, d_model)
    every = np.arange(len(targets))
    loss = -loss_cache.log_softmax.log_weights[every, 0, sentences.targets]
    signal = np.linalg.norm(dwords[every, sentences.answer], axis=-1)
    return Asked(loss, logits[:, 0].argmax(axis=-1) == sentences.targets, signal)


def look(params, model, exam):
    """Put all questions to a model. -> all figures of a snapshot."""
    asked = [ask(params, model, sentences) for sentences in exam.sentences]
    loss, right, signal = map(np.concatenate, zip(*asked, strict=True))
    seen, unseen = exam.about == SEEN, exam.about == UNSEEN
    at_each = [(exam.about == BY_DISTANCE) & (exam.distance == t) for t in DISTANCES]

    def by_distance(values, typical=np.mean):
        return np.array([typical(values[rows]) for rows in at_each])

    shares = [float(values.mean()) for values in (loss[seen], right[seen], right[unseen])]
    guesses = float(exam.guess[seen].mean()), by_distance(exam.guess)
    return *shares, by_distance(right), by_distance(signal, np.median), *guesses


# --- what comes out ---


def relative(signal):  # (..., 21) -> (..., 21)
    """Compare what gets back to each distance with what gets back to the nearest two."""
    return signal / signal[..., :NEAREST].mean(axis=-1, keepdims=True)


def when_learned(snapshots, wanted=LEARNED):
    """Find the first snapshot with so many right answers about pairs that met in training, or None."""
    return next((snapshot for snapshot in snapshots if snapshot.accuracy >= wanted), None)
