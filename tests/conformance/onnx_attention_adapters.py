"""Adapters for attention as ONNX calls it: axes in other places, a cache of earlier keys, windows."""

import numpy as np

from core.blocks.attention import scaled_dot_product_attention, scaled_dot_product_attention_backward
from core.blocks.heads import merge_heads, repeat_heads, repeat_heads_backward, split_heads
from core.blocks.masks import causal_mask, padding_mask, relative_positions, window_mask
from tests.conformance.attention_adapters import join_masks, with_axes
from tests.conformance.harness import NotSupported


def allowed_pairs(attributes, inputs, n_q, n_k):
    """Join causality, window and padding into one boolean mask, counted from the place of the queries."""
    lengths, n_past = inputs.get("nonpad_kv_seqlen"), n_k - inputs["K"].shape[-2]
    offset = n_past
    if lengths is not None and "past_key" not in inputs:
        offset = lengths.reshape(-1, 1, 1, 1) - n_q
    left, right = (attributes.get(f"{side}_window_size", -1) for side in ("left", "right"))
    allowed = window_mask(n_q, n_k, left if left >= 0 else None, right if right >= 0 else None, offset)
    if attributes.get("is_causal"):
        allowed = allowed & causal_mask(n_q, n_k, offset)
    return allowed if lengths is None else allowed & padding_mask(lengths.reshape(-1), n_k)


def full_mask(attributes, inputs, n_q, n_k):
    """Join the given mask, where there is one, with what the attributes allow."""
    allowed, mask = allowed_pairs(attributes, inputs, n_q, n_k), inputs.get("attn_mask")
    if mask is None:
        return with_axes(allowed, 4)
    nothing = False if mask.dtype == bool else -np.inf
    missing = [(0, 0)] * (mask.ndim - 1) + [(0, n_k - mask.shape[-1])]
    mask = with_axes(np.pad(mask, missing, constant_values=nothing), 4)  # keys beyond the mask are blocked
    return with_axes(allowed & mask if mask.dtype == bool else join_masks(allowed, mask), 4)


def onnx_attention(attributes, inputs, params, up):
    q, k, v = (np.asarray(inputs[name]) for name in "QKV")
    flat = q.ndim == 3
    if flat:
        q = split_heads(q, attributes["q_num_heads"])
        k, v = (split_heads(x, attributes["kv_num_heads"]) for x in (k, v))
    if "past_key" in inputs:
        k = np.concatenate([inputs["past_key"], k], axis=-2)
        v = np.concatenate([inputs["past_value"], v], axis=-2)
    outputs = {"present_key": k, "present_value": v}
    k, n_kv_heads = repeat_heads(k, q.shape[1])
    v, _ = repeat_heads(v, q.shape[1])
    mask = full_mask(attributes, inputs, q.shape[-2], k.shape[-2])
    scale, softcap = attributes.get("scale"), attributes.get("softcap") or None
    out, cache = scaled_dot_product_attention(q, k, v, mask, scale=scale, softcap=softcap)
    stages = (cache.scores, cache.capped, cache.masked, cache.weights)
    outputs["qk_matmul_output"] = stages[attributes.get("qk_matmul_output_mode", 0)]
    outputs["Y"] = merge_heads(out) if flat else out
    return outputs, onnx_gradients(up, cache, flat, n_kv_heads, inputs) if "Y" in up else {}


def onnx_gradients(up, cache, flat, n_kv_heads, inputs):
    """Send the gradient back through attention, the shared heads, and the way the axes were given."""
    dout = split_heads(up["Y"], cache.q.shape[1]) if flat else up["Y"]
    dq, *shared = scaled_dot_product_attention_backward(dout, cache)
    dk, dv = (repeat_heads_backward(dx, n_kv_heads) for dx in shared)
    n_past = dk.shape[-2] - inputs["K"].shape[-2]
    grads = {"past_key": dk[..., :n_past, :], "past_value": dv[..., :n_past, :]}
    new = {"Q": dq, "K": dk[..., n_past:, :], "V": dv[..., n_past:, :]}
    return grads | {name: merge_heads(dx) if flat else dx for name, dx in new.items()}


def onnx_flex_attention(attributes, inputs, params, up):
    """Attention with a function on the scores: those that are a float mask or a softcap."""
    q, k, v = (np.asarray(inputs[name]) for name in "QKV")
    mod, n_q, n_k = attributes.get("score_mod") or {}, q.shape[-2], k.shape[-2]
    mask = softcap = None
    if mod.get("kind") == "add_constant":
        mask = np.full((n_q, n_k), float(mod["value"]))
    elif mod.get("kind") == "add_relative_position":
        mask = -relative_positions(n_q, n_k).astype(np.float64)  # theirs counts query minus key
    elif mod.get("kind") == "softcap":
        softcap = mod["value"]
    elif mod:
        raise NotSupported(f"no mask and no softcap does what the function {mod.get('kind')} does")
    if unknown := {*attributes} - {"score_mod", "scale"}:
        raise NotSupported(f"flexible attention with {', '.join(sorted(unknown))}")
    k, _ = repeat_heads(k, q.shape[1])
    v, _ = repeat_heads(v, q.shape[1])
    out, _ = scaled_dot_product_attention(q, k, v, mask, scale=attributes.get("scale"), softcap=softcap)
    return {"Y": out}, {}


ADAPTERS = {("onnx", "Attention"): onnx_attention, ("onnx", "FlexAttention"): onnx_flex_attention}
NOT_COVERED = {}
