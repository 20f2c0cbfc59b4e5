"""Page 4: the block as published models stack it: parameters by part, and what one more token costs.

Everything is counted from the shape, in exact integers. A multiply-add counts as two operations; shifts,
norms and softmax are left out of them: they are few beside the products of matrices.
"""

from typing import NamedTuple

from core.published_models import PUBLISHED


class Parameters(NamedTuple):
    """How many numbers each part of a model learns."""

    tokens: int  # one row a token; GPT reads its scores with the same table
    positions: int
    segments: int
    attention: int  # W_q, W_k, W_v, W_o of all blocks, with their shifts
    mlp: int
    norms: int  # two a block and one more: after GPT's blocks, or after BERT's tables
    pooler: int


def parameters_by_part(shape):  # Shape -> Parameters
    """Count a model's parameters from its shape.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), sections 3.1 to 3.4; Radford et al. (2019), section
    2.3; Devlin et al. (2018), figure 2.
    """
    d, d_ff, n_layers = shape.d_model, shape.d_ff, shape.n_layers
    return Parameters(
        tokens=shape.vocabulary * d,
        positions=shape.n * d,
        segments=shape.n_segments * d,
        attention=n_layers * 4 * (d * d + d),
        mlp=n_layers * (d * d_ff + d_ff + d_ff * d + d),
        norms=(2 * n_layers + 1) * 2 * d,
        pooler=d * d + d if shape.has_pooler else 0,
    )


class Operations(NamedTuple):
    """What one token costs on its way through a model."""

    projections: int  # to query, key, value, and from the heads' output
    mlp: int
    looking: int  # its query with every key, and the blend of all values
    read_out: int  # a score for every token that might come next; 0 for BERT, which guesses hidden words only


def one_token(shape, n):  # Shape, int -> Operations
    """Count the operations of one token that looks at `n` tokens, itself among them.

    GPT keeps the keys and values of those before it, so this is the price of one more token. In BERT all see
    the newcomer: all `n` have to go through again, at this price each. Only products with matrices count: no
    shifts, norms and softmax, and not the pooler of BERT, which works once a text.

    Raises
    ------
    ValueError
        If the model does not read so many tokens.
    """
    if not 1 <= n <= shape.n:
        raise ValueError(f"{shape.name} reads 1 to {shape.n} tokens; got {n}")
    d, n_layers = shape.d_model, shape.n_layers
    return Operations(
        projections=n_layers * 8 * d * d,
        mlp=n_layers * 4 * d * shape.d_ff,
        looking=n_layers * 4 * n * d,
        read_out=2 * d * shape.vocabulary if shape.is_causal else 0,
    )


def cache_bytes(shape, number):  # Shape, int -> int
    """Count the bytes that one token leaves in the cache: a key and a value a layer, `number` bytes a number.

    Raises
    ------
    ValueError
        If the model has no causal mask: old keys and values change with every new token, none can be kept.
    """
    if not shape.is_causal:
        raise ValueError(f"{shape.name} looks both ways; it has nothing to keep")
    return 2 * shape.n_layers * shape.d_model * number


def with_vocabulary(vocabulary):  # int -> tuple of int
    """Count the four GPT-2 as if they knew so many tokens."""
    shapes = (one.shape for one in PUBLISHED if one.shape.name.startswith("gpt2"))
    return tuple(sum(parameters_by_part(shape._replace(vocabulary=vocabulary))) for shape in shapes)
