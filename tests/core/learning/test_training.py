"""The loop on a problem small enough to do by hand."""

import numpy as np
import pytest

from core.learning.optimisers import Sgd
from core.learning.training import Constant, UntilLearned, random_batches, train


def half_square(params, target):
    """loss = (w - target)^2 / 2, so the gradient is w - target."""
    (w,) = params
    miss = w - target
    return float((miss**2).sum() / 2), 1.0, (miss,)


def test_train_steps_down_the_gradient():
    """w = 8, target 2, rate 1/2: the distance 6 is halved at each step, to 3 and 1.5."""
    start = (np.array([8.0]),)
    batches = [(np.array([2.0]),)] * 2
    seen = [
        (step.number, float(step.params[0][0]), step.loss, step.grad_norm)
        for step in train(start, half_square, batches, Sgd(0.5))
    ]
    assert seen[1:] == [(1, 5.0, 18.0, 6.0), (2, 3.5, 4.5, 3.0)]
    assert seen[0][:2] == (0, 8.0) and np.isnan(seen[0][2:]).all()
    assert start[0][0] == 8.0  # the start is left as it was


def test_a_long_gradient_is_shortened_before_the_step():
    """The gradient 6 becomes 2: w = 8 - 0.5 * 2; its own length is told."""
    steps = list(train((np.array([8.0]),), half_square, [(np.array([2.0]),)], Sgd(0.5), max_norm=2.0))
    assert steps[1].grad_norm == 6.0
    assert steps[1].params[0][0] == pytest.approx(7.0, abs=1e-5)  # 1e-6 stands in the clipping's divisor


def test_the_schedule_multiplies_the_rate_and_ends_the_training():
    batches = [(np.array([2.0]),)] * 9
    schedule = UntilLearned(most=9, warm_up=2, wanted=0.4, decay=3, keep=0.5)
    optimiser = Sgd(1.0)
    run = train((np.array([8.0]),), half_square, batches, optimiser, schedule)
    numbers, rates = zip(*((step.number, optimiser.lr) for step in run), strict=True)
    # The mean of the accuracy is 0.5 after step 1: learned there; three more steps with 3/4, 2/4, 1/4.
    assert (schedule.learned_at, schedule.end, numbers[-1]) == (1, 4, 4)
    np.testing.assert_allclose(rates[1:], [0.5, 0.75, 0.5, 0.25])


def test_what_is_never_learned_ends_with_the_most_steps():
    schedule = UntilLearned(most=3)
    assert [schedule.is_over(number, 0.5) for number in (1, 2, 3)] == [False, False, True]
    assert [UntilLearned().factor(number) for number in (25, 50, 51, 2000)] == [0.5, 1.0, 1.0, 1.0]
    assert Constant(2).factor(1) == 1 and [Constant(2).is_over(n, 1.0) for n in (1, 2)] == [False, True]


def test_random_batches_keep_rows_together():
    ids, targets = np.arange(7), np.arange(7) * 10
    batches = list(random_batches(np.random.default_rng(3), (ids, targets), 5, 11))
    assert len(batches) == 5
    for some, answers in batches:
        assert some.shape == (11,)
        np.testing.assert_array_equal(answers, some * 10)
    assert len({int(i) for some, _ in batches for i in some}) == 7  # 55 draws miss one of 7 with 0.1 %
