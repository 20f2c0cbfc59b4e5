"""Adapters for multi-head attention and whole encoder blocks of PyTorch and d2l."""

import numpy as np

from core.blocks.encoder_block import BlockParams, encoder_block, encoder_block_backward
from core.blocks.encoder_stack import StackParams, encoder_stack, encoder_stack_backward
from core.blocks.masks import causal_mask
from core.blocks.mlp import MLPParams
from core.blocks.multi_head import AttentionParams, multi_head_attention, multi_head_attention_backward
from core.blocks.sublayer import NormParams
from tests.conformance.attention_adapters import join_masks, lengths_mask, refuse_unsupported
from tests.conformance.harness import NotSupported


def torch_mask(attributes, inputs, x_q, x_k, n_heads):
    """Join torch's masks: there True means "may not look"; what is not boolean is added."""
    n_q, n_k = x_q.shape[-2], x_k.shape[-2]
    allowed, added = causal_mask(n_q, n_k) if attributes.get("is_causal") else None, None
    given = [inputs[name] for name in ("attn_mask", "src_mask", "mask") if name in inputs]
    masks = [mask.reshape(-1, n_heads if mask.ndim == 3 else 1, n_q, n_k) for mask in given]
    given = [inputs[name] for name in ("key_padding_mask", "src_key_padding_mask") if name in inputs]
    masks += [mask.reshape(-1, 1, 1, n_k) for mask in given]
    for mask in masks:
        if mask.dtype == bool:
            allowed = ~mask if allowed is None else allowed & ~mask
        else:
            added = mask if added is None else added + mask
    mask = join_masks(allowed, added)
    return (
        mask[0] if mask is not None and mask.ndim > 2 and x_q.ndim == 2 else mask
    )  # no batch, no axis of it


def batch_first(attributes, x):
    """Turn (n, batch, d_model) into (batch, n, d_model), or back."""
    return x.swapaxes(0, 1) if x.ndim == 3 and not attributes.get("batch_first", True) else x


def torch_attention_params(params, prefix=""):
    """Cut the stacked matrix in three and turn (out, in) into (in, out)."""
    if f"{prefix}in_proj_weight" in params:
        weights = np.split(params[f"{prefix}in_proj_weight"], 3)
    else:
        weights = [params[f"{prefix}{role}_proj_weight"] for role in "qkv"]
    stacked = params.get(f"{prefix}in_proj_bias")
    biases = [None] * 3 if stacked is None else np.split(stacked, 3)
    weights.append(params[f"{prefix}out_proj.weight"])
    biases.append(params.get(f"{prefix}out_proj.bias"))
    return AttentionParams(*(part for w, b in zip(weights, biases, strict=True) for part in (w.T, b)))


def torch_attention_grads(grads, prefix=""):
    """Stack the gradients again; both ways of naming the projections are given."""
    weights, biases = [w.T for w in grads[:6:2]], grads[1:6:2]
    named = {f"{prefix}{role}_proj_weight": w for role, w in zip("qkv", weights, strict=True)}
    if len({w.shape[1] for w in weights}) == 1:
        named[f"{prefix}in_proj_weight"] = np.concatenate(weights)
    if biases[0] is not None:
        named[f"{prefix}in_proj_bias"] = np.concatenate(biases)
    return named | {f"{prefix}out_proj.weight": grads.w_o.T, f"{prefix}out_proj.bias": grads.b_o}


def torch_multi_head(attributes, inputs, params, up):
    refuse_unsupported(attributes)
    n_heads, itself = attributes["num_heads"], "x" in inputs
    names = ("x",) * 3 if itself else ("query", "key", "value")
    x_q, x_k, x_v = (batch_first(attributes, inputs[name]) for name in names)
    mask = torch_mask(attributes, inputs, x_q, x_k, n_heads)
    out, cache = multi_head_attention(x_q, x_k, x_v, torch_attention_params(params), n_heads, mask)
    weights = cache.attention.weights
    outputs = {"out": batch_first(attributes, out)}
    outputs["weights"] = weights.mean(axis=-3) if attributes.get("average_attn_weights", True) else weights
    if not up:
        return outputs, {}
    *dx, dparams = multi_head_attention_backward(batch_first(attributes, up["out"]), cache)
    dx = [batch_first(attributes, part) for part in dx]
    given = {"x": sum(dx)} if itself else dict(zip(names, dx, strict=True))
    return outputs, given | torch_attention_grads(dparams)


def torch_block_params(params, prefix=""):
    """Name the parts of an encoder layer as ours are named."""
    norms = [
        NormParams(params[f"{prefix}norm{i}.weight"], params.get(f"{prefix}norm{i}.bias")) for i in (1, 2)
    ]
    hidden = (
        part
        for i in (1, 2)
        for part in (params[f"{prefix}linear{i}.weight"].T, params.get(f"{prefix}linear{i}.bias"))
    )
    return BlockParams(
        norms[0], torch_attention_params(params, f"{prefix}self_attn."), norms[1], MLPParams(*hidden)
    )


def torch_block_grads(grads, prefix=""):
    """Name the gradients of an encoder layer as torch names its parameters."""
    w_1, b_1, w_2, b_2 = grads.mlp
    named = {f"{prefix}linear1.weight": w_1.T, f"{prefix}linear1.bias": b_1}
    named |= {f"{prefix}linear2.weight": w_2.T, f"{prefix}linear2.bias": b_2}
    for i, norm in ((1, grads.norm_1), (2, grads.norm_2)):
        named |= {f"{prefix}norm{i}.weight": norm.gamma, f"{prefix}norm{i}.bias": norm.beta}
    return named | torch_attention_grads(grads.attention, f"{prefix}self_attn.")


