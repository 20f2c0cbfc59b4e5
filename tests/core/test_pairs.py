"""Every backward pass of the core against central differences, and none left out.

The modules of `core` are walked for functions called ``*_backward``, helpers included; each must have a row
in the table below. The tests of the single parts check more sizes and the odd cases.
"""

import importlib
import inspect
import pkgutil
from typing import NamedTuple

import numpy as np
import pytest

import core
from core.blocks import (
    activations,
    attention,
    convolution,
    embedding,
    encoder_block,
    encoder_stack,
    gated,
    gru,
    heads,
    linear,
    log_sum_exp,
    losses,
    mlp,
    multi_head,
    norms,
    recurrence,
    relative_positions,
    rms_norm,
    rotary,
    rows,
    softmax,
    sublayer,
)
from core.experiments import local_conv_paths
from core.learning import models
from core.learning.mixers import attention as attention_mixer
from core.learning.mixers import both_ways, flat, one_block, recurrent, windows
from core.learning.mixers import convolution as conv_mixer
from core.learning.mixers import heads as heads_mixer
from tests.core.gradient_check import check_gradients


class Sample(NamedTuple):
    """How one pair is called: `backward` only where it wants more than ``(dout, cache)``."""

    forward: object
    inputs: list
    backward: object = None


def draw(rng, *shapes):
    return [rng.standard_normal(shape) for shape in shapes]


def off_the_corner(rng, *shape):
    """Numbers at least 0.1 away from 0, where ReLU has two slopes."""
    x = rng.standard_normal(shape)
    return x + 0.1 * np.sign(x)


# --- parts -------------------------------------------------------------------------------------


def of_rows(function):
    """A pair that takes one array and nothing else."""
    return lambda rng: Sample(function, [off_the_corner(rng, 3, 5)])


def of_embedding(rng):
    ids = np.array([[2, 0, 2], [4, 2, 1]])  # 2 three times: its gradients add up; 3 never: gradient 0
    return Sample(lambda table: embedding.embedding(ids, table), draw(rng, (5, 7)))


def of_targets(loss):
    targets = np.array([2, 0, 6])

    def sample(rng):
        return Sample(lambda x: loss(x, targets, smoothing=0.1), draw(rng, (3, 7)))

    return sample


def of_rotary(rng):
    angles = rotary.rotary_angles(np.arange(3), 10)
    return Sample(lambda x: rotary.rotary(x, *angles), draw(rng, (2, 3, 10)))


def of_repeated_heads(rng):
    return Sample(lambda x: heads.repeat_heads(x, 6), draw(rng, (2, 3, 5)))


def of_scale(rng):
    def forward(normed, gamma, beta):
        return norms.scale(normed, gamma, beta), (normed, gamma, beta)

    return Sample(
        forward, draw(rng, (2, 3, 5), (5,), (5,)), lambda dout, cache: norms.scale_backward(dout, *cache)
    )


def of_activation(name):
    def sample(rng):
        return Sample(
            lambda x: mlp.activate(x, name),
            [off_the_corner(rng, 3, 5)],
            lambda dout, cache: mlp.activate_backward(dout, name, cache),
        )

    return sample


def of_attention(rng):
    mask = np.tri(3, 5, 2, dtype=bool)
    return Sample(
        lambda q, k, v: attention.scaled_dot_product_attention(q, k, v, mask),
        draw(rng, (2, 3, 7), (2, 5, 7), (2, 5, 11)),
    )


def of_masked_scores(rng):
    """A float mask is added to the scores: its gradient is theirs."""
    q, k, v = draw(rng, (3, 7), (5, 7), (5, 11))
    return Sample(
        lambda mask: attention.scaled_dot_product_attention(q, k, v, mask),
        draw(rng, (3, 5)),
    )


# --- sequences ---------------------------------------------------------------------------------


def of_convolution(rng):
    return Sample(
        lambda x, w, b: convolution.convolution(x, w, b, padding="causal", dilation=2),
        draw(rng, (2, 7, 3), (3, 3, 5), (5,)),
    )


