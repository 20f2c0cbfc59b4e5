"""Data against assumptions: sizes by hand, recorded points once more, and what all of them must obey."""

import numpy as np
import pytest

from core.experiments import recorded
from core.experiments.bias_and_cost_data import (
    MIXERS,
    SEEDS,
    SIZES,
    SURE,
    WHOLE_SWEEPS,
    Point,
    ceiling,
    first_losses,
    n_parameters,
    steps_of,
    sweep,
    train_point,
)
from core.experiments.bias_and_cost_exam import (
    TEXTURE,
    make_exam,
    right,
    shares_right,
    where_heads_look,
)
from core.experiments.bias_and_cost_point import RECORDED, PointSnapshot, run
from core.learning.ask import NOUN_A, AskQuestions
from core.learning.mixers.heads import Heads
from core.learning.mixers.one_block import OneBlock
from core.learning.models import Model, init_model

NAMES = list(MIXERS)


def points_of(name):
    return recorded.load(f"bias_and_cost_data_{name}", Point).seen


def table(name, field="test"):  # -> (models, sizes, seeds)
    found = np.full((len(NAMES), len(SIZES), len(SEEDS)), np.nan)
    for point in points_of(name):
        found[point.model, SIZES.index(point.size), point.seed] = getattr(point, field)
    return found


# --- the models and the exam -------------------------------------------------------------------


def test_sizes_by_hand():
    """Shared: words 15 x 16, MLP 16 x 32 + 32 + 32 x 16 + 16, norms 3 x 32, out 16 x 4 + 4."""
    shared = 240 + 1072 + 96 + 68
    assert n_parameters(0.0, "conv") == shared + 1024 + 16 == 2516
    assert n_parameters(0.0, "relative") == 2516 + 2 * 23
    assert n_parameters(0.0, "absolute") == 2516 + 12 * 16
    assert n_parameters(0.0, "rnn") == shared + 2 * (16 * 12 + 12 * 12 + 12) + 24 * 16 + 16
    assert n_parameters(0.0, "mlp") == 240 + 192 * 24 + 24 + 24 * 4 + 4 == 4972


def test_more_examples_contain_the_fewer_and_all_are_asked_the_same():
    few, many = make_exam(0.5, 64, 3), make_exam(0.5, 512, 3)
    np.testing.assert_array_equal(few.examples.ids, many.examples.ids[:64])
    np.testing.assert_array_equal(few.new.ids, many.new.ids)
    assert not np.array_equal(few.new.ids, make_exam(0.5, 64, 4).new.ids)
    distance = np.abs(few.by_distance.asks - few.by_distance.looks)
    np.testing.assert_array_equal(distance, np.repeat(np.arange(1, 12), 100))


def test_where_heads_look_by_hand():
    """Heads that add 60 to one distance look there: the left neighbour, and the word three to the right."""
    model = Model(15, 4, OneBlock(Heads(n_heads=2, n_relative=12)))
    params = init_model(np.random.default_rng(0), model, np.float64)
    params.mixer.link.distance[0, 11 - 1] = params.mixer.link.distance[1, 11 + 3] = 60.0
    ids = np.zeros((2, 12), int)
    ids[:, 7] = NOUN_A
    ids[0, 4], ids[1, 4] = (
        12,
        13,
    )  # asked for the left neighbour, and for noun A, which stands three further on
    asked = AskQuestions(ids, np.array([4, 4]), np.array([3, 7]))
    on_target, reach = where_heads_look(asked, params, model)
    np.testing.assert_allclose(on_target, [[1, 0], [0, 1]], atol=1e-9)
    np.testing.assert_allclose(reach, [[1, 3], [1, 3]], atol=1e-9)


def test_a_model_that_knows_nothing_guesses():
    exam = make_exam(0.0, 512, 0)
    model = Model(15, 4, MIXERS["conv"])
    params = init_model(np.random.default_rng(1), model)
    answers = right(exam.new, params._replace(w=np.zeros_like(params.w)), model)  # always the first
    assert answers.mean() == (exam.new.targets == 0).mean()
    assert shares_right(exam, params, model)[1] == pytest.approx(0.25, abs=0.08)


