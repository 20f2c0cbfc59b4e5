"""The gradient of a whole model against PyTorch's autograd; `reference.py` made the numbers."""

import numpy as np
import pytest

from core.blocks.encoder_block import BlockParams
from core.blocks.encoder_stack import StackParams
from core.blocks.mlp import MLPParams
from core.blocks.multi_head import AttentionParams
from core.blocks.sublayer import NormParams
from core.learning.mixers.attention import Attention
from core.learning.models import Model, ModelParams, learn
from tests.core.learning.reference import D_FF, FILE, HEADS, LAYERS, N_CLASSES, N_VOCAB, D, drawn


def as_params(arrays, prefix=""):
    """Lay the arrays, named as in `drawn`, out as the model reads them."""

    def named(name):
        return arrays[prefix + name]

    bare, blocks = NormParams(None, None), []
    for i in range(LAYERS):
        attention = AttentionParams(*(named(f"{i}.{kind}_{name}") for name in "qkvo" for kind in "wb"))
        mlp = MLPParams(*(named(f"{i}.{name}") for name in ("w_1", "b_1", "w_2", "b_2")))
        blocks.append(BlockParams(bare, attention, bare, mlp))
    return ModelParams(named("table"), StackParams(tuple(blocks)), named("w"), named("b"))


def flat(tree):
    if tree is None:
        return []
    return [leaf for part in tree for leaf in flat(part)] if isinstance(tree, tuple) else [tree]


@pytest.mark.parametrize("causal", [False, True])
def test_loss_and_every_gradient_equal_autograds(causal):
    arrays, batch = drawn()
    model = Model(N_VOCAB, N_CLASSES, Attention(D, HEADS, D_FF, LAYERS, causal=causal))
    learned = learn(as_params(arrays), model, **batch)
    with np.load(FILE) as wanted:
        prefix = "causal." if causal else "open."
        assert abs(learned.loss - float(wanted[f"{prefix}loss"])) < 1e-12
        gradients = as_params(wanted, f"{prefix}d.")
        assert len(flat(gradients)) == len(flat(learned.dparams)) == 1 + 12 * LAYERS + 2
        for ours, theirs in zip(flat(learned.dparams), flat(gradients), strict=True):
            assert np.abs(theirs).max() > 1e-4 or ours.shape == (D,)  # a shift of the keys changes nothing
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10)
