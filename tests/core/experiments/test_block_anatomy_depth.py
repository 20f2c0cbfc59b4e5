"""The towers of page 4 measure what they say; the figures are those of the towers measured beforehand."""

from itertools import product

import numpy as np
import pytest

from core.blocks.encoder_block import encoder_block
from core.blocks.encoder_stack import StackParams, encoder_stack, encoder_stack_backward
from core.experiments import block_anatomy_depth as depth
from core.experiments.block_anatomy_depth import Depth, blocks_until_same, diversity, go_deep, rms

HIGHWAY = {"norm": "off", "gain": 0.5}
NORM_ON, NORM_OFF = {"norm": "pre"}, {"norm": "off"}


def five(n_layers, **settings):
    """Means of five seeds: log10 of the gradient at the input, and of size and diversity at the output."""
    runs = [go_deep(n_layers, seed=seed, **settings) for seed in range(5)]
    ends = [(run.gradient[0], run.size[-1], run.diversity[-1]) for run in runs]
    return np.log10(ends).mean(axis=0)


# --- what is measured ---------------------------------------------------------------------------------------


def test_size_and_diversity_by_hand():
    """Words (1, 0) and (3, 4): squares 1 + 0 + 9 + 16 = 26, a mean of 6.5.

    Their mean word is (2, 2); both are off by (1, 2) in some direction: a mean square of 2.5.
    """
    words = np.array([[1.0, 0.0], [3.0, 4.0]])
    assert rms(words) == pytest.approx(np.sqrt(6.5))
    assert diversity(words) == pytest.approx(np.sqrt(2.5 / 6.5))
    assert diversity(np.stack([words, words])) == pytest.approx(np.sqrt(2.5 / 6.5))
    assert diversity(np.ones((7, 3))) == 0


@pytest.mark.parametrize("norm", ["pre", "post", "off"])
def test_gradients_are_those_of_the_stack_and_of_its_upper_part(norm):
    """The first is what the whole stack gives; the one after block 2 is what blocks 3 and 4 give alone."""
    rng = np.random.default_rng(3)
    params = StackParams(tuple(depth.balanced_block(rng, 1.0) for _ in range(4)))
    x, dout = rng.standard_normal((2, 5, 32))
    _, cache = encoder_stack(x, params, 4, norm=norm)
    found = depth.gradients(dout, cache)
    assert len(found) == 5
    np.testing.assert_array_equal(found[0], encoder_stack_backward(dout, cache)[0])
    upper, half = cache.blocks[2].stages[0].array, StackParams(params.blocks[2:])
    _, upper_cache = encoder_stack(upper, half, 4, norm=norm)
    np.testing.assert_allclose(found[2], encoder_stack_backward(dout, upper_cache)[0], rtol=1e-10)
    np.testing.assert_array_equal(found[4], dout)


def test_a_part_of_gain_1_keeps_the_size_of_what_it_is_given():
    """Over 20 draws; He et al. (2015), equation 10: ReLU would cost a factor of the root of 2."""
    rng = np.random.default_rng(5)
    x = rng.standard_normal((64, 32))
    sizes = []
    for _ in range(20):
        block = depth.balanced_block(rng, 1.0)
        _, cache = encoder_block(x, block, 4, norm="off", residual=False)
        stages = {stage.name: stage.array for stage in cache.stages}
        sizes.append(rms(stages["mlp"]) / rms(stages["attention"]))
    assert np.mean(sizes) == pytest.approx(1, abs=0.1)


def test_a_higher_tower_stands_on_the_same_blocks():
    low, high = go_deep(12, seed=7), go_deep(24, seed=7)
    np.testing.assert_array_equal(high.size[:13], low.size)
    np.testing.assert_array_equal(high.diversity[:13], low.diversity)


def test_towers_differ_by_seed_and_by_nothing_else():
    np.testing.assert_array_equal(go_deep(12, seed=2).gradient, go_deep(12, seed=2).gradient)
    assert not np.allclose(go_deep(12, seed=2).size, go_deep(12, seed=3).size)


BOTH, PLACES = (True, False), ("pre", "post", "off")


@pytest.mark.parametrize(
    ("n_layers", "gain", "residual", "use_mlp"),
    [(12, 1, BOTH, BOTH), (48, 1, (True,), BOTH), (48, 0.25, (False,), (True,))],
)
def test_every_switch_stays_within_float64(n_layers, gain, residual, use_mlp):
    """The tower that is shown first; the one that grows most; the one that shrinks most."""
    for values in product(PLACES, residual, use_mlp, BOTH):
        switches = dict(zip(("norm", "residual", "use_mlp", "scale"), values, strict=True))
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            run = go_deep(n_layers, gain=gain, **switches)
        for line in run:
            assert line.dtype == np.float64
            assert line.shape == (n_layers + 1,)
            assert np.isfinite(line).all()
        assert run.gradient[-1] == 1
        assert (run.gradient > 0).all()
        assert (run.size > 0).all()
        assert (run.diversity <= 1 + 1e-12).all()


