"""Adapters for positions and convolution.

Theirs keep the channels before the length, ours keep a token's numbers on the last axis.
"""

import numpy as np

from core.blocks.convolution import convolution, convolution_backward
from core.blocks.gated import silu
from core.blocks.positions import sinusoidal_positions
from core.blocks.rotary import rotary, rotary_angles, rotary_backward
from tests.conformance.harness import NotSupported


def channels_last(x):
    return x.swapaxes(-1, -2)


def window_of(weight):
    """Turn (out, in, k) into our (k, in, out), or back."""
    return weight.transpose(2, 1, 0)


def torch_conv(attributes, inputs, params, up):
    out, cache = convolution(
        channels_last(inputs["x"]),
        window_of(params["weight"]),
        params.get("bias"),
        padding=attributes["padding"],
        stride=attributes["stride"],
        dilation=attributes["dilation"],
        groups=attributes["groups"],
    )
    if not up:
        return {"y": channels_last(out)}, {}
    dx, dw, db = convolution_backward(channels_last(up["y"]), cache)
    return {"y": channels_last(out)}, {"x": channels_last(dx), "weight": window_of(dw), "bias": db}


def onnx_conv(attributes, inputs, params, up):
    if inputs["X"].ndim != 3:
        raise NotSupported("the core convolves along a sequence, not over pictures or volumes")
    if attributes.get("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        raise NotSupported("the padding is named by other rules than ours (auto_pad)")
    out, _ = convolution(
        channels_last(inputs["X"]),
        window_of(inputs["W"]),
        inputs.get("B"),
        padding=attributes.get("pads", [0, 0]),
        stride=attributes.get("strides", [1])[0],
        dilation=attributes.get("dilations", [1])[0],
        groups=attributes.get("group", 1),
    )
    return {"Y": channels_last(out)}, {}


def onnx_causal_conv(attributes, inputs, params, up):
    x, weight = inputs["input"], inputs["weight"]
    batch, channels, _ = x.shape
    past = inputs.get("past_state")
    if past is None:
        past = np.zeros((batch, channels, weight.shape[2] - 1), x.dtype)
    x = np.concatenate([past, x], axis=2)
    windows = window_of(weight)
    out, _ = convolution(channels_last(x), windows, inputs.get("bias"), padding="valid", groups=channels)
    if attributes["activation"] in ("silu", "swish"):
        out, _ = silu(out)
    elif attributes["activation"] != "none":
        raise NotSupported(f"activation {attributes['activation']} is not part of the core")
    return {"output": channels_last(out), "present_state": x[:, :, x.shape[2] - past.shape[2] :]}, {}


def plain_sinusoidal(attributes, inputs, params, up):
    return {
        "pe": sinusoidal_positions(attributes["num_positions"], attributes["dim"], attributes["base"])
    }, {}


def plain_rotary(attributes, inputs, params, up):
    x = inputs["x"]
    cos, sin = rotary_angles(inputs["positions"], x.shape[-1], attributes["base"])
    out, cache = rotary(x, cos, sin, interleaved=attributes["interleaved"])
    return {"y": out}, {"x": rotary_backward(up["y"], cache)} if up else {}


def onnx_rotary(attributes, inputs, params, up):
    x, heads = inputs["X"], attributes.get("num_heads", 0)
    split = x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2) if x.ndim == 3 else x  # (batch, heads, n, d)
    ids = inputs.get("position_ids")
    caches = (inputs["cos_cache"], inputs["sin_cache"])
    cos, sin = ((cache if ids is None else cache[ids])[:, None] for cache in caches)  # (batch, 1, n, d / 2)
    width = attributes.get("rotary_embedding_dim", 0) or split.shape[-1]
    turned, _ = rotary(split[..., :width], cos, sin, interleaved=bool(attributes["interleaved"]))
    out = np.concatenate([turned, split[..., width:]], axis=-1)
    return {"Y": out.swapaxes(1, 2).reshape(x.shape) if x.ndim == 3 else out}, {}


ADAPTERS = {
    ("torch", "Conv1d"): torch_conv,
    ("onnx", "Conv"): onnx_conv,
    ("onnx", "CausalConvWithState"): onnx_causal_conv,
    ("plain", "SinusoidalPositionalEncoding"): plain_sinusoidal,
    ("plain", "RotaryPositionEncoding"): plain_rotary,
    ("onnx", "RotaryEmbedding"): onnx_rotary,
}
NOT_COVERED = {
    ("onnx", "LinearAttention"): "attention without softmax is another mechanism than the lecture's",
    ("onnx", "TensorScatter"): "writing into a cache in place is storage, not mathematics of the lecture",
}
