"""The facts of page 3 against hand calculations and properties."""

import math

import numpy as np
import pytest

from core.experiments.self_attention import FEATURES, attend, feature_vectors, hand_set_parameters

LEXICON = {"animal": "猫 狗 cat dog", "pronoun": "它 it"}
TIRED = "猫 累了 ， 因为 它 跑了 一天".split()
HUNGRY = "狗 追 猫 ， 因为 它 饿了".split()
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
