"""Log-sum-exp: by hand, far numbers, gradients."""

import math

import numpy as np

from core.blocks.log_sum_exp import log_sum_exp, log_sum_exp_backward
from tests.core.gradient_check import check_gradients


def test_by_hand():
    # exp: 1 + 2 + 5 = 8; the shares are the slopes
    out, cache = log_sum_exp([0.0, math.log(2), math.log(5)])
    np.testing.assert_allclose(out, math.log(8), rtol=1e-15)
    np.testing.assert_allclose(log_sum_exp_backward(2.0, cache), [2 / 8, 4 / 8, 10 / 8], rtol=1e-14)


def test_far_numbers_and_no_entries():
    out, _ = log_sum_exp([[1e4, 1e4], [-1e4, -1e4], [-np.inf, 3], [-np.inf, -np.inf]])
    np.testing.assert_allclose(out, [1e4 + math.log(2), -1e4 + math.log(2), 3, -np.inf], rtol=1e-15)
    np.testing.assert_array_equal(log_sum_exp(np.ones((2, 0)))[0], [-np.inf, -np.inf])


def test_gradients():
    rng = np.random.default_rng(109)
    check_gradients(log_sum_exp, log_sum_exp_backward, [rng.standard_normal((2, 3, 5))], rng)
