"""Far copy: one noun, every distance, nothing else that tells it, and attention bridges it."""

from itertools import pairwise

import numpy as np
import pytest

from core.learning.far_copy import BINS, LENGTHS, chance, distances, far_sentences, right_by_distance
from core.learning.mixers.attention import Attention
from core.learning.models import Model, count_parameters, read
from core.learning.pronoun import N_NOUNS, N_VOCAB, PronounSentences
from tests.core.learning.learns import trained


def many(seed, n):
    rng = np.random.default_rng(seed)
    return [far_sentences(rng, 64) for _ in range(n)]


def test_each_sentence_holds_one_noun_which_is_the_answer():
    for sentences in many(3, 40):
        assert ((sentences.ids < N_NOUNS).sum(axis=1) == 1).all()
        np.testing.assert_array_equal(sentences.targets, sentences.ids.min(axis=1))


def test_lengths_and_distances_cover_the_bins():
    """A noun, a state, comma, because: 4 places at least; 58 where all 54 fillers stand between."""
    drawn = many(5, 400)
    lengths = [sentences.ids.shape[1] for sentences in drawn]
    assert (min(lengths), max(lengths)) == LENGTHS
    assert BINS[0][0] == 4 and BINS[-1][1] == LENGTHS[1] - 6 + 4
    assert all(high + 1 == low for (_, high), (low, _) in pairwise(BINS))
    found = np.concatenate([distances(sentences) for sentences in drawn])
    assert BINS[0][0] == found.min() and 50 < found.max() <= BINS[-1][1]


def test_nouns_are_drawn_evenly():
    """6,400 sentences: 640 of each noun, 5 standard deviations are 120; who sees none is right in 0.1."""
    counts = np.bincount(np.concatenate([one.targets for one in many(7, 100)]), minlength=10)
    assert np.abs(counts - 640).max() < 120
    assert chance() == 1 / len(counts)


def test_accuracy_by_distance_by_hand():
    sentences = PronounSentences(np.zeros((3, 20), int), np.array([9, 15, 19]), None, np.array([5, 6, 9]))
    np.testing.assert_array_equal(distances(sentences), [4, 9, 10])
    by_distance = right_by_distance(np.array([True, False, True]), distances(sentences))
    assert by_distance[:2].tolist() == [1.0, 0.5]
    assert np.isnan(by_distance[2:]).all()


@pytest.mark.parametrize("seed", [0, 1])
def test_attention_bridges_every_distance(seed):
    model = Model(N_VOCAB, N_NOUNS, Attention(n_layers=1))
    assert count_parameters(model) == 10_282

    def answer(sentences):
        return sentences.ids, sentences.asks[:, None], sentences.targets[:, None]

    params = trained(model, lambda rng: answer(far_sentences(rng, 64)), 150, seed)
    right, distance = [], []
    for sentences in many(11, 12):
        ids, rows, targets = answer(sentences)
        right += (read(ids, params, model, rows)[0].argmax(axis=-1) == targets)[:, 0].tolist()
        distance += distances(sentences).tolist()
    assert right_by_distance(np.array(right), np.array(distance)).min() > 0.98
