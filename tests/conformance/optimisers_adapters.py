"""Adapters for the optimisers. Theirs update a list of arrays, ours one flat vector."""

import math

import numpy as np

from core.learning.optimisers import Adam, AdamW, Sgd, clip_grad_norm
from core.learning.parameters import flatten, pack, unflatten
from tests.conformance.harness import NotSupported


def numbered(inputs, letter):
    """Find the arrays called letter0, letter1, ... or just letter, by what follows the letter."""
    names = [name for name in inputs if name == letter or (name[:1] == letter and name[1:].isdigit())]
    return {name[1:]: inputs[name] for name in sorted(names, key=lambda name: int(name[1:] or 0))}


def flat_of(inputs, letter):
    """Lay the arrays of one letter into one vector."""
    flat, _ = flatten(tuple(numbered(inputs, letter).values()))
    return flat


def torch_run(make, states):
    """Make the adapter that takes all steps of a case; `states` maps their final state to ours."""

    def adapter(attributes, inputs, params, up):
        if attributes.get("amsgrad") or attributes.get("maximize"):
            raise NotSupported("amsgrad and maximize, variants of Adam, are not part of the core")
        optimiser = make(attributes)
        p, g = numbered(inputs, "p"), numbered(inputs, "g")
        flat, views = flatten(tuple(p.values()))
        path = []
        for step in range(attributes["steps"]):
            optimiser.lr = float(inputs["lrs"][step]) if "lrs" in inputs else attributes["lr"]
            optimiser.step(flat, pack(tuple(each[step] for each in g.values()), np.empty_like(flat)))
            path.append([view.copy() for view in views])
        outputs = {f"p{i}": np.stack(arrays) for i, *arrays in zip(p, *path, strict=True)}
        for theirs, ours in states.items():
            if getattr(optimiser, ours) is not None:
                final = unflatten(getattr(optimiser, ours), views)
                outputs |= {f"{theirs}{i}": array for i, array in zip(p, final, strict=True)}
        return outputs, {}

    return adapter


def make_adam(kind):
    return lambda a: kind(a["lr"], tuple(a["betas"]), a["eps"], a["weight_decay"])


def make_sgd(a):
    return Sgd(a["lr"], a["momentum"], a.get("dampening", 0.0), a["nesterov"], a["weight_decay"])


def torch_clip(attributes, inputs, params, up):
    g = numbered(inputs, "g")
    flat, views = flatten(tuple(g.values()))
    norm = clip_grad_norm(flat, attributes["max_norm"], order=float(attributes["norm_type"]))
    return {"total_norm": norm} | {f"g{i}": view for i, view in zip(g, views, strict=True)}, {}


def onnx_outputs(inputs, **vectors):
    """Cut the updated vectors into arrays again, named as theirs: X1_new, X2_new, ..."""
    x = numbered(inputs, "X")
    trees = {letter: unflatten(vector, tuple(x.values())) for letter, vector in vectors.items()}
    return {f"{letter}{i}_new": array for letter in trees for i, array in zip(x, trees[letter], strict=True)}


def onnx_adam(attributes, inputs, params, up):
    if attributes.get("norm_coefficient_post", 0.0):
        raise NotSupported("shrinking the parameters after the step is not part of the core")
    t, betas, lr = int(inputs["T"]), (attributes["alpha"], attributes["beta"]), float(inputs["R"])
    if t > 0:  # theirs puts both corrections into the learning rate, so eps is added to an uncorrected root
        lr *= math.sqrt(1 - betas[1] ** t) / (1 - betas[0] ** t)
    decay = attributes["norm_coefficient"]
    optimiser = Adam(lr, betas, attributes["epsilon"], decay, bias_correction=False)
    optimiser.m, optimiser.v = flat_of(inputs, "V"), flat_of(inputs, "H")
    x = flat_of(inputs, "X")
    optimiser.step(x, flat_of(inputs, "G"))
    return onnx_outputs(inputs, X=x, V=optimiser.m, H=optimiser.v), {}


def onnx_momentum(attributes, inputs, params, up):
    nesterov, decay = attributes["mode"] == "nesterov", attributes["norm_coefficient"]
    optimiser = Sgd(float(inputs["R"]), attributes["alpha"], 1 - attributes["beta"], nesterov, decay)
    optimiser.velocity = flat_of(inputs, "V" if numbered(inputs, "V") else "H")  # either name occurs
    optimiser.t = int(inputs["T"])  # steps taken: the first gradient is not dampened
    x = flat_of(inputs, "X")
    optimiser.step(x, flat_of(inputs, "G"))
    return onnx_outputs(inputs, X=x, V=optimiser.velocity), {}


ADAPTERS = {
    ("torch", "Adam"): torch_run(make_adam(Adam), {"m": "m", "v": "v"}),
    ("torch", "AdamW"): torch_run(make_adam(AdamW), {"m": "m", "v": "v"}),
    ("torch", "SGD"): torch_run(make_sgd, {"buf": "velocity"}),
    ("torch", "ClipGradNorm"): torch_clip,
    ("onnx", "Adam"): onnx_adam,
    ("onnx", "Momentum"): onnx_momentum,
}
NOT_COVERED = {}
