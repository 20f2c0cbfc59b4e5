"""Published models counted from their shapes: against released checkpoints, by hand, on our own blocks."""

import numpy as np
import pytest

from core.blocks.encoder_block import init_block
from core.blocks.encoder_stack import StackParams, encoder_stack
from core.blocks.kv_cache import causal_attention_step, empty_cache
from core.blocks.sublayer import NormParams
from core.experiments.block_anatomy_stack import (
    Operations,
    Parameters,
    cache_bytes,
    one_token,
    parameters_by_part,
    with_vocabulary,
)
from core.published_models import BERT, GPT1_VOCABULARY, GPT2, GPT2_XL, GPT3, PUBLISHED, Shape, as_number

# Entries of the released checkpoints; of GPT-3, which is not released, the result of the formula.
COUNTS = {
    "gpt2": 124_439_808,
    "gpt2_medium": 354_823_168,
    "gpt2_large": 774_030_080,
    "gpt2_xl": 1_557_611_200,
    "bert": 109_482_240,
    "bert_large": 335_141_888,
    "gpt3": 174_604_259_328,
}
by_model = pytest.mark.parametrize("published", PUBLISHED, ids=lambda one: one.shape.name)


@by_model
def test_all_parts_together_are_the_released_checkpoint(published):
    total = sum(parameters_by_part(published.shape))
    assert total == COUNTS[published.shape.name]
    assert published.released == (None if published.shape == GPT3 else total)


def test_parts_by_hand():
    """d = 2, so d_ff = 8: four 2 x 2 with shifts are 24, 2 x 8 and 8 x 2 with theirs 42, a norm is 4."""
    assert parameters_by_part(Shape("tiny", 5, 3, 1, 2, 7)) == Parameters(14, 10, 0, 72, 126, 28, 0)
    bert = Shape("tiny", 5, 3, 1, 2, 7, is_causal=False, n_segments=2, has_pooler=True)
    assert parameters_by_part(bert) == Parameters(14, 10, 4, 72, 126, 28, 6)


def arrays_of(params):
    """All arrays of nested parameters."""
    if isinstance(params, np.ndarray):
        return [params]
    return [array for part in params for array in arrays_of(part)]


@pytest.mark.parametrize(("n_layers", "d", "n_heads"), [(1, 4, 1), (2, 12, 3), (3, 8, 4)])
def test_our_own_stack_has_as_many(n_layers, d, n_heads):
    """The blocks of `core`, which do run, are counted array by array."""
    shape = Shape("ours", 6, n_layers, n_heads, d, vocabulary=11)
    rng = np.random.default_rng(0)
    blocks = tuple(init_block(rng, d, n_heads, shape.d_ff) for _ in range(n_layers))
    stack = StackParams(blocks, NormParams(np.ones(d), np.zeros(d)))
    assert encoder_stack(rng.standard_normal((shape.n, d)), stack, n_heads)[0].shape == (shape.n, d)
    tables = rng.standard_normal((shape.vocabulary, d)), rng.standard_normal((shape.n, d))
    found = parameters_by_part(shape)
    assert sum(found) == sum(array.size for array in arrays_of((tables, stack)))
    assert found.attention == sum(array.size for block in blocks for array in block.attention)
    assert found.mlp == sum(array.size for block in blocks for array in block.mlp)


def test_shapes_as_printed():
    """Layers and widths of table 2 (GPT-2), section 3 (BERT) and table 2.1 (GPT-3)."""
    shapes = {one.shape.name: (one.shape.n_layers, one.shape.d_model) for one in PUBLISHED}
    assert shapes == {
        "gpt2": (12, 768),
        "gpt2_medium": (24, 1024),
        "gpt2_large": (36, 1280),
        "gpt2_xl": (48, 1600),
        "bert": (12, 768),
        "bert_large": (24, 1024),
        "gpt3": (96, 12_288),
    }
    for one in PUBLISHED:
        width = 128 if one.shape == GPT3 else 64  # of a head: d_head in table 2.1 and the released settings
        assert one.shape.n_heads * width == one.shape.d_model


