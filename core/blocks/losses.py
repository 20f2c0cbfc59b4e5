"""Cross-entropy: how surprised the model is by the right answer, in nats (lesson 33).

It is taken straight from the scores: the logarithm of a softmax loses nothing, a softmax and then its
logarithm would.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.arrays import as_float, check_shapes, ones
from core.blocks.softmax import LogSoftmaxCache, log_softmax, log_softmax_backward


class NllCache(NamedTuple):
    """Weighted target share of every class, and what the reduction multiplied the rows by."""

    shares: np.ndarray
    scale: float


class CrossEntropyCache(NamedTuple):
    """The two steps of cross-entropy; `log_softmax.log_weights` are the model's log-probabilities."""

    log_softmax: LogSoftmaxCache
    nll: NllCache


def cross_entropy(logits, targets, *, smoothing=0.0, ignore=None, reduction="mean", class_weights=None):
    # (..., n_classes), (...) -> () or (...)
    """Measure how far the predicted distribution of every row is from its target.

    Parameters
    ----------
    logits : (..., n_classes) array_like
        Scores of the classes. -inf rules a class out.
    targets : (...) array_like of int, or (..., n_classes) array_like of float
        Number of the right class of each row, or the wanted share of every class.
    smoothing : float
        Share e of each target that is spread evenly over all classes, the right one included: with 5
        classes and e = 0.1 the right class keeps 0.92 and each other one has 0.02.
    ignore : int, optional
        Targets with this number add nothing and do not count in the mean.
    reduction : {"mean", "sum", "none"}
        The mean runs over the targets that count, each weighted by the weight of its class. If none counts,
        it is 0.
    class_weights : (n_classes,) array_like, optional
        How much each class counts.

    Returns
    -------
    loss : () or (...) ndarray
    cache : CrossEntropyCache
        For `cross_entropy_backward`.

    Raises
    ------
    ValueError
        If the shapes do not fit, a class number is out of range, or `reduction` is unknown.

    References
    ----------
    Szegedy et al., "Rethinking the Inception Architecture for Computer Vision" (2016), section 7 (smoothing).
    """
    log_probs, softmax_cache = log_softmax(logits)  # 1
    options = {
        "smoothing": smoothing,
        "ignore": ignore,
        "reduction": reduction,
        "class_weights": class_weights,
    }
    loss, nll_cache = negative_log_likelihood(log_probs, targets, **options)  # 2
    return loss, CrossEntropyCache(softmax_cache, nll_cache)


def cross_entropy_backward(dout, cache):  # () or (...) -> (..., n_classes)
    """Send a gradient back through `cross_entropy`: what is predicted minus what was wanted.

    Parameters
    ----------
    dout : float or (...) ndarray
        Gradient with respect to `loss`; 1 for the loss itself.
    cache : CrossEntropyCache
        As returned by `cross_entropy`.

    Returns
    -------
    dlogits : (..., n_classes) ndarray
    """
    dlog_probs = negative_log_likelihood_backward(dout, cache.nll)  # 2
    return log_softmax_backward(dlog_probs, cache.log_softmax)  # 1


def negative_log_likelihood(
    log_probs, targets, *, smoothing=0.0, ignore=None, reduction="mean", class_weights=None
):  # (..., n_classes), (...) -> () or (...)
    """Second step of `cross_entropy`, for whoever has log-probabilities already; same parameters.

    Returns
    -------
    loss : () or (...) ndarray
        ``-sum_c share_c * log_prob_c`` of each row, reduced. 0 times -inf counts as 0.
    cache : NllCache
        For `negative_log_likelihood_backward`.
    """
    log_probs = as_float(log_probs)
    shares, counts = _target_shares(log_probs, targets, smoothing, ignore, class_weights)  # 1
    parts = np.multiply(shares, log_probs, out=np.zeros_like(log_probs), where=shares != 0)  # 2
    losses = -parts.sum(axis=-1)  # 3
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f'reduction must be "mean", "sum" or "none"; got {reduction!r}')
    total = float(counts.sum()) if reduction == "mean" else 1.0
    scale = 1 / total if total else 0.0
    loss = losses if reduction == "none" else losses.sum() * scale  # 4
    return loss, NllCache(shares, scale)


def negative_log_likelihood_backward(dout, cache):  # () or (...) -> (..., n_classes)
    """Send a gradient back through `negative_log_likelihood`: every log-probability pulls with its share."""
    return -cache.shares * np.multiply(dout, cache.scale, dtype=cache.shares.dtype)[..., None]  # 4 3 2


def _target_shares(log_probs, targets, smoothing, ignore, class_weights):
    """Return the weighted target share of every class, and how much each row counts in the mean."""
    if not 0 <= smoothing <= 1:
        raise ValueError(f"smoothing must be from 0 to 1; got {smoothing}")
    n_classes, kind, targets = log_probs.shape[-1], log_probs.dtype, np.asarray(targets)
    weights = ones(n_classes, kind.char) if class_weights is None else np.asarray(class_weights, kind)
    rule = "class_weights need one for each class"
    check_shapes(weights.shape == (n_classes,), rule, class_weights=weights)
    if targets.dtype.kind == "f":
        rule = "targets that are shares must have the shape of the scores"
        check_shapes(targets.shape == log_probs.shape, rule, targets=targets, scores=log_probs)
        shares, counts = targets.astype(kind), np.ones(targets.shape[:-1], kind)
    else:
        shares = _one_hot(targets, log_probs, ignore)
        counts = shares @ weights
    if smoothing:
        counted = shares.sum(axis=-1, keepdims=True) != 0
        shares = np.where(counted, (1 - smoothing) * shares + smoothing / n_classes, 0)
    return shares * weights, counts


def _one_hot(targets, log_probs, ignore):  # (...) -> (..., n_classes)
    """Write a 1 at each target's class; a row of zeros where the target is ignored."""
    n_classes = log_probs.shape[-1]
    rule = "targets must have the shape of the scores without the last axis"
    check_shapes(targets.shape == log_probs.shape[:-1], rule, targets=targets, scores=log_probs)
    rows, classes = np.arange(targets.size), targets.reshape(-1)
    if ignore is not None:
        rows = np.flatnonzero(classes != ignore)
        classes = classes[rows]
    outside = classes[(classes < 0) | (classes >= n_classes)]
    if outside.size:
        raise ValueError(f"targets must be from 0 to {n_classes - 1}; got {outside[0]}")
    shares = np.zeros((targets.size, n_classes), log_probs.dtype)
    shares[rows, classes.astype(np.intp, copy=False)] = 1
    return shares.reshape(log_probs.shape)
