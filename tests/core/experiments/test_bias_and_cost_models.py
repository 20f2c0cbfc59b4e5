"""The n x n scores of published models, from arithmetic done by hand."""

import pytest

from core.experiments.bias_and_cost_models import WHAT_IF, score_bytes
from core.published_models import BERT, GPT2, GPT3


@pytest.mark.parametrize(
    ("shape", "number", "one", "every"),
    [
        (BERT, 4, 2**20, 144 * 2**20),  # 512^2 = 2^18 numbers; 12 * 12 = 144 heads
        (GPT2, 2, 2 * 2**20, 288 * 2**20),
        (GPT3, 4, 16 * 2**20, 144 * 2**30),  # 96 * 96 = 9216 heads; 16 MiB * 9216 = 147,456 MiB
        (WHAT_IF[1], 2, 2**41, 9216 * 2**41),  # 2^20 tokens
    ],
)
def test_bytes_by_hand(shape, number, one, every):
    assert score_bytes(shape, number) == (one, every)


def test_what_if_changes_nothing_but_the_length():
    assert [shape._replace(name="gpt3", n=2048) for shape in WHAT_IF] == [GPT3, GPT3]
