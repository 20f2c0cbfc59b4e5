"""Page 1, what the racing models are asked: new sentences about two nouns, and how far a good guess gets.

One part is about pairs of nouns that met in training, one about pairs that never did, and one holds the same
number of sentences for every distance between the pronoun and the noun that it means.
"""

from typing import NamedTuple

import numpy as np

from core.learning.pronoun import FAR_UNSEEN, N_NOUNS, PronounSentences, distances, joined, questions

DISTANCES = np.arange(3, 24)  # words from the pronoun back to the noun that is meant
N_EACH, N_BY_DISTANCE = 12, 32  # questions of each length, and of each distance
POOL = 2000  # sentences of each length from which the latter are picked
SEEN, UNSEEN, BY_DISTANCE = range(3)  # what a question is for


class Exam(NamedTuple):
    """Questions, the same before, during and after training."""

    sentences: list  # of PronounSentences, each of one length
    about: np.ndarray  # (n,), SEEN, UNSEEN or BY_DISTANCE, for all sentences in a row
    distance: np.ndarray  # (n,), from the pronoun to the noun that is meant
    guess: np.ndarray  # (n,), chance of being right, at best, for who sees only so far


def make_exam(rng, split, reach):
    """Draw the questions.

    Parameters
    ----------
    rng : numpy.random.Generator
    split : Split
        Pairs of nouns that meet in training, and those that never do.
    reach : int
        Words to each side of the pronoun that the guesser sees.

    Returns
    -------
    Exam
    """
    kinds = [familiar(questions(rng, N_EACH, pairs)) for pairs in split]
    kinds.append(evenly_far(rng, split.seen))
    sentences = [joined(parts) for parts in zip(*kinds, strict=True)]  # one entry a length
    kind = [SEEN, UNSEEN, BY_DISTANCE]
    about = [np.repeat(kind, [len(part.ids) for part in parts]) for parts in zip(*kinds, strict=True)]
    distance = [one.asks - one.answer for one in sentences]
    guess = [best_guess(one, split.seen, reach) for one in sentences]
    return Exam(sentences, *map(np.concatenate, (about, distance, guess)))


def pick(sentences, rows):
    """Keep some sentences."""
    return PronounSentences(*(field[rows] for field in sentences))


def familiar(asked):
    """Keep the questions whose nouns stand only where nouns stood in training."""
    return [pick(one, ~np.isin(distances(one), FAR_UNSEEN).any(axis=1)) for one in asked]


def evenly_far(rng, pairs):
    """Draw N_BY_DISTANCE questions for each distance of the noun that is meant; a list, one entry a length.

    That noun may stand where none stood in training, the other one may not.
    """
    pool = questions(rng, POOL, pairs)
    distance = np.concatenate([one.asks - one.answer for one in pool])
    other = np.concatenate([distances(one).sum(axis=1) for one in pool]) - distance
    order = rng.permutation(np.flatnonzero(~np.isin(other, FAR_UNSEEN)))
    chosen = np.zeros(len(distance), bool)
    for t in DISTANCES:
        chosen[order[distance[order] == t][:N_BY_DISTANCE]] = True
    rows = np.split(chosen, np.cumsum([len(one.ids) for one in pool])[:-1])
    return [pick(one, kept) for one, kept in zip(pool, rows, strict=True)]


def best_guess(sentences, pairs, reach):  # -> (n,)
    """Give the chance of being right, at best, to who sees so many words to each side of the pronoun.

    Who sees the noun that is meant can be right: the reason stands next to the pronoun. Who sees only the
    other noun guesses one of those it meets, and who sees neither guesses the noun that meets most others.

    Parameters
    ----------
    sentences : PronounSentences
        About two nouns each.
    pairs : (n_pairs, 2) ndarray
        All pairs that meet, each as often as any other.
    reach : int
        At least 1.
    """
    n_partners = np.bincount(np.ravel(pairs), minlength=N_NOUNS)
    meant = sentences.asks - sentences.answer
    place = sentences.nouns.sum(axis=1) - sentences.answer  # of the other noun
    other = np.take_along_axis(sentences.ids, place[:, None], axis=1)[:, 0]
    neither = n_partners.max() / n_partners.sum()
    unseen = np.where(sentences.asks - place <= reach, 1 / n_partners[other], neither)
    return np.where(meant <= reach, 1.0, unseen)
