"""Page 5, data: examples to learn from, what a trained model is tried on, and where its heads look."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from core.learning.ask import N_WORDS, AskQuestions, ask_questions, at_distance
from core.learning.models import read
from core.learning.texture import TextureQuestions, texture_questions

TEXTURE = "texture"  # the other task, in place of a share of far questions
MOST, N_NEW, N_EACH = 4096, 2000, 100  # examples, new questions, questions at each distance
DISTANCES = np.arange(1, N_WORDS)


class Exam(NamedTuple):
    """Examples to learn from, new questions, and questions about a noun at each distance."""

    examples: AskQuestions | TextureQuestions
    new: AskQuestions | TextureQuestions
    by_distance: AskQuestions | None  # N_EACH at each of DISTANCES, one distance after the other


class Found(NamedTuple):
    """How a trained model does; not a number where a thing does not exist."""

    train: float  # share right of the examples it learned from
    test: float  # share right of the new questions
    by_distance: np.ndarray  # (11,), share right of questions about a noun at each of DISTANCES
    on_target: np.ndarray  # (2, 2 heads), mean weight on the word asked about; local questions, far ones
    reach: np.ndarray  # (2, 2 heads), mean distance, in words, of what the question looks at


@lru_cache(maxsize=8)
def make_exam(task, size, seed):
    """Draw everything that a seed decides about a task, the same for all models.

    More examples contain the fewer ones: the first 64 of 128 are the 64.

    Parameters
    ----------
    task : float or "texture"
        Share of far questions, or the other task.
    size : int
        Number of examples, at most 4,096.
    seed : int

    Returns
    -------
    Exam
    """
    for_examples, for_new, for_distances = np.random.default_rng(seed).spawn(3)
    if task == TEXTURE:
        pool, new = texture_questions(for_examples, MOST), texture_questions(for_new, N_NEW)
        return Exam(_first(pool, size), new, None)
    pool, new = ask_questions(for_examples, MOST, task), ask_questions(for_new, N_NEW, task)
    parts = [at_distance(for_distances, N_EACH, t) for t in DISTANCES]
    return Exam(_first(pool, size), new, AskQuestions(*map(np.concatenate, zip(*parts, strict=True))))


def _first(questions, n):
    return questions._make(field[:n] for field in questions)


def as_batch(questions):  # -> ids (n, 12), rows (n, 1) or None, targets (n, 1)
    """Tell a model what to read, where, and what to answer; a texture is read as a whole."""
    asks = getattr(questions, "asks", None)
    return questions.ids, None if asks is None else asks[:, None], questions.targets[:, None]


def right(questions, params, model):  # -> (n,) of bool
    """Tell which questions a model answers right."""
    ids, rows, targets = as_batch(questions)
    logits, _ = read(ids, params, model, rows)
    return (logits.argmax(axis=-1) == targets)[:, 0]


def shares_right(exam, params, model):
    """Try a model on the examples it learned from, and on new questions. -> two shares"""
    return tuple(float(right(asked, params, model).mean()) for asked in (exam.examples, exam.new))


def look(exam, params, model, has_heads):
    """Try a trained model on everything. -> Found"""
    by_distance = np.full(len(DISTANCES), np.nan)
    if exam.by_distance is not None:
        by_distance = right(exam.by_distance, params, model).reshape(-1, N_EACH).mean(axis=1)
    heads = where_heads_look(exam.new, params, model) if has_heads else [np.full((2, 2), np.nan)] * 2
    return Found(*shares_right(exam, params, model), by_distance, *heads)


def where_heads_look(questions, params, model):  # -> (2, 2 heads), (2, 2 heads)
    """Average, over the local and over the far questions, where the question's place looks."""
    _, cache = read(questions.ids, params, model)
    weights = cache.mixer.link.part.attention.attention.weights  # (n, n_heads, 12, 12)
    if not hasattr(questions, "asks"):
        distance = np.abs(np.subtract.outer(np.arange(N_WORDS), np.arange(N_WORDS)))
        reach = (weights * distance).sum(axis=-1).mean(axis=(0, 2))  # (n_heads,)
        return np.full((2, len(reach)), np.nan), np.stack([reach, np.full(len(reach), np.nan)])
    every = np.arange(len(questions.ids))
    row = weights[every, :, questions.asks]  # (n, n_heads, 12)
    away = np.abs(np.arange(N_WORDS) - questions.asks[:, None])  # (n, 12)
    reach = (row * away[:, None]).sum(axis=-1)  # (n, n_heads)
    on_target = row[every, :, questions.looks]
    kinds = (~questions.far, questions.far)
    return tuple(np.stack([_mean(values[kind]) for kind in kinds]) for values in (on_target, reach))


def _mean(rows):  # (n, m) -> (m,)
    return rows.mean(axis=0) if len(rows) else np.full(rows.shape[1], np.nan)
