"""Reach of stacked convolutions: by hand, against the formulas, and against the gradient of a real stack."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.convolution import convolution, convolution_backward
from core.costs import layers_to_reach
from core.experiments.local_conv import (
    dilations,
    links,
    offsets,
    reach,
    receptive_field,
    route,
    sees,
    stretch,
)

KERNELS = (3, 5, 7, 9)
stacks = st.tuples(st.integers(1, 53), st.sampled_from(KERNELS), st.integers(1, 7), st.booleans())


# --- the sentence grows -------------------------------------------------------------------------


def test_fillers_stand_right_before_the_later_word_and_start_over_when_used_up():
    tokens, asks, answer = stretch(("cat", "tired", "it", "ran"), 2, 0, ("then", "again"), 3)
    assert tokens == ("cat", "tired", "then", "again", "then", "it", "ran")
    assert (asks, answer) == (5, 0)


def test_the_wanted_word_may_come_later_than_the_asking_one_or_be_the_same():
    assert stretch("abc", 0, 2, "x", 2) == (("a", "b", "x", "x", "c"), 0, 4)
    assert stretch("abc", 1, 1, "x", 2) == (("a", "x", "x", "b", "c"), 3, 3)
    assert stretch("a", 0, 0, "x", 0) == (("a",), 0, 0)


# --- one window ---------------------------------------------------------------------------------


def test_a_window_is_centred_and_its_gaps_grow_with_the_dilation():
    np.testing.assert_array_equal(offsets(5), [-2, -1, 0, 1, 2])
    np.testing.assert_array_equal(offsets(3, dilation=4), [-4, 0, 4])
    assert dilations(4) == (1, 1, 1, 1)
    assert dilations(4, doubling=True) == (1, 2, 4, 8)


@pytest.mark.parametrize("k", [0, 2, 8, -3])
def test_a_window_without_a_middle_is_refused(k):
    with pytest.raises(ValueError, match=f"k = {k}"):
        offsets(k)


def test_a_window_ends_where_the_sentence_ends():
    expected = [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]]  # two places to each side
    np.testing.assert_array_equal(sees(4, offsets(3, dilation=2)), np.array(expected, dtype=bool))


# --- the field of a stack -----------------------------------------------------------------------


def test_the_field_by_hand():
    """k = 3, two layers, read at the third of 7 words: 1 word, then 3, then 5."""
    field = receptive_field(7, 2, 3, (1, 1))
    np.testing.assert_array_equal(
        field.astype(int), [[1, 1, 1, 1, 1, 0, 0], [0, 1, 1, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0]]
    )


def test_the_field_with_doubled_gaps_by_hand():
    """k = 3, gaps 1 and 2, read in the middle of 7: places 2, 4, 6 of the first layer, so all 7 words."""
    field = receptive_field(7, 3, 3, (1, 2))
    np.testing.assert_array_equal(np.flatnonzero(field[1]), [1, 3, 5])
    np.testing.assert_array_equal(np.flatnonzero(field[0]), range(7))


@pytest.mark.parametrize("k", KERNELS)
@pytest.mark.parametrize("n_layers", [1, 2, 3, 5])
def test_the_field_is_as_wide_as_the_formulas_say(k, n_layers):
    n, middle = 401, 200  # wider than the widest: 4 * 31 to each side
    width = receptive_field(n, middle, k, dilations(n_layers)).sum(axis=1)[0]
    assert width == 1 + n_layers * (k - 1)
    doubled = np.flatnonzero(receptive_field(n, middle, k, dilations(n_layers, doubling=True))[0]) - middle
    side = (k - 1) * (2**n_layers - 1) // 2
    np.testing.assert_array_equal(doubled, np.arange(-side, side + 1))  # no gaps inside
    assert reach(n_layers, k) == (width - 1) // 2
    assert reach(n_layers, k, doubling=True) == side


@given(stacks, st.data())
def test_a_word_is_heard_exactly_within_reach(stack, data):
    """Also near the ends: no way has to leave the sentence, since a layer may always stop short."""
    n, k, n_layers, doubling = stack
    asks = data.draw(st.integers(0, n - 1))
    field = receptive_field(n, asks, k, dilations(n_layers, doubling))
    near = np.abs(np.arange(n) - asks) <= reach(n_layers, k, doubling)
    np.testing.assert_array_equal(field[0], near)


@pytest.mark.parametrize("asks", [-1, 5])
def test_an_asking_word_outside_the_sentence_is_refused(asks):
    with pytest.raises(ValueError, match=f"got {asks}"):
        receptive_field(5, asks, 3, (1,))


@pytest.mark.parametrize("doubling", [False, True])
@pytest.mark.parametrize("k", [3, 5])
def test_the_gradient_of_a_real_stack_is_nonzero_exactly_on_the_field(k, doubling):
    """Positive weights cannot cancel each other, so a zero gradient means: no way from there to here."""
    rng, n, asks, d = np.random.default_rng(0), 23, 7, 3
    gaps = dilations(2, doubling)
    x, caches = rng.standard_normal((n, d)), []
    for gap in gaps:
        x, cache = convolution(x, rng.uniform(0.5, 1.5, (k, d, d)), dilation=gap)
        caches.append(cache)
    dout = np.zeros((n, d))
    dout[asks] = 1
    field = receptive_field(n, asks, k, gaps)
    for layer in (2, 1):
        np.testing.assert_array_equal((dout != 0).all(axis=1), field[layer])
        dout, *_ = convolution_backward(dout, caches[layer - 1])
    np.testing.assert_array_equal((dout != 0).all(axis=1), field[0])
    np.testing.assert_array_equal((dout != 0).any(axis=1), field[0])


# --- links and the way --------------------------------------------------------------------------


def test_links_are_the_looks_inside_the_field():
    """Two words, k = 3: at the top the asking word sees both, below it both see both."""
    gaps = (1, 1)
    found = links(receptive_field(2, 1, 3, gaps), 3, gaps)
    np.testing.assert_array_equal(found, [[2, 1, 0], [2, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])


def test_without_layers_nothing_is_linked_and_only_the_word_itself_is_heard():
    field = receptive_field(5, 2, 3, ())
    np.testing.assert_array_equal(field, [[False, False, True, False, False]])
    assert links(field, 3, ()).shape == (0, 3)
    np.testing.assert_array_equal(route(5, 2, 0, 3, ()), [2])


def test_the_way_by_hand():
    """From word 9 to word 4 with k = 3: one word a layer; gaps 4, 2, 1 make it -4, +0 (or -2 + 1), -1."""
    np.testing.assert_array_equal(route(11, 9, 4, 3, (1, 1, 1)), [6, 7, 8, 9])  # ends two words short
    np.testing.assert_array_equal(route(11, 9, 4, 3, (1, 2, 4))[[0, 2, 3]], [4, 5, 9])


@given(stacks, st.data())
def test_the_way_stays_on_the_links_and_arrives_exactly_if_the_word_is_heard(stack, data):
    n, k, n_layers, doubling = stack
    asks, answer = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    gaps = dilations(n_layers, doubling)
    field, way = receptive_field(n, asks, k, gaps), route(n, asks, answer, k, gaps)
    assert way[-1] == asks
    assert (way[0] == answer) == field[0, answer]
    known = set(map(tuple, links(field, k, gaps).tolist()))
    assert all((layer, way[layer], way[layer - 1]) in known for layer in range(1, n_layers + 1))


# --- layers needed ------------------------------------------------------------------------------


def test_twelve_words_away_takes_twelve_layers_of_three_or_four_dilated_ones():
    # ceil(2 * 12 / 2) = 12; ceil(log2(1 + 24 / 2)) = ceil(log2 13) = ceil(3.70) = 4
    assert layers_to_reach(12, 3) == 12
    assert layers_to_reach(12, 3, growth=2) == 4
    assert not receptive_field(25, 24, 3, dilations(11))[0, 12]
    assert receptive_field(25, 24, 3, dilations(12))[0, 12]
    assert not receptive_field(25, 24, 3, dilations(3, doubling=True))[0, 12]
    assert receptive_field(25, 24, 3, dilations(4, doubling=True))[0, 12]


@pytest.mark.parametrize("k", KERNELS)
def test_the_layers_counted_follow_the_formulas(k):
    for t in range(64):
        assert layers_to_reach(t, k) == math.ceil(2 * t / (k - 1))
        assert layers_to_reach(t, k, growth=2) == math.ceil(math.log2(1 + 2 * t / (k - 1)))


@pytest.mark.parametrize("doubling", [False, True])
@pytest.mark.parametrize("k", KERNELS)
def test_one_layer_less_is_not_enough(k, doubling):
    growth = 2 if doubling else 1
    assert layers_to_reach(0, k, growth) == 0
    for t in range(1, 64):
        n_layers = layers_to_reach(t, k, growth)
        assert reach(n_layers - 1, k, doubling) < t <= reach(n_layers, k, doubling)
