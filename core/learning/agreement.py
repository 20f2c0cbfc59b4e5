"""Agreement: a male, a female and an animal are named, and he, she or it means the one of its kind.

The warm-up to the pronoun task: nouns and pronoun stand anywhere among fillers, and one look by content
finds the noun. Triples of nouns are held out.
"""

from typing import NamedTuple

import numpy as np

N_KINDS, N_EACH, N_FILLERS = 3, 4, 12
N_NOUNS = N_KINDS * N_EACH  # nouns come first, kind by kind: noun i is of kind i // 4
PRONOUN, FILLER = N_NOUNS, N_NOUNS + N_KINDS
N_VOCAB = FILLER + N_FILLERS
LENGTHS = (8, 30)
N_HELD_OUT = 16  # of the 4 * 4 * 4 triples


class Agreements(NamedTuple):
    """Sentences of one length, and where in them stands what matters."""

    ids: np.ndarray  # (n_sentences, length)
    asks: np.ndarray  # (n_sentences,), the place of the pronoun
    nouns: np.ndarray  # (n_sentences, 3), places of the nouns, by kind
    answer: np.ndarray  # (n_sentences,), the place of the noun that is meant

    @property
    def targets(self):  # -> (n_sentences,)
        """Give the right answers as numbers of nouns, 0 to 11."""
        return np.take_along_axis(self.ids, self.answer[:, None], axis=1)[:, 0]


def split(rng):  # -> (48, 3), (16, 3)
    """Divide the triples of nouns, one of each kind, into those to train on and those held out."""
    each = np.indices((N_EACH,) * N_KINDS).reshape(N_KINDS, -1).T  # (64, 3)
    triples = rng.permutation(each + N_EACH * np.arange(N_KINDS))
    return triples[N_HELD_OUT:], triples[:N_HELD_OUT]


def agreements(rng, n, triples, length=None):
    """Draw n sentences of one length, which is drawn too if it is not given.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int
    triples : (n_triples, 3) array_like
        Nouns that may meet, one of each kind.
    length : int, optional
        Words of each sentence, 4 at least.
    """
    length = length or int(rng.integers(LENGTHS[0], LENGTHS[1] + 1))
    triple, kind = np.asarray(triples)[rng.integers(len(triples), size=n)], rng.integers(N_KINDS, size=n)
    places = rng.random((n, length)).argsort(axis=1)[:, : N_KINDS + 1]
    ids = FILLER + rng.integers(N_FILLERS, size=(n, length))
    np.put_along_axis(ids, places, np.column_stack([triple, PRONOUN + kind]), axis=1)
    nouns = places[:, :N_KINDS]
    return Agreements(ids, places[:, N_KINDS], nouns, nouns[np.arange(n), kind])


def blind_guess():
    """Share that is right of who sees nothing: the nouns are drawn evenly."""
    return 1 / N_NOUNS


def guess_among_nouns():
    """Share that is right of who sees the nouns but does not know which pronoun asks."""
    return 1 / N_KINDS
