"""The facts of page 3 against hand calculations and properties."""

import math

import numpy as np
import pytest

from core.experiments.self_attention import (
    FEATURES,
    N_HEADS,
    are_alike,
    attend,
    everyone,
    feature_vectors,
    hand_set_parameters,
    of_head,
)

LEXICON = {"animal": "猫 狗 cat dog", "pronoun": "它 it"}
TIRED = ["猫", "累了", "，", "因为", "它", "跑了", "一天"]
HUNGRY = ["狗", "追", "猫", "，", "因为", "它", "饿了"]
# A pronoun's query is (6, 0, 0), an animal's key (1, 0, 0): the score is 6 / sqrt(3), every other one is 0.
PULL = math.exp(6 / math.sqrt(3))  # 31.9


def weights_of(tokens, asks):
    out, cache = attend(feature_vectors(tokens, LEXICON), *hand_set_parameters())
    return out[asks], cache.weights[asks]


def test_words_become_features_and_unknown_ones_are_other():
    assert FEATURES == ("animal", "pronoun", "other")
    x = feature_vectors(("Cat", "it", "🐱", "cat"), LEXICON)
    np.testing.assert_array_equal(x, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]])


def test_the_pronoun_gives_the_only_animal_most_of_its_weight():
    out, weights = weights_of(TIRED, 4)
    cat, each_other = PULL / (PULL + 6), 1 / (PULL + 6)  # .842 and .026 of seven words
    np.testing.assert_allclose(weights, [cat, *[each_other] * 6], rtol=1e-12)
    # What it hands over is what each word is: one animal, one pronoun, five others.
    np.testing.assert_allclose(out, [cat, each_other, 5 * each_other], rtol=1e-12)


def test_two_animals_get_equal_weight_because_nothing_tells_them_apart():
    _, weights = weights_of(HUNGRY, 5)
    assert weights[0] == weights[2] == pytest.approx(PULL / (2 * PULL + 5), rel=1e-12)  # .464


@pytest.mark.parametrize("asks", [0, 1, 3])
def test_words_that_ask_for_nothing_look_at_all_alike(asks):
    _, weights = weights_of(TIRED, asks)
    np.testing.assert_allclose(weights, np.full(7, 1 / 7), rtol=1e-12)


def test_attend_multiplies_rows_from_the_left():
    rng = np.random.default_rng(5)
    x, w_q, w_k, w_v = (rng.standard_normal(shape) for shape in ((7, 3), (3, 5), (3, 5), (3, 2)))
    out, cache = attend(x, w_q, w_k, w_v)
    i, j = 4, 6
    q_i = [sum(x[i, m] * w_q[m, c] for m in range(3)) for c in range(5)]
    k_j = [sum(x[j, m] * w_k[m, c] for m in range(3)) for c in range(5)]
    dot = sum(a * b for a, b in zip(q_i, k_j, strict=True))
    assert cache.scores[i, j] == pytest.approx(dot / math.sqrt(5), rel=1e-12)
    assert out.shape == (7, 2)


def test_two_animals_are_alike_and_an_animal_and_a_pronoun_are_not():
    x = feature_vectors(HUNGRY, LEXICON)
    assert are_alike(x[[0, 2]])  # dog and cat
    assert not are_alike(x[[0, 5]])  # dog and it
    assert are_alike(x[[5]])


def test_a_pronoun_looks_for_animals_even_where_there_is_none():
    _, cache = attend(feature_vectors(["it", "he", "she"], {"pronoun": "it he she"}), *hand_set_parameters())
    np.testing.assert_array_equal(cache.q, [[6, 0, 0]] * 3)  # it looks for something
    np.testing.assert_allclose(cache.weights, np.full((3, 3), 1 / 3), rtol=1e-12)  # and finds nothing


def test_everyone_sees_everyone_or_nothing_that_comes_later():
    tokens = ("a", "b", "a", "c", "d")
    free, causal = everyone(tokens, 3), everyone(tokens, 3, causal=True)
    assert free.weights.shape == (N_HEADS, 5, 5)
    np.testing.assert_allclose(free.weights.sum(axis=-1), 1)
    np.testing.assert_array_equal(free.weights[:, 0], free.weights[:, 2])  # the same word asks the same
    assert free.weights.min() > 0
    np.testing.assert_array_equal(causal.scores, free.scores)  # a mask changes what comes after the scores
    later = np.triu(np.ones((5, 5), bool), 1)
    assert (causal.masked[:, later] == -np.inf).all()
    assert (causal.weights[:, later] == 0).all()
    np.testing.assert_array_equal(causal.weights[:, 0], [[1, 0, 0, 0, 0]] * N_HEADS)


def test_one_head_or_the_mean_of_all():
    grids = np.arange(12.0).reshape(3, 2, 2)
    np.testing.assert_array_equal(of_head(grids, 2), [[4, 5], [6, 7]])
    np.testing.assert_array_equal(of_head(grids, None), [[4, 5], [6, 7]])  # (0 + 4 + 8) / 3 = 4
    np.testing.assert_array_equal(of_head(grids, 1), [[0, 1], [2, 3]])
