"""Page 3: where queries, keys and values come from, and what every word of a sentence then sees.

First one head whose few numbers are set by hand and can be read; then several heads with random numbers.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.encoder_block import init_block
from core.blocks.masks import causal_mask
from core.blocks.multi_head import self_attention
from core.sentences import word_vectors

FEATURES = ("animal", "pronoun", "other")  # the three numbers of a word, of its q, its k and its v
LOOKS_FOR = 6.0  # how strongly a pronoun asks for animals: clear, but not everything, in a short sentence


class HandSet(NamedTuple):
    """The three matrices of one head. Row: what a word is. Column: what it asks for, offers or hands over."""

    w_q: np.ndarray  # (d_model, d_k)
    w_k: np.ndarray  # (d_model, d_k)
    w_v: np.ndarray  # (d_model, d_v)


def hand_set_parameters():  # -> (3, 3), (3, 3), (3, 3)
    """Set one head by hand: every word offers and hands over what it is, and a pronoun asks for animals.

    All other words ask for nothing: their scores are equal, so they look at everybody alike.

    Returns
    -------
    HandSet
    """
    w_q = np.zeros((len(FEATURES), len(FEATURES)))
    w_q[FEATURES.index("pronoun"), FEATURES.index("animal")] = LOOKS_FOR
    return HandSet(w_q, np.eye(len(FEATURES)), np.eye(len(FEATURES)))


def feature_vectors(tokens, lexicon):  # n tokens -> (n, 3)
    """Turn words into vectors with a single 1, at the place of the feature that a small lexicon knows.

    Parameters
    ----------
    tokens : sequence of str
    lexicon : mapping of feature to words
        The words of each feature as one text with blanks between them; capital letters make no difference.
        A feature may be missing.

    Returns
    -------
    x : (n, d_model) ndarray
        Words that stand nowhere in the lexicon are "other".
    """
    feature_of = {word.casefold(): feature for feature, words in lexicon.items() for word in words.split()}
    places = [FEATURES.index(feature_of.get(token.casefold(), "other")) for token in tokens]
    return np.eye(len(FEATURES))[places]  # (n,) -> (n, d_model)


def attend(x, w_q, w_k, w_v):  # (n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v) -> (n, d_v)
    """Let every word play its three roles, and look: one head of self-attention, each step in sight.

    Parameters
    ----------
    x : (n, d_model) ndarray
        Words. A word is a row here and is multiplied from the left; the lecture writes columns, W x.
    w_q, w_k : (d_model, d_k) ndarray
    w_v : (d_model, d_v) ndarray

    Returns
    -------
    out : (n, d_v) ndarray
    cache : AttentionCache
        Holds q, k, v, scores and weights of all words.

    References
    ----------
    Lesson 41, "self-attention"; Vaswani et al. (2017), equation 1.
    """
    q = x @ w_q  # what I am looking for
    k = x @ w_k  # what can be found in me
    v = x @ w_v  # what I hand over once found
    return scaled_dot_product_attention(q, k, v)


def are_alike(x):  # (n, d_model) -> bool
    """Whether all these words are the same to the model: equal in every number."""
    return bool((x == x[0]).all())


# --- everyone to everyone: four heads with random parameters ---------------------------------------------

D_MODEL, N_HEADS = 16, 4


def random_heads(x, seed, mask=None):  # (n, d_model) -> (n, d_model)
    """Look with four heads whose parameters were drawn and never trained.

    Parameters
    ----------
    x : (n, D_MODEL) ndarray
        Words.
    seed : int
    mask : (n, n) ndarray of bool, optional

    Returns
    -------
    out : (n, D_MODEL) ndarray
    cache : AttentionCache
        Of all heads: scores, masked and weights are (N_HEADS, n, n).
    """
    params = init_block(np.random.default_rng(seed), D_MODEL, N_HEADS, D_MODEL).attention
    out, cache = self_attention(x, params, N_HEADS, mask)
    return out, cache.attention


def everyone(tokens, seed, causal=False):  # n tokens -> AttentionCache
    """Let every word of a sentence look at every word, or only at those up to itself."""
    mask = causal_mask(len(tokens)) if causal else None
    _, cache = random_heads(word_vectors(tokens, D_MODEL, seed), seed, mask)
    return cache


def of_head(grids, head):  # (n_heads, n, n) -> (n, n)
    """Take the grid of one head, counted from 1, or the mean over all heads where `head` is None."""
    return grids.mean(axis=0) if head is None else grids[head - 1]
