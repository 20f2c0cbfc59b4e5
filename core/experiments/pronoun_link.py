"""Page 3, the link: a model is trained to tell who "it" is, and its pronoun learns where to look.

Two encoder blocks suffice. With one, the query of the pronoun contains no other word, so the ratio of its
weights on the two nouns cannot depend on the reason. Settings from measurements: fast waves for places (base
100), four heads, full rate until the task is learned.
"""

import time
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from core.blocks.heads import merge_heads
from core.blocks.linear import linear
from core.blocks.losses import cross_entropy
from core.blocks.mlp import mlp
from core.blocks.sublayer import sublayer
from core.learning.mixers.attention import Attention
from core.learning.models import Model, count_parameters, init_model, learn, read
from core.learning.optimisers import Adam
from core.learning.parameters import unflatten
from core.learning.pronoun import (
    BLIND_TO_REASON,
    N_NOUNS,
    N_VOCAB,
    questions,
    split_pairs,
    training_batches,
)
from core.learning.training import Constant, UntilLearned, train

RATE, BETAS, MAX_NORM, BATCH = 5e-3, (0.9, 0.99), 1.0, 64
MOST, ONE_LAYER_STEPS, EVERY = 2500, 800, 50
LENGTHS = (10, 14, 18, 22, 26)  # of the sentences that a model is asked about while it learns
PER_LENGTH = 40


class LinkSnapshot(NamedTuple):
    """How far a model is; all figures on pairs of nouns that it never saw together, but for the loss."""

    step: int
    end: int  # last step, as far as it is known
    loss: float  # in nats, mean of the batches since the snapshot before
    grad_norm: float  # of the last batch, before clipping
    seen: float  # running accuracy on the batches
    accuracy: float  # on unseen pairs
    on_referent: np.ndarray  # (n_layers, n_heads), mean weight of the pronoun on the noun that is meant
    on_other: np.ndarray  # (n_layers, n_heads), and on the other noun
    seconds: float  # of processor time since the start
    flat: np.ndarray  # (n_params,), all parameters


def link_model(n_layers=2):
    """Describe the model: words of 32 numbers, 4 heads, MLPs of 64 hidden units."""
    return Model(N_VOCAB, N_NOUNS, Attention(n_layers=n_layers))


MODEL = link_model()
N_PARAMS = {n_layers: count_parameters(link_model(n_layers)) for n_layers in (1, 2)}


def train_link(seed, n_layers=2, passive=0.0):
    """Train the model and look every 50 steps.

    Parameters
    ----------
    seed : int
        Draws the pairs that are held out, the first parameters, all sentences.
    n_layers : int
        With 2 the training ends 400 steps after the task is learned, with 1 after 800 steps.
    passive : float
        Share of the sentences to train on that stand in the passive.

    Yields
    ------
    LinkSnapshot
    """
    start = time.process_time()
    schedule = UntilLearned(MOST) if n_layers > 1 else Constant(ONE_LAYER_STEPS)
    model, (asked, steps) = link_model(n_layers), begin(seed, n_layers, passive, schedule)
    losses, seen = [], 0.0
    for step in steps:
        losses.append(step.loss)
        seen = 0.97 * seen + 0.03 * step.accuracy if step.number else 0.0
        end = getattr(schedule, "end", ONE_LAYER_STEPS)
        if step.number % EVERY == 0 or step.number == end:
            found = look(step.params, model, asked)
            loss = float(np.mean(losses)) if step.number else found.loss
            figures = (loss, step.grad_norm, seen, found.accuracy, found.on_referent, found.on_other)
            yield LinkSnapshot(step.number, end, *figures, time.process_time() - start, step.flat.copy())
            losses = []


