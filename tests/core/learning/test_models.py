"""Every model against central differences, its number of parameters by hand, and what each mixer can know."""

import numpy as np
import pytest

from core.blocks.losses import cross_entropy, cross_entropy_backward
from core.learning.mixers.attention import Attention
from core.learning.mixers.both_ways import BothWays
from core.learning.mixers.convolution import Convolution
from core.learning.mixers.flat import Flat
from core.learning.mixers.heads import Heads
from core.learning.mixers.one_block import OneBlock
from core.learning.mixers.recurrent import Recurrent
from core.learning.mixers.windows import Window
from core.learning.models import Model, count_parameters, init_model, learn, read, read_backward
from core.learning.parameters import leaves
from tests.core.gradient_check import check_gradients

SMALL = {
    "attention": Attention(d_model=6, n_heads=2, d_ff=5, n_layers=2),
    "causal": Attention(d_model=6, n_heads=1, d_ff=7, n_layers=2, causal=True, final_norm=True),
    "bare": Attention(
        d_model=6, n_heads=1, n_layers=1, base=None, norm="off", use_mlp=False, residual=False, scale=False
    ),
    "post": Attention(d_model=6, n_heads=2, d_ff=7, n_layers=2, norm="post", gain=0.5),
    "convolution": Convolution(d_model=6, kernel=3, dilations=(1, 2)),
    "gru": Recurrent(d_model=6, d_hidden=5),
    "rnn": Recurrent(d_model=6, d_hidden=5, gated=False),
    "flat": Flat(n_max=8, d_model=6, d_hidden=7),
    "window": OneBlock(Window(), d_model=6, d_ff=5),
    "heads": OneBlock(Heads(), d_model=6, d_ff=5),
    "relative": OneBlock(Heads(n_relative=8), d_model=6, d_ff=5),
    "both ways": OneBlock(BothWays(d_hidden=5), d_model=6, d_ff=5),
}


def questions(rng, batch=3, n=7, m=1, parts=()):
    """Random sentences, the places that are read, and the answers wanted there."""
    return (
        rng.integers(7, size=(batch, n, *parts)),
        rng.integers(n, size=(batch, m)),
        rng.integers(3, size=(batch, m)),
    )


def check(model, ids, rows, targets):
    """Compare all gradients of a model's loss with differences."""
    rng = np.random.default_rng(17)

    def forward(params):
        logits, cache = read(ids, params, model, rows)
        loss, loss_cache = cross_entropy(logits, targets)
        return loss, (cache, loss_cache)

    def backward(dout, caches):
        cache, loss_cache = caches
        return read_backward(cross_entropy_backward(dout, loss_cache), cache)

    return check_gradients(forward, backward, (init_model(rng, model, np.float64),), rng)


@pytest.mark.parametrize("mixer", SMALL.values(), ids=SMALL)
def test_every_parameter_has_the_gradient_that_differences_find(mixer):
    ids, rows, targets = questions(np.random.default_rng(19))
    assert check(Model(7, 3, mixer), ids, rows, targets) < 1e-7


@pytest.mark.parametrize("name", ["causal", "attention", "gru", "convolution"])
def test_gradients_where_several_rows_are_read(name):
    """Two rows may be the same place, and all rows are read where none is named."""
    ids, rows, targets = questions(np.random.default_rng(23), m=2)
    rows[0] = rows[0, :1]
    assert check(Model(7, 3, SMALL[name]), ids, rows, targets) < 1e-7
    targets = np.random.default_rng(29).integers(3, size=ids.shape)
    assert check(Model(7, 3, SMALL[name]), ids, None, targets) < 1e-7


def test_gradients_where_a_word_has_two_parts():
    ids, rows, targets = questions(np.random.default_rng(31), parts=(2,))
    assert check(Model(7, 3, SMALL["bare"]), ids, rows, targets) < 1e-7


@pytest.mark.parametrize("name", ["window", "relative", "flat", "attention"])
@pytest.mark.parametrize("pooled", [False, True])
def test_gradients_with_places_that_are_learned_and_with_the_mean_read(name, pooled):
    ids, rows, targets = questions(np.random.default_rng(41))
    model = Model(7, 3, SMALL[name], n_places=8, pooled=pooled)
    assert check(model, ids, None if pooled else rows, targets) < 1e-7


def test_learned_places_are_added_to_the_words():
    """Equal words and equal places: the same answer at two places only where both are equal."""
    model = Model(7, 3, SMALL["window"], n_places=9)
    params = init_model(np.random.default_rng(0), model, np.float64)
    ids = np.array([[2, 2, 2, 2, 2]])
    assert np.ptp(read(ids, params, model)[0][0, 1:4], axis=0).max() > 0.01
    bare = params._replace(places=np.zeros_like(params.places))
    assert np.ptp(read(ids, bare, model)[0][0, 1:4], axis=0).max() < 1e-12
    with pytest.raises(ValueError, match="at most 9 places"):
        read(np.zeros((1, 10), int), params, model)