def torch_options(attributes, inputs, x):
    """Translate the choices that all blocks of a stack share."""
    refuse_unsupported(attributes)
    if attributes.get("activation", "relu") not in ("relu", "gelu"):
        raise NotSupported(f"the activation {attributes['activation']} in a block")
    return {
        "norm": "pre" if attributes.get("norm_first") else "post",
        "activation": attributes.get("activation", "relu"),
        "eps": attributes.get("layer_norm_eps", 1e-5),
        "mask": torch_mask(attributes, inputs, x, x, attributes["nhead"]),
    }


def torch_encoder_layer(attributes, inputs, params, up):
    x = batch_first(attributes, inputs["x"])
    options = torch_options(attributes, inputs, x)
    out, cache = encoder_block(x, torch_block_params(params), attributes["nhead"], **options)
    outputs = {"y": batch_first(attributes, out)}
    if not up:
        return outputs, {}
    dx, dparams = encoder_block_backward(batch_first(attributes, up["y"]), cache)
    return outputs, {"x": batch_first(attributes, dx)} | torch_block_grads(dparams)


def torch_encoder(attributes, inputs, params, up):
    x = batch_first(attributes, inputs["x"])
    options = torch_options(attributes, inputs, x)
    prefixes = [f"layers.{i}." for i in range(attributes["num_layers"])]
    blocks = tuple(torch_block_params(params, prefix) for prefix in prefixes)
    last = NormParams(params["norm.weight"], params.get("norm.bias")) if "norm.weight" in params else None
    out, cache = encoder_stack(x, StackParams(blocks, last), attributes["nhead"], **options)
    outputs = {"y": batch_first(attributes, out)}
    if not up:
        return outputs, {}
    dx, dparams = encoder_stack_backward(batch_first(attributes, up["y"]), cache)
    grads = {"x": batch_first(attributes, dx)}
    if last is not None:
        grads |= {"norm.weight": dparams.final_norm.gamma, "norm.bias": dparams.final_norm.beta}
    for block, prefix in zip(dparams.blocks, prefixes, strict=True):
        grads |= torch_block_grads(block, prefix)
    return outputs, grads


def d2l_attention_params(params, prefix=""):
    return AttentionParams(
        *(
            part
            for role in "qkvo"
            for part in (params[f"{prefix}W_{role}.weight"].T, params.get(f"{prefix}W_{role}.bias"))
        )
    )


def d2l_attention_grads(grads, prefix=""):
    named = {f"{prefix}W_{role}.weight": w.T for role, w in zip("qkvo", grads[::2], strict=True)}
    return named | {f"{prefix}W_{role}.bias": b for role, b in zip("qkvo", grads[1::2], strict=True)}


def d2l_multi_head(attributes, inputs, params, up):
    refuse_unsupported(attributes)
    q, k, v = inputs["q"], inputs["k"], inputs["v"]
    mask = lengths_mask(inputs, k.shape[-2])
    out, cache = multi_head_attention(q, k, v, d2l_attention_params(params), attributes["num_heads"], mask)
    outputs = {"out": out, "weights": cache.attention.weights}
    if not up:
        return outputs, {}
    *dx, dparams = multi_head_attention_backward(up["out"], cache)
    return outputs, dict(zip("qkv", dx, strict=True)) | d2l_attention_grads(dparams)


D2L_NORMS, D2L_LAYERS = ("addnorm1.ln", "addnorm2.ln"), ("ffn.dense1", "ffn.dense2")


def d2l_encoder_block(attributes, inputs, params, up):
    refuse_unsupported(attributes)
    norms = [NormParams(params[f"{name}.weight"], params[f"{name}.bias"]) for name in D2L_NORMS]
    hidden = (
        part for name in D2L_LAYERS for part in (params[f"{name}.weight"].T, params.get(f"{name}.bias"))
    )
    attention = d2l_attention_params(params, "attention.")
    block = BlockParams(norms[0], attention, norms[1], MLPParams(*hidden))
    mask, eps = lengths_mask(inputs, inputs["x"].shape[-2]), attributes.get("norm_eps", 1e-5)
    out, cache = encoder_block(inputs["x"], block, attributes["num_heads"], norm="post", mask=mask, eps=eps)
    if not up:
        return {"y": out}, {}
    dx, dparams = encoder_block_backward(up["y"], cache)
    grads = {"x": dx} | d2l_attention_grads(dparams.attention, "attention.")
    for name, norm in zip(D2L_NORMS, (dparams.norm_1, dparams.norm_2), strict=True):
        grads |= {f"{name}.weight": norm.gamma, f"{name}.bias": norm.beta}
    for name, (w, b) in zip(D2L_LAYERS, (dparams.mlp[:2], dparams.mlp[2:]), strict=True):
        grads |= {f"{name}.weight": w.T, f"{name}.bias": b}
    return {"y": out}, grads


ADAPTERS = {
    ("torch", "MultiheadAttention"): torch_multi_head,
    ("torch", "TransformerEncoderLayer"): torch_encoder_layer,
    ("torch", "TransformerEncoder"): torch_encoder,
    ("d2l", "MultiHeadAttention"): d2l_multi_head,
    ("d2l", "TransformerEncoderBlock"): d2l_encoder_block,
}
NOT_COVERED = {
    (
        "torch",
        "TransformerDecoderLayer",
    ): "a block that also looks at a second sentence is not part of the core",
    ("torch", "Transformer"): "encoder and decoder together: the core has no decoder block",
}
