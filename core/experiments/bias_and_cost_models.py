"""Page 5: the n x n scores of published models, and their share of a block's arithmetic, by formula."""

from typing import NamedTuple


class Shape(NamedTuple):
    """The numbers of a published model that its attention depends on."""

    name: str
    n: int  # tokens it reads at most
    n_layers: int
    n_heads: int
    d_model: int


# GPT-2: Radford et al. (2019), table 2 and section 2.3; its 12 heads stand in the released settings.
# BERT: Devlin et al. (2018), section 3, its 512 positions appendix A.2. GPT-3: Brown et al. (2020), table 2.1
# and section 2.1; its layers are dense and sparse in turn, here all of them are counted as dense.
GPT2 = Shape("gpt2", 1024, 12, 12, 768)
BERT = Shape("bert", 512, 12, 12, 768)
GPT3 = Shape("gpt3", 2048, 96, 96, 12_288)
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


def in_units(n_bytes):
    """Return (amount, unit) in the largest unit that leaves 1 or more: 2**20 bytes are (1.0, "MiB")."""
    units = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
    power = min(max(int(n_bytes).bit_length() - 1, 0) // 10, len(units) - 1)
    return n_bytes / 2 ** (10 * power), units[power]
