"""Reading the records of blocks, skipping and the cache, and the counts beside them."""

import numpy as np
import pytest

from core.blocks.masks import causal_mask
from core.costs_saved import LONG
from core.experiments.bias_and_cost import Measured
from core.experiments.bias_and_cost_savings import (
    at,
    blocked_by_length,
    cache_difference,
    count_blocks,
    counted_share,
    from_length,
    largest_difference,
    longest,
    saved,
    skipped,
    step_bill,
    steps,
    stored_bytes,
    tiles,
    time_share,
)

RECORDS = [
    {"machine": {}},
    {"layer": "conv", "n": 16, "seconds": 1.0, "bytes": 2},
    {"kind": "blocked", "n": 256, "block": 128, "seconds": 0.5, "bytes": 70, "difference": 2e-7},
    {"kind": "blocked", "n": 256, "block": 256, "seconds": 0.25, "bytes": 90, "difference": 3e-7},
    {"kind": "blocked", "n": 512, "block": 128, "seconds": 2.0, "bytes": 80},
    {"kind": "token", "t": 64, "again": 4e-4, "cached": 1e-4},
    {
        "kind": "skipping",
        "n": 2048,
        "block": 1024,
        "causal_blocks": 3,
        "full_blocks": 4,
        "causal_seconds": 0.9,
        "full_seconds": 1.0,
    },
]


def test_blocked_attention_by_size_of_the_block():
    found = blocked_by_length(RECORDS, 128)
    np.testing.assert_array_equal(found.n, [256, 512])
    np.testing.assert_array_equal(found.seconds, [0.5, 2])
    np.testing.assert_array_equal(found.bytes, [70, 80])
    assert at(found, 512) == (512, 2, 80)
    assert blocked_by_length([], 128).n.shape == (0,)


def test_the_largest_difference_of_all():
    assert largest_difference(RECORDS) == 3e-7
    assert largest_difference([]) is None


def test_the_longest_input_without_its_output():
    # The output is 16,384 * 64 numbers of 4 bytes: 4,194,304.
    record = {"kind": "blocked", "n": LONG, "block": 256, "seconds": 1.5, "bytes": 4_194_304 + 1000}
    assert longest([*RECORDS, record]) == (16_384, 1.5, 1000)
    assert longest(RECORDS) is None


def test_lengths_from_a_first_one_on():
    measured = Measured(*(np.array([16.0, 256, 512]) for _ in range(3)))
    np.testing.assert_array_equal(from_length(measured, 256).seconds, [256, 512])


def test_the_share_of_time_at_the_longest_length_of_both():
    part = Measured(np.array([3.0, 5, 7]), np.array([1.0, 2, 6]), np.zeros(3))
    whole = Measured(np.array([3.0, 5]), np.array([2.0, 8]), np.zeros(2))
    assert time_share(part, whole) == (5, 0.25)
    nothing = Measured(*np.zeros((3, 0)))
    assert time_share(part, nothing) is None


def test_two_square_arrays():
    assert stored_bytes(4096) == 2 * 4096 * 4096 * 4  # 128 MiB
    assert stored_bytes(4096) == 128 * 2**20


@pytest.mark.parametrize(("n", "block"), [(6, 2), (15, 5), (8, 8)])
def test_tiles_are_the_means_of_the_causal_mask(n, block):
    count = n // block
    expected = causal_mask(n).reshape(count, block, count, block).mean(axis=(1, 3))
    np.testing.assert_allclose(tiles(n, block), expected)
    assert count_blocks(n, block) == ((expected > 0).sum(), count * count)


def test_the_counted_share():
    assert counted_share(2048, 1024) == 3 / 4
    assert counted_share(7, 3) == 6 / 9  # the last block is a shorter one


def test_skipped_blocks_and_time():
    found = skipped(RECORDS)
    assert [list(column) for column in found] == [[1024], [0.75], [0.9]]


def test_one_more_token():
    assert [list(column) for column in steps(RECORDS)] == [[64], [4e-4], [1e-4]]
    # t = 7, d = 5: 8 * 7 * 25 + 4 * 49 * 5 = 1400 + 980; 8 * 25 + 4 * 7 * 5 = 340; 2 * 7 * 5 numbers of 4.
    assert step_bill(7, 5) == (2380, 340, 280)
    assert step_bill(7, 5).again == 7 * step_bill(7, 5).cached  # exactly t


def test_what_the_cache_saves_of_a_token_that_was_timed():
    assert saved(steps(RECORDS), 64) == pytest.approx(4)  # 4e-4 / 1e-4
    assert saved(steps(RECORDS), 128) is None


def test_word_by_word_is_what_the_whole_text_gives():
    assert 0 < cache_difference(n=24) < 1e-5