@pytest.mark.parametrize(
    ("mixer", "wanted"),
    [
        # 48 x 32 words; a block: 4 (32 x 32 + 32) + 32 x 64 + 64 + 64 x 32 + 32 = 8,416; out 32 x 10 + 10
        (Attention(), 1536 + 2 * 8416 + 330),
        (Attention(n_layers=1), 1536 + 8416 + 330),
        (Attention(use_mlp=False), 1536 + 2 * 4224 + 330),
        (Convolution(), 1536 + 5 * (3 * 32 * 32 + 32) + 330),
        (Convolution(kernel=5, dilations=(1, 1, 1)), 1536 + 3 * (5 * 32 * 32 + 32) + 330),
        (Recurrent(), 1536 + 3 * (32 * 56 + 56 * 56 + 56) + 570),
        (Recurrent(d_hidden=110, gated=False), 1536 + 32 * 110 + 110 * 110 + 110 + 1110),
        (Flat(d_hidden=18), 1536 + (26 * 32 * 18 + 18) + (18 * 10 + 10)),
    ],
)
def test_number_of_parameters(mixer, wanted):
    assert count_parameters(Model(48, 10, mixer)) == wanted


@pytest.mark.parametrize(
    "name", ["attention", "causal", "post", "convolution", "gru", "rnn", "window", "relative", "both ways"]
)
def test_reading_some_rows_is_reading_all_and_keeping_some(name):
    model = Model(7, 3, SMALL[name])
    ids, rows, _ = questions(np.random.default_rng(37), m=2)
    params = init_model(np.random.default_rng(0), model, np.float64)
    every, _ = read(ids, params, model)
    some, _ = read(ids, params, model, rows)
    np.testing.assert_allclose(some, np.take_along_axis(every, rows[..., None], axis=1), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "heard"),
    [
        ("attention", range(7)),
        ("window", range(2, 5)),
        ("both ways", range(7)),
        ("causal", range(4)),  # itself and what comes before
        ("gru", range(4)),
        ("rnn", range(4)),
        ("convolution", range(7)),  # 1 + 2 to each side
        ("flat", range(7)),
    ],
)
def test_which_words_can_change_what_is_read_at_the_fourth(name, heard):
    model = Model(7, 3, SMALL[name])
    params = init_model(np.random.default_rng(1), model, np.float64)
    ids = np.array([[1, 2, 3, 4, 5, 6, 0]])

    def logits(ids):
        return read(ids, params, model, [[3]])[0]

    changes = [place for place in range(7) if np.any(logits(other(ids, place)) != logits(ids))]
    assert changes == list(heard)


def other(ids, place):
    changed = ids.copy()
    changed[0, place] = (changed[0, place] + 1) % 7
    return changed


def test_a_convolution_hears_nothing_beyond_its_reach():
    settings = Convolution(d_model=6, dilations=(1, 1))
    model = Model(7, 3, settings)
    params = init_model(np.random.default_rng(2), model, np.float64)
    ids = np.array([[1, 2, 3, 4, 5, 6, 0]])
    before, _ = read(ids, params, model, [[3]])
    for place in range(7):
        same = np.array_equal(read(other(ids, place), params, model, [[3]])[0], before)
        assert same == (abs(place - 3) > settings.reach == 2)


def test_without_positions_the_order_of_the_words_after_the_first_changes_no_logit():
    ids = np.array([[0, 1, 5, 2], [0, 2, 5, 1], [0, 5, 1, 2]])
    first = np.zeros((3, 1), int)
    for base, equal in ((None, True), (100.0, False)):
        model = Model(7, 3, SMALL["attention"]._replace(base=base))
        logits, _ = read(ids, init_model(np.random.default_rng(19), model, np.float64), model, first)
        assert (np.abs(logits[1:] - logits[:1]).max() < 1e-12) == equal


def test_learn_says_loss_accuracy_and_gradient():
    """Two answers with logits 0 and 0 everywhere: the loss is ln 2, and the first answer counts as given."""
    model = Model(5, 2, SMALL["bare"])
    params = init_model(np.random.default_rng(3), model, np.float64)
    params = params._replace(w=np.zeros_like(params.w))
    learned = learn(params, model, [[1, 2], [3, 4]], [[0], [0]], [[0], [1]])
    assert learned.loss == pytest.approx(np.log(2)) and learned.accuracy == 0.5
    np.testing.assert_allclose(learned.dparams.b, [0, 0], atol=1e-15)  # each answer is wanted once


def test_wrong_shapes_are_told():
    model = Model(7, 3, SMALL["flat"])
    params = init_model(np.random.default_rng(0), model)
    with pytest.raises(ValueError, match=r"at most 8 words.*\(1, 9, 6\)"):
        read(np.zeros((1, 9), int), params, model, [[0]])
    with pytest.raises(ValueError, match="one row of each sentence"):
        read(np.zeros((1, 5), int), params, model, [[0, 1]])
    model = Model(7, 3, SMALL["attention"])
    with pytest.raises(ValueError, match="rows must be from 0 to 4; got 5"):
        read(np.zeros((1, 5), int), init_model(np.random.default_rng(0), model), model, [[5]])


@pytest.mark.parametrize("mixer", SMALL.values(), ids=SMALL)
def test_float32_stays_float32(mixer):
    model = Model(7, 3, mixer)
    params = init_model(np.random.default_rng(0), model)
    ids, rows, targets = questions(np.random.default_rng(41))
    logits, _ = read(ids, params, model, rows)
    learned = learn(params, model, ids, rows, targets)
    kinds = {leaf.dtype for leaf in [logits, *leaves(params), *leaves(learned.dparams)]}
    assert kinds == {np.dtype(np.float32)}
