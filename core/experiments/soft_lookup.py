"""Page 2: attention as a dictionary that can be differentiated.

One query looks into a small table of keys and values. Everything is computed by the attention of
`core.blocks`, with one query row.
"""

import math
from typing import NamedTuple

import numpy as np

from core.blocks.attention import (
    scaled_dot_product_attention,
    scaled_dot_product_attention_backward,
)
from core.blocks.softmax import softmax


class Lookup(NamedTuple):
    """What one query finds."""

    hit: int | None  # the entry whose key equals the query, for a hard dictionary
    out: np.ndarray  # (d_v,), the soft answer
    products: np.ndarray  # (n,), the dot products of query and keys
    weights: np.ndarray  # (n,), the shares of the entries in the soft answer
    best: np.ndarray  # (n_best,), the entries with the largest share


def query_at(angle, length):  # degrees, length -> (2,)
    """The query as a point in the plane."""
    radians = math.radians(angle)
    return length * np.array([math.cos(radians), math.sin(radians)])


def look_up(query, keys, values):  # (d_k,), (n, d_k), (n, d_v) -> (d_v,)
    """Ask both dictionaries the same question.

    The hard one wants an equal key, the soft one blends all values.
    """
    equal = np.flatnonzero(
        (np.round(keys, 2) == np.round(query, 2)).all(axis=1)
    )  # equal as far as the table shows
    out, cache = scaled_dot_product_attention(query[None], keys, values)
    weights = cache.weights[0]
    hit = int(equal[0]) if equal.size else None
    return Lookup(hit, out[0], keys @ query, weights, favourites(weights))


def favourites(weights, tolerance=1e-9):  # (n,) -> (n_best,)
    """Find the places of the largest weight: several where it is shared, all where nothing is preferred."""
    return np.flatnonzero(weights >= weights.max() - tolerance)


class Steps(NamedTuple):
    """The three steps of the formula, every number on the way; one entry of each array belongs to one key."""

    products: np.ndarray  # 1  q . k_i
    scores: np.ndarray  # 2  divided by sqrt(d_k), plus the shift
    powers: np.ndarray  # 3  exp(score - largest score)
    weights: np.ndarray  # 4  divided by their sum
    parts: np.ndarray  # 5  w_i v_i, (n, d_v)
    out: np.ndarray  # their sum, (d_v,)


def steps(query, keys, values, shift=0.0):  # (d_k,), (n, d_k), (n, d_v) -> Steps
    """Work the formula out one step at a time. `shift` is added to all scores; no weight may change."""
    products = keys @ query  # 1
    scores = products / math.sqrt(query.size) + shift  # 2
    powers = np.exp(scores - scores.max())  # 3  the largest becomes exp(0) = 1: nothing can overflow
    weights = powers / powers.sum()  # 4
    parts = weights[:, None] * values  # 5
    return Steps(products, scores, powers, weights, parts, parts.sum(axis=0))


def soften(scores, temperature):  # (n,) -> (n,)
    """Weights at a temperature.

    0 is the hard dictionary (the best entry takes all, ties share), infinity the plain mean.
    """
    if temperature == 0:
        best = scores == scores.max()
        return best / best.sum()
    weights, _ = softmax(scores / temperature)
    return weights


TAUS = np.geomspace(0.01, 100, 81)  # temperatures of the sweep


def sweep(scores, temperatures=TAUS):  # (n,), (n_taus,) -> (n_taus, n)
    """Weights at every one of some temperatures above 0."""
    weights, _ = softmax(scores / temperatures[:, None])
    return weights


def entropy(weights):  # (n,) -> float
    """Entropy in nats; 0 log 0 counts as 0. Its exponential is the effective number of entries."""
    some = weights[weights > 0]
    return float(-(some * np.log(some)).sum()) + 0.0  # no "-0.0"


class Spread(NamedTuple):
    """How the scores of random queries and keys behave at each width; all arrays are (n_widths,)."""

    widths: np.ndarray
    score_sd: np.ndarray  # spread of the scores
    largest: np.ndarray  # mean largest weight
    slope: np.ndarray  # median Frobenius norm of the softmax's Jacobian: how much gradient gets through


N_KEYS = 32  # among which the random queries choose


def spread_by_width(seed=0, widths=tuple(2**i for i in range(11)), n_keys=N_KEYS, n_draws=200):
    """Random q and k ~ N(0, 1), without and with the division by sqrt(d).

    One set of draws, read up to each width.
    """
    rng = np.random.default_rng(seed)
    q = rng.standard_normal((n_draws, 1, max(widths)), dtype=np.float32)
    k = rng.standard_normal((n_draws, n_keys, max(widths)), dtype=np.float32)
    products = [q[..., :d] @ k[..., :d].swapaxes(-1, -2) for d in widths]  # each (n_draws, 1, n_keys)
    plain = [spread(scores) for scores in products]
    scaled = [spread(scores / math.sqrt(d)) for scores, d in zip(products, widths, strict=True)]
    return tuple(
        Spread(np.array(widths), *map(np.array, zip(*rows, strict=True))) for rows in (plain, scaled)
    )


def spread(scores):  # (n_draws, 1, n_keys) -> three numbers
    """Spread of the scores, mean largest weight, median Jacobian norm."""
    weights, _ = softmax(scores.astype(np.float64))
    return scores.std(), weights.max(axis=-1).mean(), np.median(jacobian_norm(weights))


def jacobian_norm(weights):  # (..., n) -> (...)
    """Frobenius norm of diag(w) - w w^T, the derivative of softmax, without building the matrix."""
    square, cube = (weights**2).sum(axis=-1), (weights**3).sum(axis=-1)
    return np.sqrt(np.maximum(square - 2 * cube + square**2, 0))


class Walk(NamedTuple):
    """A query on its way downhill; row i is the state after i steps."""

    queries: np.ndarray  # (n_steps + 1, d_k)
    outs: np.ndarray  # (n_steps + 1, d_v)
    losses: np.ndarray  # (n_steps + 1,)
    slopes: np.ndarray  # (n_steps + 1,), length of the gradient


def walk(query, keys, values, target, rate, n_steps):
    """Gradient descent on the query alone, so that the soft answer comes near to `target`.

    loss = |out - target|^2 / 2. The hard dictionary has gradient 0 almost everywhere: it never takes a step.
    """
    queries, outs, losses, slopes = [], [], [], []
    for _ in range(n_steps + 1):
        out, cache = scaled_dot_product_attention(query[None], keys, values)
        miss = out - target  # (1, d_v), and the gradient of the loss
        queries.append(query)
        outs.append(out[0])
        losses.append(float((miss**2).sum() / 2))
        dquery, _, _ = scaled_dot_product_attention_backward(miss, cache)
        slopes.append(float(np.linalg.norm(dquery)))
        query = query - rate * dquery[0]
    return Walk(np.array(queries), np.array(outs), np.array(losses), np.array(slopes))


def hard_loss(query, keys, values, target):
    """The loss of a dictionary that hands over its nearest entry only; it has no slope to walk down."""
    return float(((values[(keys @ query).argmax()] - target) ** 2).sum() / 2)
