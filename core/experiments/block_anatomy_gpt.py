"""Page 4, a tiny GPT: blocks with a causal mask learn which character comes next, and write on by themselves.

The text is so short that the model soon knows it by heart, so what counts is the loss on what is held out.
Settings found by trying: windows of 32 and a strong weight decay generalise best, the more so at a high rate.
"""

import time
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.blocks.losses import cross_entropy
from core.blocks.softmax import softmax
from core.learning.characters import (
    MOST_SIGNS,
    as_characters,
    guess_loss,
    held_out_windows,
    numbers,
    pair_loss,
    random_windows,
)
from core.learning.mixers.attention import Attention
from core.learning.models import Model, count_parameters, init_model, learn, read
from core.learning.optimisers import AdamW
from core.learning.parameters import unflatten
from core.learning.training import train

FOLDER = Path(__file__).parent / "texts"
SHIPPED = ("zh", "en")
LEAST, MOST = 500, 20_000  # characters of a text of one's own
CONTEXT, BATCH, N_STEPS, EVERY = 32, 24, 500, 25
RATE, BETAS, WEIGHT_DECAY, MAX_NORM = 1e-2, (0.9, 0.99), 0.5, 1.0
WARM_UP, DECAY = 50, 250  # first and last steps, over which the rate grows and sinks
N_WRITTEN, WARMTH, WRITING_SEED = 80, 0.8, 1  # characters of a sample, its temperature, its own seed


class GptSnapshot(NamedTuple):
    """How far the model is; losses in nats a character."""

    step: int
    end: int
    loss: float  # mean of the batches since the snapshot before; at the start as held_out_loss
    held_out_loss: float  # on characters that it never trained on
    seconds: float  # of processor time since the start
    written: np.ndarray  # (N_WRITTEN,), numbers of the characters it writes now, from a new line on
    flat: np.ndarray  # (n_params,) float16, all parameters; nan where they are not told


class Rate:
    """The learning rate grows, stays, and sinks to almost 0."""

    def factor(self, number):
        """Tell by what the learning rate of this step, counted from 1, is multiplied."""
        return min(1.0, number / WARM_UP, (N_STEPS + 1 - number) / DECAY)

    def is_over(self, number, accuracy):
        """Tell whether the training ends after this step."""
        return number >= N_STEPS


# --- texts ---


@lru_cache(maxsize=len(SHIPPED))
def shipped(name):
    """Read one of the texts that come with the lecture, without the lines that tell its source."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("#")).strip()


def own_text(typed):
    """Clean a text of one's own: blanks at both ends go, and every line ends alike."""
    return typed.replace("\r\n", "\n").replace("\r", "\n").strip()


@lru_cache(maxsize=8)
def characters_of(source, own=""):
    """Number the characters of a text: of a shipped one by its name, or of one's own."""
    return as_characters(own if source == "own" else shipped(source), MOST_SIGNS)


@lru_cache(maxsize=8)
def guess_lines(source, own=""):
    """Losses on what is held out of two who only count: (single characters, pairs of characters)."""
    characters = characters_of(source, own)
    return guess_loss(characters), pair_loss(characters)


# --- training ---


@lru_cache(maxsize=8)
def gpt_model(n_signs):
    """Describe the model: two blocks, four heads, every character sees itself and those before it."""
    mixer = Attention(d_model=48, n_heads=4, d_ff=96, n_layers=2, causal=True, final_norm=True)
    return Model(n_signs, n_signs, mixer)


@lru_cache(maxsize=8)
def n_parameters(n_signs):
    """Count what the model learns."""
    return count_parameters(gpt_model(n_signs))


def run(source, seed, own="", tells_all=True):
    """Train a tiny GPT on a text, and look at it every EVERY steps.

    Parameters
    ----------
    source : {"zh", "en", "own"}
        A text that is shipped, or one's own.
    seed : int
        Draws the first parameters and the batches.
    own : str
        The text itself if it is one's own, LEAST to MOST characters.
    tells_all : bool
        Whether every snapshot tells its parameters, or only the first and the last: a recording stays small.

    Yields
    ------
    GptSnapshot

    Raises
    ------
    ValueError
        If the text is too short or too long.
    """
    if source == "own" and not LEAST <= len(own) <= MOST:
        raise ValueError(f"a text has {LEAST} to {MOST} characters; got {len(own)}")
    start, characters = time.process_time(), characters_of(source, own)
    model, asked = gpt_model(len(characters.signs)), held_out_windows(characters, CONTEXT)
    losses = []
    for step in steps_of(characters, seed):
        losses.append(step.loss)
        if step.number % EVERY == 0:
            loss = float(np.mean(losses)) if step.number else held_out_loss(step.params, model, asked)
            tells = tells_all or step.number in (0, N_STEPS)
            yield look(step, loss, model, characters, asked, tells, start)
            losses = []


