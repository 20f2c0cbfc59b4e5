"""What there is to learn: small worlds of sentences in which nothing but the point of the task helps."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

N_NOUNS, N_VERBS, N_HELD_OUT = 10, 6, 9
CLS = 0  # the token at which the answer is read; nouns follow it, then verbs
ORDER_VOCAB = 1 + N_NOUNS + N_VERBS


class Questions(NamedTuple):
    """Sentences as numbers of tokens, and the right answer to each."""

    ids: np.ndarray  # (n_sentences, n_tokens)
    targets: np.ndarray  # (n_sentences,)


class OrderTask(NamedTuple):
    """Who chases? Sentences to train on, and sentences about pairs of nouns that never met in training."""

    seen: Questions
    unseen: Questions


def order_task(rng):
    """Divide all sentences CLS noun verb noun into seen and unseen; the answer is the first noun.

    Each set holds every pair of nouns in both orders, so only the order can tell who chases. Pairs are held
    out in both orders: one order alone would give the roles of the other away.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws 9 of the 45 pairs; the first two nouns are always one of them.

    Returns
    -------
    OrderTask
        36 * 2 * 6 = 432 seen and 9 * 2 * 6 = 108 unseen sentences. An answer is the number of a noun, 0 to 9.
    """
    first, *others = combinations(range(N_NOUNS), 2)
    others = [others[i] for i in rng.permutation(len(others))]
    held_out = N_HELD_OUT - 1
    return OrderTask(order_questions(others[held_out:]), order_questions([first, *others[:held_out]]))


def order_questions(pairs):
    """Write the sentences of all pairs of nouns in both orders, with every verb."""
    both = [order for a, b in pairs for order in ((a, b), (b, a))]
    sentences = [order_sentence(a, verb, b) for a, b in both for verb in range(N_VERBS)]
    return Questions(np.array(sentences), np.repeat([a for a, _ in both], N_VERBS))


def order_sentence(agent, verb, patient):
    """Number the tokens of CLS, noun, verb, noun."""
    return CLS, 1 + agent, 1 + N_NOUNS + verb, 1 + patient