def begin(seed, n_layers, passive, schedule):
    """Draw everything that a seed decides. -> sentences to ask about, and the steps of the training."""
    rng, model = np.random.default_rng(seed), link_model(n_layers)
    split = split_pairs(rng)
    asked = questions(rng, PER_LENGTH, split.unseen, LENGTHS)
    return asked, train(
        init_model(rng, model),
        lambda params, batch: learn(params, model, batch.ids, batch.asks[:, None], batch.targets[:, None]),
        ((batch,) for batch in training_batches(rng, split.seen, BATCH, passive)),
        Adam(RATE, BETAS),
        schedule,
        MAX_NORM,
    )


def first_losses(seed, n_layers=2, n=10):
    """Return the losses of the first steps, by which runs on two machines are compared."""
    _, steps = begin(seed, n_layers, 0.0, UntilLearned(MOST) if n_layers > 1 else Constant(ONE_LAYER_STEPS))
    return [step.loss for step in islice(steps, 1, n + 1)]


class Look(NamedTuple):
    """What a model says of sentences, and where its pronoun looks."""

    loss: float
    accuracy: float
    on_referent: np.ndarray  # (n_layers, n_heads)
    on_other: np.ndarray  # (n_layers, n_heads)


def look(params, model, asked):
    """Ask a model about sentences of several lengths."""
    losses, right, weights = [], [], []
    for sentences in asked:
        logits, cache = read(sentences.ids, params, model, sentences.asks[:, None])
        losses.append(cross_entropy(logits[:, 0], sentences.targets)[0])
        right.append((logits[:, 0].argmax(axis=-1) == sentences.targets).mean())
        weights.append(on_nouns(cache, sentences))
    on_referent, on_other = np.mean(weights, axis=0)
    return Look(float(np.mean(losses)), float(np.mean(right)), on_referent, on_other)


def on_nouns(cache, sentences):  # -> (2, n_layers, n_heads)
    """Average the pronoun's weight on the noun that is meant and on the other one."""
    every = np.arange(len(sentences.ids))
    other = sentences.nouns.sum(axis=1) - sentences.answer
    row = [pronoun_row(weights, sentences.asks) for weights in all_weights(cache)]  # (batch, n_heads, n) each
    return np.array([[w[every, :, at].mean(axis=0) for w in row] for at in (sentences.answer, other)])


def all_weights(cache):
    """List the weights of each layer: (batch, n_heads, n, n), in the last one (batch, n_heads, 1, n)."""
    return [block.attention.attention.weights for block in cache.mixer.blocks]


def pronoun_row(weights, asks):  # (batch, n_heads, n or 1, n) -> (batch, n_heads, n)
    """Pick what the pronoun looks at; the last layer holds nothing else."""
    if weights.shape[2] == 1:
        return weights[:, :, 0]
    return weights[np.arange(len(weights)), :, asks]


# --- after training: one sentence, and the same with other weights ---


def params_of(flat, n_layers=2):
    """Lay the parameters of a snapshot out as a model reads them."""
    return unflatten(flat, init_model(np.random.default_rng(0), link_model(n_layers)))


class Answer(NamedTuple):
    """What a model makes of one sentence."""

    shares: np.ndarray  # (10,), of the nouns as answers
    weights: np.ndarray  # (n_layers, n_heads, n, n), rows ask


def ask(ids, asks, flat, n_layers=2):
    """Ask a model about one sentence: which noun, and who looks at whom.

    Parameters
    ----------
    ids : (n,) array_like of int
        Words.
    asks : int
        Place of the pronoun.
    flat : (n_params,) ndarray
    n_layers : int

    Returns
    -------
    Answer
    """
    logits, cache = read(np.atleast_2d(ids), params_of(flat, n_layers), link_model(n_layers))
    return Answer(shares_of(logits[0, asks]), np.stack([w[0] for w in all_weights(cache)]))