def of_conv_stack(rng):
    kernels = rng.standard_normal((2, 3, 5, 5))

    def forward(x):
        awake = []
        for w in kernels:
            x = convolution.convolution(x, w)[0]
            awake.append(x > 0)
            x = np.maximum(x, 0)
        return x, awake

    return Sample(
        forward,
        draw(rng, (2, 7, 5)),
        lambda dout, awake: local_conv_paths.conv_stack_backward(dout, kernels, awake),
    )


def of_rnn(rng):
    return Sample(recurrence.rnn, draw(rng, (2, 5, 3), (3, 7), (7, 7), (7,), (2, 7)))


def of_gru(reset_after):
    def sample(rng):
        inputs = draw(rng, (2, 5, 3), (3, 21), (7, 21), (21,), (21,), (2, 7))
        return Sample(lambda *i: gru.gru(*i, reset_after), inputs)

    return sample


def of_gru_step(reset_after):
    """One step alone: of the state before, of what entered, and of the products with w_h.

    The shift b_h is added to these products in every row, so its gradient is theirs, summed over the rows.
    """

    def sample(rng):
        (w_h,) = draw(rng, (7, 21))

        def forward(h, entering, b_h):
            new, parts = gru._step(entering, h, w_h, b_h, reset_after)
            steps = [part[None] for part in parts]  # a sequence of one token
            return new, gru.GruCache(None, np.stack([h, new]), *steps, w_h, b_h, reset_after, ())

        def backward(dh_new, cache):
            dh, dentering, dproducts = gru._step_backward(dh_new, 0, cache)
            return dh, dentering, dproducts.sum(axis=0)

        return Sample(forward, draw(rng, (2, 7), (2, 21), (21,)), backward)

    return sample


# --- blocks ------------------------------------------------------------------------------------


def random_block(rng, d_model=6, n_heads=2, d_ff=7):
    """A block with gains and shifts that are not 1 and 0."""
    params = encoder_block.init_block(rng, d_model, n_heads, d_ff, gain=0.5)
    return encoder_block.BlockParams(
        *(type(part)(*(array + 0.2 * rng.standard_normal(array.shape) for array in part)) for part in params)
    )


def of_attention_of_words(rng):
    return Sample(
        lambda *x: multi_head.multi_head_attention(*x, n_heads=2),
        [*draw(rng, (2, 3, 6), (2, 5, 6), (2, 5, 6)), random_block(rng).attention],
    )


def of_self_attention(rng):
    return Sample(
        lambda x, params: multi_head.self_attention(x, params, 2),
        [*draw(rng, (3, 6)), random_block(rng).attention],
    )


def of_mlp(rng):
    return Sample(mlp.mlp, [*draw(rng, (3, 6)), random_block(rng).mlp])


def of_sublayer(norm, residual):
    wiring = sublayer.Wiring(norm, residual)

    def sample(rng):
        def forward(x, params, norm_params):
            return sublayer.sublayer(x, lambda x: mlp.mlp(x, params, "gelu"), norm_params, wiring, "abc")

        block = random_block(rng)
        return Sample(
            forward,
            [*draw(rng, (3, 6)), block.mlp, block.norm_1],
            lambda dout, cache: sublayer.sublayer_backward(dout, cache, mlp.mlp_backward),
        )

    return sample


def of_block(norm):
    def sample(rng):
        return Sample(
            lambda x, params: encoder_block.encoder_block(x, params, 2, norm=norm, activation="gelu"),
            [*draw(rng, (2, 3, 6)), random_block(rng)],
        )

    return sample


def of_stack(rng):
    blocks = (random_block(rng), random_block(rng))
    params = encoder_stack.StackParams(blocks, sublayer.NormParams(*draw(rng, (6,), (6,))))
    return Sample(
        lambda x, params: encoder_stack.encoder_stack(x, params, 2, activation="gelu"),
        [*draw(rng, (3, 6)), params],
    )


def of_projections(rng):
    def forward(x, w, b, u, c):
        outs, cache = multi_head.project(x, (w, b), (u, c))
        return np.concatenate(outs, axis=-1), cache

    def backward(dout, cache):
        return multi_head.project_backward(dout, (6, 4), cache)

    return Sample(forward, draw(rng, (2, 3, 5), (5, 6), (6,), (5, 4), (4,)), backward)