@pytest.mark.parametrize(
    ("story", "part"), [("highway", "residual"), ("layer_norm", "norm"), ("the_catch", "residual")]
)
def test_two_towers_of_a_story_differ_in_the_part_it_is_about(story, part):
    whole, without = depth.STORIES[story]
    assert {name for name in whole if whole[name] != without[name]} == {part}
    assert without[part] in (False, "off")


def test_when_words_are_the_same():
    """Below a millionth for the first time after two blocks; never."""
    lines = {"gradient": np.ones(4), "size": np.ones(4)}
    assert blocks_until_same(Depth(**lines, diversity=np.array([0.8, 1e-3, 1e-7, 1e-5]))) == 2
    assert blocks_until_same(Depth(**lines, diversity=np.array([0.8, 1e-3, 1e-4, 1e-6]))) is None


# --- the figures, each within about three times the spread of its seeds -------------------------------------


@pytest.mark.parametrize(("n_layers", "decades", "within"), [(12, -15.2, 0.6), (24, -30.0, 0.8)])
def test_without_layer_norm_the_residual_is_a_highway(n_layers, decades, within):
    gradient, size, _ = five(n_layers, residual=False, **HIGHWAY)
    assert gradient == pytest.approx(decades, abs=within)
    assert size == pytest.approx(-15 * n_layers / 12, abs=0.6)
    assert five(n_layers, **HIGHWAY)[0] == pytest.approx(0.4, abs=0.4)  # .23 at 12 blocks, .57 at 24


def test_48_blocks_lose_60_decades():
    without, with_ = (go_deep(48, residual=residual, **HIGHWAY) for residual in (False, True))
    assert np.log10(without.gradient[0]) == pytest.approx(-59.9, abs=1.5)
    assert np.log10(without.size[-1]) == pytest.approx(-60, abs=1.5)
    assert np.log10(with_.gradient[0]) == pytest.approx(1.7, abs=0.8)


def test_layer_norm_keeps_the_size():
    """12 blocks: 4.4 against 3e3; the words stay apart (.48) or nearly become one (.06)."""
    gradient, size, kept = five(12, **NORM_ON)
    assert 10**size == pytest.approx(4.4, abs=0.4)
    assert gradient == pytest.approx(0.6, abs=0.15)
    assert 10**kept == pytest.approx(0.48, abs=0.06)
    gradient, size, kept = five(12, **NORM_OFF)
    assert size == pytest.approx(np.log10(3e3), abs=0.3)
    assert gradient == pytest.approx(7.64, abs=2.5)
    assert 10**kept == pytest.approx(0.06, abs=0.05)


def test_layer_norm_keeps_the_size_of_48_blocks():
    """9.3 against 3e13; behind the sums the norm leaves a size of 1."""
    assert go_deep(48, **NORM_ON).size[-1] == pytest.approx(9.3, abs=2.5)
    assert np.log10(go_deep(48, **NORM_OFF).size[-1]) == pytest.approx(np.log10(3e13), abs=1.5)
    np.testing.assert_allclose(go_deep(48, norm="post").size[1:], 1, atol=1e-3)


def test_with_layer_norm_a_missing_residual_spares_the_gradient_and_kills_the_difference():
    """log10 .10 +- .41 of the gradient; diversity .80 .38 .047 3e-4 3e-10 3e-16, block by block."""
    gradient, _, kept = five(12, residual=False, **NORM_ON)
    assert gradient == pytest.approx(0.1, abs=1.3)
    assert kept == pytest.approx(np.log10(3e-16), abs=0.3)
    runs = [go_deep(12, residual=False, seed=seed).diversity for seed in range(5)]
    by_block = np.log10(runs).mean(axis=0)[:4]
    off = np.abs(by_block - np.log10([0.8, 0.38, 0.047, 3e-4]))
    assert (off <= [0.05, 0.1, 0.15, 1]).all()


@pytest.mark.parametrize("seed", range(21))
def test_the_stories_are_true_of_every_seed(seed):
    """What the sentences take for granted: which tower fares worse, and that the words become one."""
    highway, lost = (go_deep(12, seed=seed, **tower) for tower in depth.STORIES["highway"])
    assert highway.gradient[0] > 1
    assert lost.gradient[0] < 1e-12
    assert lost.size[-1] < 1e-12
    normed, grown = (go_deep(12, seed=seed, **tower) for tower in depth.STORIES["layer_norm"])
    assert normed.size[-1] < 10 < 1000 < grown.size[-1]
    assert grown.gradient[0] > 1e3
    caught = go_deep(12, seed=seed, **depth.STORIES["the_catch"][1])
    assert caught.gradient[0] > 1e-5
    assert blocks_until_same(caught) in (3, 4, 5)
    assert blocks_until_same(normed) is None