def shares_of(logits):  # (..., n_nouns) -> (..., n_nouns)
    """Turn scores of the answers into chances."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def with_weights(change, sentences, flat):  # -> (batch, n_nouns)
    """Answer again, with the pronoun's weights in the last layer changed by hand.

    Parameters
    ----------
    change : callable
        ``change(weights, sentences) -> weights``, both (batch, n_heads, 1, n).
    sentences : PronounSentences
    flat : (n_params,) ndarray
        Parameters of a model of two layers.

    Returns
    -------
    logits : (batch, n_nouns) ndarray
        All that comes after the weights is computed anew: the blend of the values, the MLP, the read-out.
    """
    params = params_of(flat)
    _, cache = read(sentences.ids, params, MODEL, sentences.asks[:, None])
    last = cache.mixer.blocks[-1]
    attention = last.attention.attention
    blend = merge_heads(change(attention.weights, sentences) @ attention.v)  # (batch, 1, d_model)
    brought, _ = linear(blend, last.params.attention.w_o, last.params.attention.b_o)
    before = last.stages[0].array[np.arange(len(blend)), sentences.asks][
        :, None
    ]  # the pronoun, as it came in
    wiring = last.mlp_sublayer.wiring
    names = ("norm_2", "mlp", "add_2")
    out, _ = sublayer(before + brought, lambda x: mlp(x, last.params.mlp), last.params.norm_2, wiring, names)
    return linear(out[:, 0], params.w, params.b)[0]


def swapped(weights, sentences):
    """Give each of the two nouns the weight of the other, in every head."""
    weights, every = weights.copy(), np.arange(len(weights))[:, None]
    weights[every, :, 0, sentences.nouns] = weights[every, :, 0, sentences.nouns[:, ::-1]]
    return weights


def even(weights, sentences):
    """Give all words the same weight."""
    return np.full_like(weights, 1 / weights.shape[-1])


class SwapTest(NamedTuple):
    """How often a trained model names which noun, by what was done to its weights."""

    right: float  # as trained
    other_when_swapped: float  # the noun that is not meant, with the two weights swapped
    right_when_even: float  # the noun that is meant, with all weights the same
    n_sentences: int


def swap_test(seed, flat, per_length=PER_LENGTH):
    """Test on unseen pairs whether the link carries the answer.

    Parameters
    ----------
    seed : int
        Of the training: the pairs that were held out.
    flat : (n_params,) ndarray
    per_length : int
        Sentences of each length.
    """
    rng = np.random.default_rng(seed)
    unseen = split_pairs(rng).unseen
    hits = np.zeros(3)
    asked = questions(rng, per_length, unseen, LENGTHS)
    for sentences in asked:
        every = np.arange(len(sentences.ids))
        other = sentences.ids[every, sentences.nouns.sum(axis=1) - sentences.answer]
        as_it_is = with_weights(lambda weights, _: weights, sentences, flat)
        said = [as_it_is, *(with_weights(change, sentences, flat) for change in (swapped, even))]
        wanted = (sentences.targets, other, sentences.targets)
        hits += [(logits.argmax(axis=-1) == noun).sum() for logits, noun in zip(said, wanted, strict=True)]
    n = per_length * len(asked)
    return SwapTest(*(float(hit) / n for hit in hits), n)


# --- what a model without the link could reach, computed ---


def guess_lines():
    """Loss in nats of a model that knows nothing, and of one that finds the nouns but not which one.

    Returns
    -------
    blind, undecided : float
        ln 10, and ln 2 for the share of sentences that have two nouns.
    """
    return float(np.log(N_NOUNS)), float(share_of_two_nouns() * -np.log(BLIND_TO_REASON))


@lru_cache(maxsize=1)
def share_of_two_nouns(n_batches=400):
    """Count how many of the sentences to train on have two nouns, in a sample of 25,600.

    Four in five are drawn so; but of two nouns one is more likely to stand at a distance that is kept for
    later, and such sentences are refused.
    """
    batches = training_batches(np.random.default_rng(0), split_pairs(np.random.default_rng(0)).seen, BATCH)
    two = [np.diff(batch.nouns, axis=1) != 0 for batch in islice(batches, n_batches)]
    return float(np.mean(two))
