"""Page 5: the n x n scores of published models, and their share of a block's arithmetic, by formula."""

from typing import NamedTuple

from core.published_models import BERT, GPT2, GPT3

MODELS = (BERT, GPT2, GPT3)
# Longer inputs for the shape of GPT-3: nobody published these.
WHAT_IF = (GPT3._replace(name="what_if_128k", n=2**17), GPT3._replace(name="what_if_1m", n=2**20))


class ScoreBytes(NamedTuple):
    """Memory of n x n scores."""

    one: int  # of one head in one layer
    every: int  # of all heads in all layers


def score_bytes(shape, number):
    """Count the bytes of a model's scores, if one number takes `number` bytes."""
    one = shape.n * shape.n * number
    return ScoreBytes(one, one * shape.n_heads * shape.n_layers)
