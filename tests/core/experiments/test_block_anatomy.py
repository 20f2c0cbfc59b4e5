"""What the page says about a block is true of every combination of its switches, and right by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.blocks.mlp import MLPParams, mlp
from core.blocks.positions import sinusoidal_positions
from core.blocks.sublayer import Stage
from core.experiments.block_anatomy import (
    awake_units,
    block_of,
    both_orders,
    count_parameters,
    likeness,
    pass_through,
    sizes,
    spread_by_size,
    strongest_look,
    whole_bound,
)

SETTINGS = settings(max_examples=30, deadline=None, derandomize=True)
SWITCHES = [
    dict(zip(("norm", "residual", "use_mlp", "positions", "scale"), choice, strict=True))
    for choice in product(("pre", "post", "off"), *[(True, False)] * 4)
]


def some_words(n=7, d_model=16, seed=3):
    return np.random.default_rng(seed).standard_normal((n, d_model))


def names(passage):
    return [stage.name for stage in passage.stages]


# --- the passage --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("switches", SWITCHES)
def test_only_what_is_switched_on_leaves_a_stage(switches):
    ran = set(names(pass_through(some_words(), **switches)))
    assert {"input", "attention"} <= ran
    assert ("words" in ran) == switches["positions"]
    assert ("add_1" in ran) == switches["residual"]
    assert ("norm_1" in ran) == (switches["norm"] != "off")
    assert ("mlp" in ran) == switches["use_mlp"]
    assert ("add_2" in ran) == (switches["residual"] and switches["use_mlp"])
    assert ("norm_2" in ran) == (switches["norm"] != "off" and switches["use_mlp"])


@pytest.mark.parametrize("switches", SWITCHES)
def test_a_bypass_is_drawn_where_a_sum_took_its_start(switches):
    """A sum is what the bypass brings plus what the part made just before, to the last bit."""
    passage = pass_through(some_words(), **switches)
    arrays = [stage.array for stage in passage.stages]
    assert [end for _, end in passage.bypasses] == [
        i for i, name in enumerate(names(passage)) if name in ("add_1", "add_2")
    ]
    for start, end in passage.bypasses:
        np.testing.assert_array_equal(arrays[end], arrays[start] + arrays[end - 1])


@pytest.mark.parametrize(
    ("norm", "order"),
    [
        ("pre", "words input norm_1 attention add_1 norm_2 mlp add_2"),
        ("post", "words input attention add_1 norm_1 mlp add_2 norm_2"),
        ("off", "words input attention add_1 mlp add_2"),
    ],
)
def test_the_order_of_the_stages(norm, order):
    """Xiong et al. (2020), table 1."""
    assert names(pass_through(some_words(), norm=norm)) == order.split()


@pytest.mark.parametrize(("norm", "bypasses"), [("pre", ((1, 4), (4, 7))), ("post", ((1, 3), (4, 6)))])
def test_with_post_a_norm_stands_between_the_two_bypasses(norm, bypasses):
    """Pre: the sum itself (4) feeds the next bypass. Post: sum (3), norm (4), next bypass."""
    assert pass_through(some_words(), norm=norm).bypasses == bypasses


def test_the_last_stage_is_what_comes_out():
    for switches in SWITCHES:
        passage = pass_through(some_words(n=1), **switches)
        np.testing.assert_array_equal(passage.out, passage.stages[-1].array)


def test_positions_are_added_before_the_block():
    words = some_words()
    passage = pass_through(words)
    np.testing.assert_array_equal(passage.stages[0].array, words)
    np.testing.assert_array_equal(passage.stages[1].array, words + sinusoidal_positions(7, 16))


def test_the_number_of_heads_leaves_the_parameters_alone():
    one, four = (pass_through(some_words(), n_heads=h, seed=5).cache.params for h in (1, 4))
    np.testing.assert_array_equal(one.attention.w_q, four.attention.w_q)
    np.testing.assert_array_equal(one.mlp.w_2, four.mlp.w_2)
    other = pass_through(some_words(), n_heads=4, seed=6).cache.params
    assert not np.array_equal(other.attention.w_q, four.attention.w_q)


def test_scaling_divides_the_scores_by_the_root_of_a_heads_width():
    """Width 16, 4 heads: d = 4, the root is 2."""
    plain, scaled = (pass_through(some_words(), norm="off", scale=s).cache.attention for s in (False, True))
    np.testing.assert_allclose(plain.attention.scores, 2 * scaled.attention.scores, rtol=1e-12)


@pytest.mark.parametrize(
    "bad",
    [
        {"n_heads": 3},
        {"norm": "middle"},
    ],
)
def test_what_cannot_be_built(bad):
    with pytest.raises(ValueError, match=r"16.*3|middle"):
        pass_through(some_words(), **bad)


# --- what is measured ---------------------------------------------------------------------------------------


def test_sizes_by_hand():
    """Rows 1, 3 (mean 2, spread 1) and 2, 10 (mean 6, spread 4).

    Together: mean 4, squares of the distances 9, 1, 4, 36, their mean 12.5.
    """
    measured = sizes([Stage("x", np.array([[1.0, 3.0], [2.0, 10.0]]))])
    np.testing.assert_allclose(np.array(measured)[:, 0], [4, np.sqrt(12.5), 1, 4])


@pytest.mark.parametrize("switches", SWITCHES)
def test_after_a_norm_every_word_has_mean_0_and_spread_1(switches):
    passage = pass_through(some_words(), **switches)
    measured = sizes(passage.stages)
    for i, name in enumerate(names(passage)):
        if name.startswith("norm"):
            assert abs(measured.mean[i]) < 1e-12
            assert 0.999 < measured.least[i] <= measured.most[i] <= 1


def test_likeness_by_hand():
    """Around their means: (-1, 1, 0) and (-1, 0, 1); 1 / sqrt(2 * 2)."""
    assert likeness(np.array([1.0, 3, 2]), np.array([4.0, 5, 6])) == pytest.approx(0.5)
    assert likeness(np.array([1.0, 3, 2]), np.array([-2.0, -6, -4])) == pytest.approx(-1)
    assert likeness(np.ones(3), np.array([1.0, 2, 3])) == 0


def test_without_residual_the_output_is_no_longer_like_the_input():
    """Mean of 20 seeds; random parts know nothing of what they are given."""

    def mean_likeness(residual):
        runs = [pass_through(some_words(9, 32, seed), seed=seed, residual=residual) for seed in range(20)]
        return np.mean([likeness(run.stages[1].array, run.out) for run in runs])

    assert mean_likeness(True) > 0.6
    assert abs(mean_likeness(False)) < 0.05


def test_the_strongest_look_is_at_another_word():
    weights = np.array([[0.9, 0.1, 0.0], [0.5, 0.2, 0.3], [0.1, 0.4, 0.5]])
    assert strongest_look(weights) == (1, 0, 0.5)
    assert strongest_look(np.array([[1.0]])) == (0, 0, 1.0)


def test_awake_units_by_hand():
    """One word 2: hidden units 2, -2, 0, of which one is above 0. A second word -1: -1, 1, 0."""
    params = MLPParams(np.array([[1.0, -1.0, 0.0]]), None, np.ones((3, 1)), None)
    _, cache = mlp(np.array([[2.0], [-1.0]]), params)
    assert awake_units(cache) == 1
    _, cache = mlp(np.array([[2.0], [-1.0]]), params._replace(b_1=np.array([0.0, 3.0, 1.0])))
    assert awake_units(cache) == 2.5  # 2, 1, 1 and -1, 4, 1


@pytest.mark.parametrize(("values", "bound"), [([0.2, -0.1], 1), ([2.0], 2), ([1.5, -2.01], 3), ([0.0], 1)])
def test_the_bound_is_the_next_whole_number(values, bound):
    assert whole_bound(np.array([values])) == bound


# --- both orders --------------------------------------------------------------------------------------------


@SETTINGS
@given(factor=st.sampled_from([0.25, 1, 8]), seed=st.integers(0, 20), n=st.sampled_from([1, 2, 7]))
def test_post_always_leaves_mean_0_and_spread_1(factor, seed, n):
    post = both_orders(some_words(n, 16, seed), factor, seed).post.out
    np.testing.assert_allclose(post.mean(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(post.std(axis=-1), 1, atol=1e-3)


@SETTINGS
@given(factor=st.sampled_from([0.25, 1, 8]), seed=st.integers(0, 20))
def test_pre_adds_to_the_words_and_never_touches_them(factor, seed):
    """What leaves is the words plus what both parts made: taking the parts away gives the words back."""
    words = some_words(7, 16, seed)
    pre = both_orders(words, factor, seed).pre
    made = sum(stage.array for stage in pre.stages if stage.name in ("attention", "mlp"))
    np.testing.assert_allclose(pre.out - made, factor * words, atol=1e-12)


def test_both_orders_share_words_and_parameters():
    pre, post = both_orders(some_words(), 2)
    np.testing.assert_array_equal(pre.stages[0].array, 2 * some_words())
    np.testing.assert_array_equal(post.stages[0].array, 2 * some_words())
    np.testing.assert_array_equal(pre.cache.params.mlp.w_1, post.cache.params.mlp.w_1)


def test_large_words_pass_through_pre_and_are_cut_down_by_post():
    pre, post = spread_by_size(some_words(7, 32), (1, 8, 64))
    assert pre[2] == pytest.approx(64 * some_words(7, 32).std(), rel=0.02)  # both parts together add about 1
    np.testing.assert_allclose(post, 1, atol=1e-3)


# --- parameters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "widening", "n_heads"), [(8, 4, 1), (8, 1, 8), (24, 2, 3), (32, 4, 4)])
def test_counts_follow_the_formulas(d, widening, n_heads):
    counts, d_ff = count_parameters(block_of(d, n_heads, widening)), widening * d
    assert counts == (4 * d**2 + 4 * d, 2 * d * d_ff + d_ff + d, 4 * d)


def test_the_block_of_gpt_2_small():
    """Radford et al. (2019): 12 blocks of width 768.

    124,439,808 released numbers less 50,257 x 768 tokens, 1,024 x 768 positions and 1,536 of the last norm
    leave 85,054,464 for 12 blocks: 7,087,872 each.
    """
    block = (124_439_808 - 50_257 * 768 - 1_024 * 768 - 1_536) // 12
    d, d_ff = 768, 3072
    small = count_parameters(block_of(24, 3))  # the same form at d = 24, to hold the sum of the parts
    assert sum(small) == 12 * 24**2 + 13 * 24
    assert block == 7_087_872 == 12 * d**2 + 13 * d == (4 * d**2 + 4 * d) + (2 * d * d_ff + d_ff + d) + 4 * d
