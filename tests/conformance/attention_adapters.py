"""Adapters for softmax and for attention as PyTorch and d2l call it."""

import numpy as np

from core.blocks.arrays import sum_to_shape
from core.blocks.attention import (
    apply_mask,
    masked_backward,
    scaled_dot_product_attention,
    scaled_dot_product_attention_backward,
)
from core.blocks.heads import repeat_heads, repeat_heads_backward
from core.blocks.masks import causal_mask, padding_mask
from core.blocks.softmax import log_softmax, log_softmax_backward, softmax, softmax_backward
from tests.conformance.harness import NotSupported

UNSUPPORTED = {
    "dropout": "dropout is not part of the core",
    "dropout_p": "dropout is not part of the core",
    "add_bias_kv": "learned extra keys are not part of the core",
    "add_zero_attn": "an extra key of zeros is not part of the core",
}


def refuse_unsupported(attributes):
    """Say which of the attributes the core leaves out."""
    for name, reason in UNSUPPORTED.items():
        if attributes.get(name):
            raise NotSupported(reason)


def over_axis(forward, backward):
    """Make the adapter of a part that works on the last axis for cases that name another one."""

    def adapter(attributes, inputs, params, up):
        (x,) = inputs.values()
        axis = attributes.get("axis", -1)
        out, cache = forward(x.swapaxes(axis, -1))
        outputs = dict.fromkeys(("y", "output"), out.swapaxes(axis, -1))
        if not up:
            return outputs, {}
        return outputs, {"x": backward(up["y"].swapaxes(axis, -1), cache).swapaxes(axis, -1)}

    return adapter


def with_axes(mask, n_axes):
    """Write out the leading axes that a broadcast mask leaves unsaid."""
    return mask.reshape((1,) * (n_axes - mask.ndim) + mask.shape)


def join_masks(allowed, added):
    """Make one mask of a boolean one (True = may look) and one that is added; either may be None."""
    if allowed is None or added is None:
        return added if allowed is None else allowed
    return np.where(allowed, added, -np.inf)


def lengths_mask(inputs, n_k, heads=True):
    """Turn d2l's valid lengths into a mask, with or without an axis for the heads."""
    if "valid_lens" not in inputs:
        return None
    mask = padding_mask(inputs["valid_lens"], n_k)
    return mask if heads else mask[:, 0]


def torch_attention(attributes, inputs, params, up):
    refuse_unsupported(attributes)
    q, k, v, mask = inputs["q"], inputs["k"], inputs["v"], inputs.get("attn_mask")
    if attributes.get("enable_gqa"):
        k, n_kv_heads = repeat_heads(k, q.shape[-3])
        v, _ = repeat_heads(v, q.shape[-3])
    allowed = causal_mask(q.shape[-2], k.shape[-2]) if attributes.get("is_causal") else None
    added = None
    if mask is not None:
        full = with_axes(mask, q.ndim)
        if mask.dtype == bool:
            allowed = full if allowed is None else full & allowed
        else:
            added = full
    joined = join_masks(allowed, added)
    out, cache = scaled_dot_product_attention(q, k, v, joined, scale=attributes.get("scale"))
    outputs = {"out": out, "weights": cache.weights}
    if not up:
        return outputs, {}
    dq, dk, dv = scaled_dot_product_attention_backward(up["out"], cache)
    if attributes.get("enable_gqa"):
        dk, dv = repeat_heads_backward(dk, n_kv_heads), repeat_heads_backward(dv, n_kv_heads)
    grads = {"q": dq, "k": dk, "v": dv}
    if added is not None:
        dmask = sum_to_shape(masked_backward(up["out"], cache), added.shape)
        grads["attn_mask"] = dmask.reshape(mask.shape)
    return outputs, grads


def d2l_masked_softmax(attributes, inputs, params, up):
    x = inputs["x"]
    out, cache = softmax(apply_mask(x, lengths_mask(inputs, x.shape[-1], heads=False)))
    return {"y": out}, {"x": softmax_backward(up["y"], cache)} if up else {}


def d2l_attention(attributes, inputs, params, up):
    q, k, v = inputs["q"], inputs["k"], inputs["v"]
    mask = lengths_mask(inputs, k.shape[-2], heads=False)
    out, cache = scaled_dot_product_attention(q, k, v, mask)
    outputs = {"out": out, "weights": cache.weights}
    if not up:
        return outputs, {}
    grads = scaled_dot_product_attention_backward(up["out"], cache)
    return outputs, dict(zip("qkv", grads, strict=True))


ADAPTERS = {
    ("onnx", "Softmax"): over_axis(softmax, softmax_backward),
    ("onnx", "LogSoftmax"): over_axis(log_softmax, log_softmax_backward),
    ("torch", "Softmax"): over_axis(softmax, softmax_backward),
    ("torch", "LogSoftmax"): over_axis(log_softmax, log_softmax_backward),
    ("torch", "ScaledDotProductAttention"): torch_attention,
    ("d2l", "MaskedSoftmax"): d2l_masked_softmax,
    ("d2l", "DotProductAttention"): d2l_attention,
}
NOT_COVERED = {
    ("d2l", "AdditiveAttention"): "scores from a small network; the lecture's lookup matches by dot product",
}