# --- the papers' figures ---------------------------------------------------------------------------


def test_printed_figures_are_read():
    assert [as_number(text) for text in ("117M", "1542M", "175.0B")] == [117_000_000, 1_542_000_000, 175e9]


def test_what_the_papers_print_is_near_and_no_count():
    """BERT's are rounded to ten millions, GPT-3's to billions; GPT-2's are further off than that."""
    gap = {one.shape.name: COUNTS[one.shape.name] - as_number(one.printed) for one in PUBLISHED}
    assert all(abs(gap[name]) < 5e6 for name in ("bert", "bert_large"))
    assert abs(gap["gpt3"]) < 5e8
    assert round(gap["gpt3"] / 1e8) == -4  # so it is no rounding to one decimal
    assert [round(gap[name] / 1e5) for name in ("gpt2", "gpt2_medium", "gpt2_large", "gpt2_xl")] == [
        74,
        98,
        120,
        156,
    ]


def test_all_four_figures_of_gpt2_fit_the_vocabulary_of_gpt1():
    """By hand for the small one: 124,439,808 - (50,257 - 40,478) * 768 = 116,929,536."""
    counts = with_vocabulary(GPT1_VOCABULARY)
    assert counts[0] == 116_929_536
    assert [f"{count / 1e6:.0f}M" for count in counts] == [one.printed for one in PUBLISHED[:4]]
    assert with_vocabulary(GPT2.vocabulary) == tuple(COUNTS[one.shape.name] for one in PUBLISHED[:4])


# --- one more token --------------------------------------------------------------------------------


def test_operations_by_hand():
    """d = 2: 8 * 4 = 32 and 4 * 2 * 8 = 64 a layer, 4 * 5 * 2 = 40 for five tokens; 2 * 2 * 7 to read out."""
    shape = Shape("tiny", 5, 3, 1, 2, 7)
    assert one_token(shape, 5) == Operations(96, 192, 120, 28)
    assert one_token(shape._replace(is_causal=False), 5).read_out == 0


@by_model
def test_a_block_costs_24_d_d_and_the_rest_grows_with_the_context(published):
    shape = published.shape
    one, two = one_token(shape, 1), one_token(shape, 2)
    assert one.projections + one.mlp == 24 * shape.n_layers * shape.d_model**2
    assert two.looking == 2 * one.looking
    assert two._replace(looking=0) == one._replace(looking=0)
    # Two operations for every entry of a matrix that a token is multiplied with.
    parts, shifts = parameters_by_part(shape), 9 * shape.n_layers * shape.d_model
    assert one.projections + one.mlp == 2 * (parts.attention + parts.mlp - shifts)


@pytest.mark.parametrize("n", [0, 1025])
def test_a_model_reads_no_more_than_its_positions(n):
    with pytest.raises(ValueError, match="gpt2 reads 1 to 1024 tokens"):
        one_token(GPT2, n)


def test_cache_by_hand():
    assert cache_bytes(GPT2, 2) == 36 * 1024  # 2 * 12 * 768 * 2
    assert cache_bytes(GPT3, 2) * GPT3.n == 9 * 2**30  # 4.5 MiB a token
    assert cache_bytes(GPT2_XL, 4) == 2 * cache_bytes(GPT2_XL, 2)
    with pytest.raises(ValueError, match="bert looks both ways"):
        cache_bytes(BERT, 2)


def test_the_cache_of_our_own_blocks_is_as_large():
    shape = Shape("ours", 6, 2, 2, 8, vocabulary=11)
    block = init_block(np.random.default_rng(0), 8, 2, 32, dtype=np.float32).attention
    x = np.zeros((1, 8), np.float32)
    _, cache = causal_attention_step(x, block, 2, empty_cache(block, 2))
    assert cache_bytes(shape, number=4) == shape.n_layers * cache.n_bytes