def of_attending(rng):
    def forward(q, k, v, w_o, b_o):
        return multi_head.attend((q, k, v), (w_o, b_o), 2, None, True, ())

    def backward(dout, cache):
        *dheads, dback, _ = multi_head.attend_backward(dout, cache)
        return *(heads.merge_heads(dhead) for dhead in dheads), *dback

    return Sample(forward, draw(rng, (2, 3, 6), (2, 5, 6), (2, 5, 4), (4, 7), (7,)), backward)


def of_picked_rows(m):
    def sample(rng):
        places = rng.integers(5, size=(2, m))
        places[0] = places[0, 0]  # the same one m times: its gradients add up
        return Sample(lambda x: rows.pick_rows(x, places), draw(rng, (2, 5, 3)))

    return sample


def of_block_for_rows(rng):
    def forward(x, params):
        return encoder_block.encoder_block(x, params, 2, activation="gelu", rows=[[3, 0], [1, 1]])

    return Sample(forward, [*draw(rng, (2, 5, 6)), random_block(rng)])


def of_mixer(settings, init, mix):
    def sample(rng):
        params = init(rng, settings, np.float64)
        where = rng.integers(5, size=(2, 1))
        return Sample(
            lambda words, params: mix(words, params, settings, where), [*draw(rng, (2, 5, 6)), params]
        )

    return sample


def of_distances(rng):
    return Sample(lambda table: relative_positions.relative_bias(table, 5), draw(rng, (2, 13)))


LINKS = [  # (settings, forward, backward)
    (windows.Window(), windows.window, windows.window_backward),
    (heads_mixer.Heads(n_heads=2), heads_mixer.heads, heads_mixer.heads_backward),
    (heads_mixer.Heads(n_heads=2, n_relative=7), heads_mixer.heads, heads_mixer.heads_backward),
    (both_ways.BothWays(d_hidden=4), both_ways.both_ways, both_ways.both_ways_backward),
]


def of_link(settings, run):
    def sample(rng):
        params = one_block.init_one_block(rng, one_block.OneBlock(settings, 6), np.float64).link
        return Sample(lambda x, params: run(x, params, settings), [*draw(rng, (2, 5, 6)), params])

    return sample


def of_model(rng):
    ids = np.array([[1, 3, 1], [0, 4, 2]])
    model = models.Model(5, 3, attention_mixer.Attention(6, 2, 7, 1))
    params = models.init_model(rng, model, np.float64)
    return Sample(lambda params: models.read(ids, params, model), [params])


# --- the table ---------------------------------------------------------------------------------

