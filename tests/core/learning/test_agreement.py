"""Agreement: the pronoun's kind tells the noun, its place does not, and one look learns it."""

import numpy as np
import pytest

from core.learning.agreement import (
    FILLER,
    LENGTHS,
    N_EACH,
    N_NOUNS,
    N_VOCAB,
    PRONOUN,
    agreements,
    blind_guess,
    guess_among_nouns,
    split,
)
from core.learning.mixers.attention import Attention
from core.learning.models import Model, count_parameters, read
from tests.core.learning.learns import trained


def test_triples_are_divided():
    """4 * 4 * 4 triples, one noun of each kind; 16 are held out, others for another seed."""
    seen, unseen = split(np.random.default_rng(3))
    assert (len(seen), len(unseen)) == (48, 16)
    every = {tuple(row) for row in (*seen.tolist(), *unseen.tolist())}
    assert every == {(a, 4 + b, 8 + c) for a in range(4) for b in range(4) for c in range(4)}
    assert set(seen.ravel()) == set(range(12)), "a noun that is never seen cannot be learned"
    assert {tuple(row) for row in split(np.random.default_rng(5))[1]} != {tuple(row) for row in unseen}


@pytest.mark.parametrize("length", [4, 8, 30])
def test_the_answer_is_the_noun_of_the_pronouns_kind(length):
    triples = split(np.random.default_rng(3))[0]
    drawn = agreements(np.random.default_rng(length), 101, triples, length)
    assert drawn.ids.shape == (101, length)
    for ids, asks, nouns, target in zip(drawn.ids, drawn.asks, drawn.nouns, drawn.targets, strict=True):
        (pronoun,) = ids[(ids >= PRONOUN) & (ids < FILLER)]
        assert ids[asks] == pronoun
        assert sorted(ids[ids < N_NOUNS].tolist()) == ids[nouns].tolist()
        assert ids[nouns].tolist() in triples.tolist()
        (same_kind,) = [noun for noun in ids[nouns] if noun // N_EACH == pronoun - PRONOUN]
        assert target == same_kind


def test_neither_place_nor_noun_tells_the_answer():
    """6,000 sentences of 10 words: kinds 2,000 each, places of the answer 600 each, its rank among the nouns
    2,000 each, nouns 500 each: within 5 standard deviations.
    """
    every = np.concatenate(split(np.random.default_rng(3)))
    drawn = agreements(np.random.default_rng(7), 6000, every, 10)
    rank = (drawn.nouns < drawn.answer[:, None]).sum(axis=1)
    for found, n in ((drawn.targets // N_EACH, 3), (drawn.answer, 10), (rank, 3), (drawn.targets, N_NOUNS)):
        assert np.abs(np.bincount(found, minlength=n) - 6000 / n).max() < 5 * np.sqrt(6000 / n)
    # So who sees nothing is right in 1 of 12, who sees the nouns alone in 1 of 3.
    assert (blind_guess(), guess_among_nouns()) == (1 / 12, 1 / 3)


def test_lengths_are_drawn():
    rng = np.random.default_rng(11)
    lengths = {agreements(rng, 1, [(0, 4, 8)]).ids.shape[1] for _ in range(400)}
    assert (min(lengths), max(lengths)) == LENGTHS


@pytest.mark.parametrize("seed", [0, 1])
def test_one_look_learns_it_and_rests_on_the_noun(seed):
    bare = Attention(n_heads=1, n_layers=1, base=None, norm="off", use_mlp=False)
    model = Model(N_VOCAB, N_NOUNS, bare, word_spread=0.1)
    assert count_parameters(model) == 27 * 32 + 4 * (32 * 32 + 32) + 32 * 12 + 12
    seen, unseen = split(np.random.default_rng(seed))

    def draw(rng):
        drawn = agreements(rng, 64, seen)
        return drawn.ids, drawn.asks[:, None], drawn.targets[:, None]

    params = trained(model, draw, 400, seed)
    test = agreements(np.random.default_rng(97), 300, unseen, 19)
    logits, cache = read(test.ids, params, model, test.asks[:, None])
    assert (logits[:, 0].argmax(axis=-1) == test.targets).mean() > 0.98
    weights = cache.mixer.blocks[0].attention.attention.weights[:, 0, 0]  # (300, 19)
    assert weights[np.arange(300), test.answer].mean() > 0.8