def steps_of(characters, seed):
    """Train the model on a text without looking. -> an iterator of Step"""
    rng, model = np.random.default_rng(seed), gpt_model(len(characters.signs))
    return train(
        first_params(rng, model),
        lambda params, ids, targets: learn(params, model, ids, None, targets),
        random_windows(rng, characters, CONTEXT, BATCH, N_STEPS),
        AdamW(RATE, BETAS, weight_decay=WEIGHT_DECAY),
        Rate(),
        MAX_NORM,
    )


def first_losses(source, seed, own="", tells_all=True):
    """Losses of the first ten batches, by which another machine sees that it does the same."""
    return [step.loss for step in islice(steps_of(characters_of(source, own), seed), 1, 11)]


def first_params(rng, model):
    """Draw the first parameters, with a read-out so small that all characters begin about equal."""
    params = init_model(rng, model)
    return params._replace(w=0.1 * params.w)


def look(step, loss, model, characters, asked, tells, start):
    """Ask a model about what is held out, and let it write."""
    flat = step.flat.astype(np.float16) if tells else np.full(step.flat.shape, np.nan, np.float16)
    unseen = held_out_loss(step.params, model, asked)
    written = write(step.params, model, characters.signs)
    return GptSnapshot(step.number, N_STEPS, loss, unseen, time.process_time() - start, written, flat)


def held_out_loss(params, model, asked):
    """Mean loss on the characters that are held out."""
    logits, _ = read(asked.ids, params, model)
    losses, _ = cross_entropy(logits, asked.targets, reduction="none")
    return float(losses[asked.is_asked].mean())


# --- writing ---


def chances(params, model, ids, temperature):  # (n,) -> (n_signs,)
    """Say how likely each character is to come next, from the last CONTEXT characters.

    Scores are divided by the temperature: below 1 the likely ones gain, above 1 all become more alike.
    """
    ids = np.asarray(ids)[-CONTEXT:]
    logits, _ = read(ids[None], params, model, np.array([[len(ids) - 1]]))
    shares, _ = softmax(logits[0, 0].astype(np.float64) / temperature)
    return shares


def write(params, model, signs, n=N_WRITTEN, temperature=WARMTH, seed=WRITING_SEED):  # -> (n,)
    """Let a model write: draw a character, read it as well, draw the next. UNKNOWN is never drawn."""
    rng, ids = np.random.default_rng(seed), list(beginning(signs))
    for _ in range(n):
        shares = chances(params, model, ids, temperature)
        shares[0] = 0  # it stands for many characters and cannot be written
        ids.append(int(rng.choice(len(shares), p=shares / shares.sum())))
    return np.array(ids[-n:])


def beginning(signs):  # -> (1,)
    """What stands before the first character: a new line, or the most frequent sign where there is none."""
    return numbers("\n", signs) if "\n" in signs else np.array([1])


def next_signs(flat, source, prompt, temperature, own=""):  # -> (n_signs,)
    """Ask a trained model what comes after a prompt.

    Parameters
    ----------
    flat : (n_params,) ndarray
        Of a snapshot that tells its parameters.
    source, own : str
        The text that it was trained on, as for `run`.
    prompt : str
        What is to be gone on with; a new line if it is empty.
    temperature : float
        Above 0.

    Returns
    -------
    shares : (n_signs,) ndarray
    """
    signs = characters_of(source, own).signs
    model = gpt_model(len(signs))
    params = unflatten(flat.astype(np.float32), init_model(np.random.default_rng(0), model))
    ids = numbers(prompt, signs) if prompt else beginning(signs)
    return chances(params, model, ids, temperature)


def spell(ids, signs):
    """Write numbers of characters as text."""
    return "".join(signs[i] for i in ids)
