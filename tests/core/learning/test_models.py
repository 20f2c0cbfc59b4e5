"""The reader of one block against its central differences, and what it can and cannot know of order."""

import numpy as np
import pytest

from core.blocks.losses import cross_entropy, cross_entropy_backward
from core.blocks.positions import sinusoidal_positions
from core.learning.models import init_reader, read, read_backward
from core.learning.parameters import leaves
from tests.core.gradient_check import check_gradients

SIZES = {"n_vocab": 7, "n_classes": 3, "d_model": 10, "n_heads": 2, "d_ff": 11}


@pytest.mark.parametrize("with_positions", [True, False])
def test_every_parameter_has_the_gradient_that_differences_find(with_positions):
    rng = np.random.default_rng(17)
    params = init_reader(rng, **SIZES)
    ids, targets = rng.integers(7, size=(5, 4)), rng.integers(3, size=5)
    positions = sinusoidal_positions(4, 10) if with_positions else None

    def forward(params):
        logits, cache = read(ids, params, 2, positions)
        loss, loss_cache = cross_entropy(logits, targets)
        return loss, (cache, loss_cache)

    def backward(dout, caches):
        cache, loss_cache = caches
        return read_backward(cross_entropy_backward(dout, loss_cache), cache)

    assert check_gradients(forward, backward, (params,), rng) < 1e-7


def test_number_of_parameters():
    """17 x 16 words; 4 x (16 x 16 + 16) projections; 16 x 32 + 32 + 32 x 16 + 16; 16 x 10 + 10: 2,602."""
    params = init_reader(np.random.default_rng(0), 17, 10, 16, 2, 32)
    assert sum(leaf.size for leaf in leaves(params)) == 2602


def test_without_positions_the_order_of_the_words_after_the_first_changes_no_logit():
    rng = np.random.default_rng(19)
    params = init_reader(rng, **SIZES)
    ids = np.array([[0, 1, 5, 2], [0, 2, 5, 1], [0, 5, 1, 2]])
    logits, _ = read(ids, params, 2)
    np.testing.assert_allclose(logits[1:], logits[[0, 0]], rtol=0, atol=1e-12)
    told, _ = read(ids, params, 2, sinusoidal_positions(4, 10))
    assert np.abs(told[0] - told[1]).max() > 0.01


def test_float32_stays_float32():
    params = init_reader(np.random.default_rng(0), **SIZES, dtype=np.float32)
    logits, _ = read([[1, 2, 3]], params, 2)
    assert logits.dtype == np.float32
    assert {leaf.dtype for leaf in leaves(params)} == {np.dtype(np.float32)}
