"""The loop on a problem small enough to do by hand."""

import numpy as np

from core.learning.optimisers import Sgd
from core.learning.training import random_batches, train


def half_square(params, target):
    """loss = (w - target)^2 / 2, so the gradient is w - target."""
    (w,) = params
    miss = w - target
    return float((miss**2).sum() / 2), (miss,)


def test_train_steps_down_the_gradient():
    """w = 8, target 2, rate 1/2: the distance 6 is halved at each step, to 3 and 1.5."""
    start = (np.array([8.0]),)
    batches = [(np.array([2.0]),)] * 2
    seen = [float(params[0][0]) for params in train(start, half_square, batches, Sgd(0.5))]
    assert seen == [8.0, 5.0, 3.5]
    assert start[0][0] == 8.0  # the start is left as it was


def test_random_batches_keep_rows_together():
    ids, targets = np.arange(7), np.arange(7) * 10
    batches = list(random_batches(np.random.default_rng(3), (ids, targets), 5, 11))
    assert len(batches) == 5
    for some, answers in batches:
        assert some.shape == (11,)
        np.testing.assert_array_equal(answers, some * 10)
    assert len({int(i) for some, _ in batches for i in some}) == 7  # 55 draws miss one of 7 with 0.1 %
