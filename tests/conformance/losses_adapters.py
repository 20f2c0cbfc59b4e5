"""Adapters for the losses. Theirs keep the classes on axis 1, ours on the last."""

import numpy as np

from core.blocks.log_sum_exp import log_sum_exp, log_sum_exp_backward
from core.blocks.losses import cross_entropy, cross_entropy_backward, negative_log_likelihood


def classes_last(x):
    return np.moveaxis(x, 1, -1) if x.ndim > 1 else x


def classes_second(x):
    return np.moveaxis(x, -1, 1) if x.ndim > 1 else x


def torch_cross_entropy(attributes, inputs, params, up):
    logits, target = classes_last(inputs["logits"]), inputs["target"]
    loss, cache = cross_entropy(
        logits,
        classes_last(target) if target.dtype.kind == "f" else target,
        smoothing=attributes["label_smoothing"],
        ignore=attributes["ignore_index"],
        reduction=attributes["reduction"],
        class_weights=inputs.get("weight"),
    )
    grads = {"logits": classes_second(cross_entropy_backward(up["loss"], cache))} if up else {}
    return {"loss": loss}, grads


def onnx_cross_entropy(attributes, inputs, params, up):
    loss, cache = cross_entropy(
        classes_last(inputs["scores"]),
        inputs["labels"],
        ignore=attributes.get("ignore_index"),
        reduction=attributes["reduction"],
        class_weights=inputs.get("weights"),
    )
    return {"output": loss, "log_prob": classes_second(cache.log_softmax.log_weights)}, {}


def torch_log_sum_exp(attributes, inputs, params, up):
    axis = attributes["axis"]
    out, cache = log_sum_exp(np.moveaxis(inputs["x"], axis, -1))
    grads = {"x": np.moveaxis(log_sum_exp_backward(up["y"], cache), -1, axis)} if up else {}
    return {"y": out}, grads


def onnx_nll(attributes, inputs, params, up):
    loss, _ = negative_log_likelihood(
        classes_last(inputs["input"]),
        inputs["target"],
        ignore=attributes.get("ignore_index"),
        reduction=attributes["reduction"],
        class_weights=inputs.get("weight"),
    )
    return {"loss": loss}, {}


ADAPTERS = {
    ("torch", "CrossEntropyLoss"): torch_cross_entropy,
    ("onnx", "SoftmaxCrossEntropyLoss"): onnx_cross_entropy,
    ("torch", "LogSumExp"): torch_log_sum_exp,
    ("onnx", "NegativeLogLikelihoodLoss"): onnx_nll,
}
NOT_COVERED = {}
