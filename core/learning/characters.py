"""Texts as numbers of characters: what is learned from, what is held out, and how far guessing gets.

Of every 500 characters the last 50 are held out, so that the held-out pieces lie all over the text. They are
never trained on; what stands before them may be read, as by anybody who reads on.
"""

from typing import NamedTuple

import numpy as np

TRAINED, HELD_OUT = 450, 50  # of every 500 characters
MOST_SIGNS = 600  # different characters, the unknown one among them
UNKNOWN = ""  # number 0, stands for all characters that the vocabulary does not hold; no text holds it
SMOOTHINGS = (0.5, 1, 2, 4, 8, 16, 32)  # with which pairs of characters are tried


class Characters(NamedTuple):
    """A text as numbers."""

    signs: tuple  # of str, the vocabulary: first UNKNOWN, then the most frequent first
    ids: np.ndarray  # (n,), which sign stands where
    is_held_out: np.ndarray  # (n,) bool


def held_out(n):  # -> (n,) bool
    """Tell which of n characters are held out: the last HELD_OUT of each whole or broken piece of 500."""
    return np.arange(n) % (TRAINED + HELD_OUT) >= TRAINED


def as_characters(text, most=MOST_SIGNS):
    """Number the characters of a text.

    Parameters
    ----------
    text : str
    most : int
        Signs at most: the vocabulary holds the `most` - 1 characters that are most frequent in what is
        trained on (equally frequent ones in the order in which they come), and UNKNOWN for all others.

    Returns
    -------
    Characters
    """
    hidden = held_out(len(text))
    counts = {}
    for sign, is_hidden in zip(text, hidden, strict=True):
        if not is_hidden:
            counts[sign] = counts.get(sign, 0) + 1
    kept = sorted(counts, key=counts.get, reverse=True)[: most - 1]
    signs = (UNKNOWN, *kept)
    return Characters(signs, numbers(text, signs), hidden)


def numbers(text, signs):  # -> (n,)
    """Look up the number of every character; 0 for one that the vocabulary does not hold."""
    places = {sign: i for i, sign in enumerate(signs)}
    return np.array([places.get(sign, 0) for sign in text], dtype=int)


def unknown_signs(text, signs):
    """List the characters of a text that the vocabulary does not hold, each once, in their order."""
    return list(dict.fromkeys(sign for sign in text if sign not in signs))


# --- what is learned from ---


def starts(is_held_out, context):  # (n,) -> (m,)
    """Find every place from which `context` + 1 characters can be read without one that is held out."""
    hidden_before = np.concatenate([[0], np.cumsum(is_held_out)])  # (n + 1,)
    first = np.arange(len(is_held_out) - context)
    return first[hidden_before[first + context + 1] == hidden_before[first]]


def random_windows(rng, characters, context, size, n_steps):
    """Draw batches of windows to learn from: each place is to say which character comes next.

    Parameters
    ----------
    rng : numpy.random.Generator
    characters : Characters
    context, size, n_steps : int
        Characters in a window, windows in a batch, batches.

    Yields
    ------
    ids, targets : (size, context) ndarray of int
        The targets are the text one place further on.
    """
    places = starts(characters.is_held_out, context)
    for _ in range(n_steps):
        window = rng.choice(places, size)[:, None] + np.arange(context + 1)  # (size, context + 1)
        ids = characters.ids[window]
        yield ids[:, :-1], ids[:, 1:]


# --- what is held out ---


class HeldOut(NamedTuple):
    """Windows whose last characters are held out; together they ask for each of these once."""

    ids: np.ndarray  # (n_windows, context)
    targets: np.ndarray  # (n_windows, context)
    is_asked: np.ndarray  # (n_windows, context) bool, which targets count


def held_out_windows(characters, context):
    """Lay windows so that a model says each held-out character with at least half a window before it.

    Parameters
    ----------
    characters : Characters
        At least `context` characters come before the first held-out one.
    context : int
        Characters in a window.

    Returns
    -------
    HeldOut
    """
    hidden = np.flatnonzero(characters.is_held_out)
    ends, asked = [], []
    for piece in np.split(hidden, np.flatnonzero(np.diff(hidden) > 1) + 1):
        for some in np.split(piece, np.arange(context // 2, len(piece), context // 2)):
            ends += [some[-1]] if len(some) else []
            asked += [len(some)] if len(some) else []
    window = np.array(ends, int)[:, None] + np.arange(-context, 1)  # (n_windows, context + 1)
    ids = characters.ids[window]
    is_asked = np.arange(context) >= context - np.array(asked, int)[:, None]
    return HeldOut(ids[:, :-1], ids[:, 1:], is_asked)


# --- how far guessing gets ---


def sign_shares(characters):  # -> (n_signs,)
    """Share of every sign in what is trained on, each counted once more than it stands there.

    So none has a share of 0, the unknown one neither.
    """
    counts = np.bincount(characters.ids[~characters.is_held_out], minlength=len(characters.signs)) + 1.0
    return counts / counts.sum()


def guess_loss(characters):
    """Loss in nats, on what is held out, of who knows how frequent every character is and nothing else."""
    return float(-np.log(sign_shares(characters)[characters.ids[characters.is_held_out]]).mean())


def pair_loss(characters):
    """Loss in nats, on what is held out, of who has counted which character follows which.

    A pair that was never seen is taken for as frequent as its second character: so many counts as the
    smoothing says are spread over all characters by their shares. Of several smoothings the one counts that
    does best on what is held out, which is in favour of this rival.

    References
    ----------
    MacKay, Peto, "A hierarchical Dirichlet language model" (1995): counts of pairs drawn towards the shares.
    """
    ids, hidden, shares = characters.ids, characters.is_held_out, sign_shares(characters)
    before, after = ids[:-1], ids[1:]
    is_trained = ~(hidden[:-1] | hidden[1:])
    counts = np.zeros((len(shares), len(shares)))
    np.add.at(counts, (before[is_trained], after[is_trained]), 1)
    asked = hidden[1:]
    seen, total = counts[before[asked], after[asked]], counts[before[asked]].sum(axis=1)
    chances = [(seen + k * shares[after[asked]]) / (total + k) for k in SMOOTHINGS]
    return float(min(-np.log(chance).mean() for chance in chances))