# --- training ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sweep_name", "name", "size", "seed"),
    [
        ("local", "conv", 32, 0),
        ("far", "relative", 64, 1),
        ("mixed", "rnn", 16, 2),
        ("texture", "conv", 64, 3),
    ],
)
def test_recorded_points_again(sweep_name, name, size, seed):
    """Another kernel of the same library may go its own way in the last digits, not in the outcome."""
    task, *_ = WHOLE_SWEEPS[sweep_name]
    there = next(p for p in points_of(sweep_name) if (NAMES[p.model], p.size, p.seed) == (name, size, seed))
    n_steps, here = train_point(task, name, size, seed, thorough=True)
    assert n_steps == there.n_steps
    assert (here.train, here.test) == (
        pytest.approx(there.train, abs=0.02),
        pytest.approx(there.test, abs=0.05),
    )


def test_what_is_trained_here_ends_when_its_loss_is_small():
    *_, last = steps_of(0.0, "conv", 32, 0)
    assert last.number < 300 and last.loss < 2 * SURE
    short, found = train_point(0.0, "conv", 32, 0)
    assert short == last.number and found.test == pytest.approx(
        train_point(0.0, "conv", 32, 0, True)[1].test, abs=0.05
    )


def test_a_sweep_goes_from_few_examples_to_many():
    points = list(sweep(0.0, ("conv", "rnn"), (16, 32), (0,)))
    assert [(NAMES[p.model], p.size, p.step, p.end) for p in points] == [
        ("conv", 16, 1, 4),
        ("rnn", 16, 2, 4),
        ("conv", 32, 3, 4),
        ("rnn", 32, 4, 4),
    ]
    assert len(first_losses(*WHOLE_SWEEPS["local"])) == 10


@pytest.mark.parametrize("settings", RECORDED)
def test_single_points_end_as_the_sweep_has_them(settings):
    """One training from near is the same training: its last look is the point of the whole sweep."""
    task, name, size, seed = settings
    file = next(file for file, (of, *_) in WHOLE_SWEEPS.items() if of == task)
    point = next(p for p in points_of(file) if (NAMES[p.model], p.size, p.seed) == (name, size, seed))
    last = recorded.load(RECORDED[settings], PointSnapshot).seen[-1]
    assert (last.step, last.accuracy) == (point.n_steps, pytest.approx(point.train, abs=1e-6))
    assert last.test == pytest.approx(point.test, abs=1e-6)


def test_a_point_is_looked_at_twenty_times():
    seen = list(run(0.0, "conv", 16, 0))
    assert [shot.step for shot in seen] == list(range(0, 301, 15))
    assert np.isnan(seen[0].loss) and seen[-1].accuracy == 1


# --- what the recorded sweeps must obey --------------------------------------------------------


def needed(shares):  # (sizes, seeds) -> (seeds,)
    return [next((n for n, share in zip(SIZES, own, strict=True) if share >= 0.9), 8192) for own in shares.T]


def test_fewer_assumptions_need_more_examples_in_every_seed():
    needs = dict(zip(NAMES, map(needed, table("local")), strict=True))
    assert max(needs["conv"]) <= 64 and max(needs["relative"]) <= 256
    assert max(needs["absolute"]) <= 1024 and min(needs["mlp"]) >= 2048
    for one in zip(*(needs[name] for name in ("conv", "relative", "absolute", "mlp")), strict=True):
        assert list(one) == sorted(one)


def test_the_window_never_knows_more_than_it_can():
    for name, far in (("far", 1.0), ("mixed", 0.5)):
        assert np.nanmax(table(name)[NAMES.index("conv")]) <= ceiling(far) + 0.03
    assert np.nanmax(table("texture")) <= ceiling(TEXTURE) + 0.01


def test_what_does_not_carry_over_was_learned_all_the_same():
    """The gap is no failed optimisation: all attention models answer their own local and far examples."""
    for name in ("local", "far"):
        for model in ("relative", "absolute"):
            assert table(name, "train")[NAMES.index(model)].min() > 0.98
