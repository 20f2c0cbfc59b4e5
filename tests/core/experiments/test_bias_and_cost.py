"""Page 5 against hand calculations and against power laws whose answers are known."""

import numpy as np
import pytest

from core.experiments.bias_and_cost import (
    Measured,
    bill,
    collect,
    crossover,
    fit_exponent,
    operations_by_n,
    speed,
)

N = 2.0 ** np.arange(4, 13)  # 16 ... 4096


def test_the_bill_of_the_lecture_in_numbers():
    costs = bill(1024, 64, 3)
    assert costs["attention"].operations == 268_435_456  # 4 * 1024^2 * 64 = 2^28
    assert costs["rnn"].operations == 16_777_216  # 4 * 1024 * 64^2 = 2^24, a sixteenth: n / d = 16
    assert costs["conv"].operations == costs["dilated"].operations == 25_165_824  # 2 * 3 * 2^10 * 2^12
    assert [costs[name].longest_path for name in costs] == [1, 1024, 1023, 7]
    assert [costs[name].serial_steps for name in costs] == [1, 1024, 1, 1]


def test_operations_grow_by_the_square_and_in_proportion():
    by_n = operations_by_n((7, 14), 5, 3)
    assert by_n == {"attention": [980, 3920], "rnn": [700, 1400], "conv": [1050, 2100]}
    # With projections: 980 + 8 * 7 * 25 and 3920 + 8 * 14 * 25.
    assert operations_by_n((7, 14), 5, 3, projections=True)["attention"] == [2380, 6720]


def test_fit_finds_the_exponent_of_a_power_law():
    law = fit_exponent(N, 3e-7 * N**2)
    assert law == pytest.approx((2, 3e-7))
    np.testing.assert_allclose(law.at([256, 1000]), [0.019_660_8, 0.3])  # 3e-7 * 65,536 and 3e-7 * 10^6


def test_fit_does_not_look_below_its_first_length():
    y = np.where(N < 256, 1.0, 5 * N)  # a constant cost of calling hides the growth of short inputs
    assert fit_exponent(N, y).exponent == pytest.approx(1)
    assert fit_exponent(N, y, n_from=16).exponent > 1.5


def test_least_squares_on_logarithms_by_hand():
    # log2 n = 8, 9, 10 and log2 y = 0, 1, 4: slope = (-1 * 0 + 0 * 1 + 1 * 4) / 2 = 2.
    assert fit_exponent(np.array([256, 512, 1024]), np.array([1, 2, 16])).exponent == pytest.approx(2)


@pytest.mark.parametrize("n", [[], [16, 32, 64, 128], [64, 128, 256]])
def test_no_exponent_from_fewer_than_two_points(n):
    n = np.array(n, float)
    assert fit_exponent(n, n) is None


def test_two_power_laws_cross_where_algebra_says():
    # n^2 = 100 n at n = 100, between the measured 64 and 128; exact, for both are straight on these axes.
    assert crossover(N, N**2, 100 * N) == pytest.approx(100)
    assert crossover(N, N**2.5, 8000 * N) == pytest.approx(400)  # 400^1.5 = 8000


def test_a_crossing_at_a_measured_length_is_that_length():
    assert crossover(N, N**2, 256 * N) == pytest.approx(256)


def test_no_crossing_in_range():
    assert crossover(N, N**2, 5 * N) is None  # dearer from the first length on: they meet at 5
    assert crossover(N, N**2, 10_000 * N) is None  # still cheaper at the last: they meet at 10,000
    assert crossover(N[:0], N[:0], N[:0]) is None


def test_only_the_last_crossing_counts():
    """A disturbed measurement at the start may cross there too; it is the last one that holds for good."""
    a = N**2
    a[0] = 1e5  # above 100 * 16 for once
    assert crossover(N, a, 100 * N) == pytest.approx(100)


RECORDS = [
    {"layer": "attention", "n": 16, "seconds": 0.5, "bytes": 70},
    {"layer": "rnn", "n": 16, "seconds": 0.25, "bytes": 30},
    {"layer": "attention", "n": 32, "seconds": 2.0, "bytes": 280},
    {"layer": "attention", "n": 16, "seconds": 0.375, "bytes": 70},  # a second round, quicker
    {"machine": {"numpy": "2.4"}},
]


def test_records_are_sorted_by_layer():
    measured, machine = collect(RECORDS)
    np.testing.assert_array_equal(measured["attention"].n, [16, 32])
    np.testing.assert_array_equal(measured["attention"].seconds, [0.375, 2])
    np.testing.assert_array_equal(measured["attention"].bytes, [70, 280])
    np.testing.assert_array_equal(measured["rnn"].n, [16])
    assert measured["conv"].n.size == 0
    assert machine == {"numpy": "2.4"}


def test_nothing_measured_yet():
    measured, machine = collect([])
    assert list(measured) == ["attention", "rnn", "conv"]
    assert all(column.shape == (0,) for some in measured.values() for column in some)
    assert machine is None


def test_speed_is_operations_by_time():
    measured = Measured(np.array([7.0]), np.array([0.5]), np.array([1.0]))
    assert speed(measured, [10**9]) == pytest.approx([2])  # 10^9 in half a second
