"""What is measured of blocks, skipping and the cache: the records, at tiny sizes. No test asks how long."""

import numpy as np

from core.blocks.attention import scaled_dot_product_attention
from core.costs_saved import in_blocks, long_input, one_more_token, projections, skipping, step_seconds
from core.timing import peak_bytes


def test_every_block_at_every_size_and_how_far_from_plain_attention():
    records = list(in_blocks(sizes=(5, 7), blocks=(2, 3), d=3))
    assert [(r["n"], r["block"]) for r in records] == [(5, 2), (5, 3), (7, 2), (7, 3)]
    assert {r["kind"] for r in records} == {"blocked"}
    assert all(r["seconds"] > 0 and r["bytes"] > 0 for r in records)
    assert all(r["difference"] < 1e-6 for r in records)


def test_a_long_input_never_holds_all_scores():
    (record,) = long_input(n=1024, block=64, d=4)
    assert record["n"] == 1024
    assert record["bytes"] < 1024 * 1024 * 4 / 4  # a quarter of the scores alone
    x = np.zeros((1024, 4), np.float32)
    assert peak_bytes(lambda: scaled_dot_product_attention(x, x, x)) > 1024 * 1024 * 4


def test_blocks_that_are_left():
    # 7 tokens in blocks of 3 are 3 x 3 blocks, 1 + 2 + 3 = 6 on the diagonal and below; of 2, 4 x 4 and 10.
    records = list(skipping(n=7, blocks=(3, 2), d=3, rounds=1))
    assert [(r["block"], r["causal_blocks"], r["full_blocks"]) for r in records] == [(3, 6, 9), (2, 10, 16)]
    assert all(r["causal_seconds"] > 0 and r["full_seconds"] > 0 for r in records)


def test_one_more_token_again_and_with_the_cache():
    records = list(one_more_token(places=(2, 5), d=3))
    assert [(r["kind"], r["t"]) for r in records] == [("token", 2), ("token", 5)]
    assert all(r["again"] > 0 and r["cached"] > 0 for r in records)


def test_the_first_token_finds_an_empty_cache():
    rng = np.random.default_rng(0)
    assert step_seconds(1, projections(rng, 3), rng, bundle=2, n_bundles=1) > 0
