"""Adapters for what works on one token at a time: linear, norms, activations, embedding."""

import numpy as np

from core.blocks.activations import (
    erf,
    gelu,
    gelu_backward,
    relu,
    relu_backward,
    sigmoid,
    sigmoid_backward,
    tanh,
    tanh_backward,
)
from core.blocks.embedding import embedding, embedding_backward
from core.blocks.gated import silu, silu_backward, softplus, softplus_backward, swiglu
from core.blocks.linear import linear, linear_backward
from core.blocks.norms import layer_norm, layer_norm_backward
from core.blocks.rms_norm import rms_norm, rms_norm_backward
from tests.conformance.harness import NotSupported


def entrywise(forward, backward, options=lambda attributes: {}):
    """Make the adapter of a part with one input and one output, whatever their names are."""

    def adapter(attributes, inputs, params, up):
        (x,) = inputs.values()
        out, cache = forward(x, **options(attributes))
        outputs = dict.fromkeys(("y", "Y", "output"), out)
        return outputs, {"x": backward(up["y"], cache)} if up else {}

    return adapter


def onnx_erf(attributes, inputs, params, up):
    return {"output": erf(inputs["input"])}, {}


def gelu_form(attributes):
    return {"form": {"none": "exact", "tanh": "tanh"}[attributes["approximate"]]}


def torch_linear(attributes, inputs, params, up):
    w, b = params["weight"].T, params.get("bias")  # theirs is (out, in)
    out, cache = linear(inputs["x"], w, b)
    if not up:
        return {"y": out}, {}
    dx, dw, db = linear_backward(up["y"], cache)
    return {"y": out}, {"x": dx, "weight": dw.T, "bias": db}


def onnx_gemm(attributes, inputs, params, up):
    if attributes.get("alpha", 1.0) != 1.0 or attributes.get("beta", 1.0) != 1.0:
        raise NotSupported("a linear layer has no factors alpha and beta")
    a = inputs["A"].T if attributes.get("transA", 0) else inputs["A"]
    b = inputs["B"].T if attributes.get("transB", 0) else inputs["B"]
    c = inputs.get("C")
    if c is not None:
        rows = np.broadcast_to(c, (a.shape[0], b.shape[1]))
        if not np.array_equal(rows, np.broadcast_to(rows[:1], rows.shape)):
            raise NotSupported("a linear layer adds the same shift to every row")
        c = rows[0]
    return {"Y": linear(a, b, c)[0]}, {}


def flat_rows(x, n_axes):
    """Turn the last `n_axes` axes into one."""
    return x.reshape(*x.shape[: x.ndim - n_axes], -1)


def torch_norm(forward, backward):
    """Make the adapter of a norm over the axes of `normalized_shape`."""

    def adapter(attributes, inputs, params, up):
        x, n_axes = inputs["x"], len(attributes["normalized_shape"])
        parts = [params[name].ravel() for name in ("weight", "bias") if name in params]
        eps = np.finfo(x.dtype).eps if attributes["eps"] is None else attributes["eps"]
        out, cache = forward(flat_rows(x, n_axes), *parts, eps=eps)
        outputs = {"y": out.reshape(x.shape)}
        if not up:
            return outputs, {}
        grads = dict(zip(("x", "weight", "bias"), backward(flat_rows(up["y"], n_axes), cache), strict=False))
        wanted = {"x": x, **params}
        return outputs, {name: grads[name].reshape(like.shape) for name, like in wanted.items()}

    return adapter


def onnx_rows(attributes, x):
    """Turn all axes from `axis` on into one; return the rows and how many axes they were."""
    axis = attributes["axis"]
    n_axes = x.ndim - axis if axis >= 0 else -axis
    return flat_rows(x, n_axes), n_axes


def onnx_layer_norm(attributes, inputs, params, up):
    x = inputs["X"]
    rows, n_axes = onnx_rows(attributes, x)
    parts = [inputs[name] for name in ("Scale", "B") if name in inputs]
    parts = [np.broadcast_to(part, x.shape[x.ndim - n_axes :]).ravel() for part in parts]
    out, cache = layer_norm(rows, *parts, eps=attributes["epsilon"])
    statistics = (*x.shape[: x.ndim - n_axes], *(1,) * n_axes)
    return {
        "Y": out.reshape(x.shape),
        "Mean": cache.mean.reshape(statistics),
        "InvStdDev": cache.inverse_std.reshape(statistics),
    }, {}


def onnx_rms_norm(attributes, inputs, params, up):
    x = inputs["X"]
    rows, n_axes = onnx_rows(attributes, x)
    scale = np.broadcast_to(inputs["scale"], x.shape[x.ndim - n_axes :])
    out, _ = rms_norm(rows, scale.ravel(), eps=attributes["epsilon"])
    return {"Y": out.reshape(x.shape)}, {}


def torch_embedding(attributes, inputs, params, up):
    padding = attributes["padding_idx"]
    out, cache = embedding(inputs["indices"], params["weight"], padding=padding)
    return {"y": out}, {"weight": embedding_backward(up["y"], cache)} if up else {}


def onnx_gather(attributes, inputs, params, up):
    data, indices = inputs["data"], inputs["indices"]
    axis = attributes["axis"] % data.ndim
    table = np.moveaxis(data, axis, 0)
    ids = np.where(indices < 0, indices + len(table), indices)  # theirs may count from the end
    out, _ = embedding(ids, table.reshape(len(table), -1))
    out = out.reshape(*ids.shape, *table.shape[1:])
    places = range(axis, axis + ids.ndim)
    return {"output": np.moveaxis(out, range(ids.ndim), places)}, {}


def onnx_swiglu(attributes, inputs, params, up):
    return {"Y": swiglu(inputs["A"], inputs["B"], alpha=attributes["alpha"])[0]}, {}


ADAPTERS = {
    ("torch", "Linear"): torch_linear,
    ("onnx", "Gemm"): onnx_gemm,
    ("torch", "LayerNorm"): torch_norm(layer_norm, layer_norm_backward),
    ("torch", "RMSNorm"): torch_norm(rms_norm, rms_norm_backward),
    ("onnx", "LayerNormalization"): onnx_layer_norm,
    ("onnx", "RMSNormalization"): onnx_rms_norm,
    ("torch", "Relu"): entrywise(relu, relu_backward),
    ("onnx", "Relu"): entrywise(relu, relu_backward),
    ("torch", "Sigmoid"): entrywise(sigmoid, sigmoid_backward),
    ("onnx", "Sigmoid"): entrywise(sigmoid, sigmoid_backward),
    ("torch", "Tanh"): entrywise(tanh, tanh_backward),
    ("onnx", "Tanh"): entrywise(tanh, tanh_backward),
    ("torch", "Gelu"): entrywise(gelu, gelu_backward, gelu_form),
    ("onnx", "Gelu"): entrywise(gelu, gelu_backward, gelu_form),
    ("onnx", "Erf"): onnx_erf,
    ("torch", "Silu"): entrywise(silu, silu_backward),
    ("onnx", "Swish"): entrywise(silu, silu_backward, lambda attributes: {"alpha": attributes["alpha"]}),
    ("torch", "Softplus"): entrywise(softplus, softplus_backward, lambda a: {"beta": a["beta"]}),
    ("onnx", "SwiGLU"): onnx_swiglu,
    ("torch", "Embedding"): torch_embedding,
    ("onnx", "Gather"): onnx_gather,
}
NOT_COVERED = {}