PAIRS = [  # (the backward pass, how to call the pair)
    (activations.relu_backward, of_rows(activations.relu)),
    (activations.sigmoid_backward, of_rows(activations.sigmoid)),
    (activations.tanh_backward, of_rows(activations.tanh)),
    (activations.gelu_backward, of_rows(activations.gelu)),
    (activations.gelu_backward, of_rows(lambda x: activations.gelu(x, "tanh"))),
    (gated.silu_backward, of_rows(lambda x: gated.silu(x, 1.7))),
    (gated.swiglu_backward, lambda rng: Sample(gated.swiglu, draw(rng, (3, 5), (3, 5)))),
    (gated.softplus_backward, of_rows(lambda x: gated.softplus(x, 1.3))),
    (mlp.activate_backward, of_activation("relu")),
    (mlp.activate_backward, of_activation("gelu")),
    (mlp.activate_backward, of_activation("gelu_tanh")),
    (softmax.softmax_backward, of_rows(softmax.softmax)),
    (softmax.log_softmax_backward, of_rows(softmax.log_softmax)),
    (log_sum_exp.log_sum_exp_backward, of_rows(log_sum_exp.log_sum_exp)),
    (losses.cross_entropy_backward, of_targets(losses.cross_entropy)),
    (losses.negative_log_likelihood_backward, of_targets(losses.negative_log_likelihood)),
    (linear.linear_backward, lambda rng: Sample(linear.linear, draw(rng, (2, 3, 5), (5, 7), (7,)))),
    (embedding.embedding_backward, of_embedding),
    (norms.scale_backward, of_scale),
    (norms.layer_norm_backward, lambda rng: Sample(norms.layer_norm, draw(rng, (2, 3, 5), (5,), (5,)))),
    (rms_norm.rms_norm_backward, lambda rng: Sample(rms_norm.rms_norm, draw(rng, (2, 3, 5), (5,)))),
    (rotary.rotary_backward, of_rotary),
    (heads.repeat_heads_backward, of_repeated_heads),
    (attention.scaled_dot_product_attention_backward, of_attention),
    (attention.masked_backward, of_masked_scores),
    (multi_head.project_backward, of_projections),
    (multi_head.attend_backward, of_attending),
    (multi_head.multi_head_attention_backward, of_attention_of_words),
    (multi_head.self_attention_backward, of_self_attention),
    (mlp.mlp_backward, of_mlp),
    *(
        (sublayer.sublayer_backward, of_sublayer(norm, residual))
        for norm in ("pre", "post", "off")
        for residual in (True, False)
    ),
    *((encoder_block.encoder_block_backward, of_block(norm)) for norm in ("pre", "post", "off")),
    (encoder_stack.encoder_stack_backward, of_stack),
    (convolution.convolution_backward, of_convolution),
    (local_conv_paths.conv_stack_backward, of_conv_stack),
    (recurrence.rnn_backward, of_rnn),
    (gru.gru_backward, of_gru(True)),
    (gru.gru_backward, of_gru(False)),
    (gru._step_backward, of_gru_step(True)),
    (gru._step_backward, of_gru_step(False)),
    (rows.pick_rows_backward, of_picked_rows(1)),
    (rows.pick_rows_backward, of_picked_rows(3)),
    (encoder_block.encoder_block_backward, of_block_for_rows),
    (
        attention_mixer.attention_backward,
        of_mixer(
            attention_mixer.Attention(6, 2, 7, 2), attention_mixer.init_attention, attention_mixer.attention
        ),
    ),
    (
        conv_mixer.convolutions_backward,
        of_mixer(
            conv_mixer.Convolution(6, dilations=(1, 2)), conv_mixer.init_convolutions, conv_mixer.convolutions
        ),
    ),
    *(
        (
            recurrent.recurrent_backward,
            of_mixer(recurrent.Recurrent(6, 5, gated), recurrent.init_recurrent, recurrent.recurrent),
        )
        for gated in (True, False)
    ),
    (flat.flat_backward, of_mixer(flat.Flat(7, 6, 5), flat.init_flat, flat.flat)),
    (relative_positions.relative_bias_backward, of_distances),
    *((send_back, of_link(link, run)) for link, run, send_back in LINKS),
    *(
        (one_block.one_block_backward, of_mixer(settings, one_block.init_one_block, one_block.one_block))
        for settings in (one_block.OneBlock(link, 6, 5) for link, *_ in LINKS)
    ),
    (models.read_backward, of_model),
]


def name_of(function):
    return f"{function.__module__}.{function.__name__}"


def backward_passes():
    """Every function of `core` that sends a gradient back, helpers included."""
    for found in pkgutil.walk_packages(core.__path__, "core."):
        module = importlib.import_module(found.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if name.endswith("_backward") and function.__module__ == module.__name__:
                yield name_of(function)


@pytest.mark.parametrize(("backward", "sample"), PAIRS, ids=[name_of(backward) for backward, _ in PAIRS])
def test_by_central_differences(backward, sample):
    rng = np.random.default_rng(29)
    forward, inputs, own = sample(rng)
    assert own is None or backward.__name__ in own.__code__.co_names, "a row runs what it is about"
    check_gradients(forward, own or backward, inputs, rng)


def test_no_backward_pass_is_left_out():
    found = set(backward_passes())
    assert len(found) > 30
    assert found == {name_of(backward) for backward, _ in PAIRS}


def test_every_backward_pass_has_its_forward_pass_beside_it():
    """`x_backward` undoes `x`; two undo a step that has a name of its own."""
    other = {"masked_backward": "apply_mask", "conv_stack_backward": "conv_sizes"}
    for backward, _ in PAIRS:
        name = backward.__name__
        forward = other.get(name, name.removesuffix("_backward"))
        assert callable(getattr(importlib.import_module(backward.__module__), forward)), name
