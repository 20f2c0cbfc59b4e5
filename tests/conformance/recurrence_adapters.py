"""Adapters for recurrent layers.

A second direction reads the reversed sequence, a second layer the states of the first.
Theirs have a bias for the input and one for the state, and stack the gates as rows in an order of their own.
"""

import numpy as np

from core.blocks.gru import gru, gru_backward
from core.blocks.recurrence import rnn, rnn_backward
from tests.conformance.harness import NotSupported


def batch_first(x, attributes):
    return x if attributes["batch_first"] or x.ndim == 2 else x.swapaxes(0, 1)


def forward_or_reversed(x, direction):
    """Reverse the tokens for the second direction."""
    return x[..., ::-1, :] if direction else x


def torch_rnn(attributes):
    """Return our forward and backward between their weights (w_ih, w_hh, b_ih, b_hh)."""

    def forward(x, w_ih, w_hh, b_ih, b_hh, h0):
        b = None if b_ih is None else b_ih + b_hh  # ours has one shift
        return rnn(x, w_ih.T, w_hh.T, b, h0, attributes.get("nonlinearity", "tanh"))

    def backward(dout, cache):
        dx, dw_x, dw_h, db, dh0 = rnn_backward(dout, cache)
        return dx, dw_x.T, dw_h.T, db, db, dh0

    return forward, backward


def torch_gru(attributes):
    """Return our forward and backward between their weights (w_ih, w_hh, b_ih, b_hh)."""

    def forward(x, w_ih, w_hh, b_ih, b_hh, h0):
        return gru(x, w_ih.T, w_hh.T, b_ih, b_hh, h0)

    def backward(dout, cache):
        dx, dw_x, dw_h, db_x, db_h, dh0 = gru_backward(dout, cache)
        return dx, dw_x.T, dw_h.T, db_x, db_h, dh0

    return forward, backward


WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def torch_recurrent(make):
    """Make the adapter that runs all layers and directions of a torch module and back."""

    def adapter(attributes, inputs, params, up):
        forward, backward = make(attributes)
        directions = (0, 1) if attributes["bidirectional"] else (0,)
        x, h0, h_n, caches = batch_first(inputs["x"], attributes), inputs.get("h0"), [], []
        for layer in range(attributes["num_layers"]):
            outs = []
            for direction in directions:
                suffix = f"_l{layer}" + "_reverse" * direction
                weights = [params.get(name + suffix) for name in WEIGHTS]
                start = None if h0 is None else h0[len(caches)]
                out, cache = forward(forward_or_reversed(x, direction), *weights, start)
                caches.append((suffix, direction, cache))
                h_n.append(out[..., -1, :])
                outs.append(forward_or_reversed(out, direction))
            x = np.concatenate(outs, axis=-1)
        outputs = {"output": batch_first(x, attributes), "h_n": np.stack(h_n)}
        return outputs, torch_grads(attributes, params, up, backward, caches, x) if up else {}

    return adapter


def torch_grads(attributes, params, up, backward, caches, out):
    """Walk layers and directions backwards; the last state of each also has a gradient of its own."""
    grads, dh0 = {}, []
    dx = batch_first(up["output"], attributes) if "output" in up else np.zeros_like(out)
    n_directions = 2 if attributes["bidirectional"] else 1
    while caches:
        douts, dx = np.split(dx, n_directions, axis=-1), 0
        for dout in reversed(douts):
            suffix, direction, cache = caches.pop()
            dout = forward_or_reversed(dout, direction).copy()
            dout[..., -1, :] += up["h_n"][len(caches)] if "h_n" in up else 0
            dx_part, *dweights, dstart = backward(dout, cache)
            dx = dx + forward_or_reversed(dx_part, direction)
            dh0.insert(0, dstart)
            grads |= {name + suffix: grad for name, grad in zip(WEIGHTS, dweights, strict=True)}
    grads = {name: grads[name] for name in params}
    return grads | {"x": batch_first(dx, attributes), "h0": np.stack(dh0)}


def onnx_rnn(attributes, names):
    """Return our forward between their weights (W, R, Wb, Rb) of one direction."""
    if any(name not in ("Tanh", "Relu") for name in names):
        raise NotSupported(f"activations {names} are not part of the core")

    def forward(x, w, r, w_b, r_b, h0):
        return rnn(x, w.T, r.T, None if w_b is None else w_b + r_b, h0, names[0].lower())[0]

    return forward


def onnx_gru(attributes, names):
    """Return our forward between their weights (W, R, Wb, Rb) of one direction, rows in the order z, r, h."""
    if list(names) != ["Sigmoid", "Tanh"]:
        raise NotSupported(f"activations {names} are not part of the core")

    def reset_first(rows):
        z, r, h = np.split(rows, 3)
        return np.concatenate([r, z, h])

    def forward(x, w, r, w_b, r_b, h0):
        w, r = reset_first(w), reset_first(r)
        biases = (None, None) if w_b is None else (reset_first(w_b), reset_first(r_b))
        return gru(x, w.T, r.T, *biases, h0, reset_after=bool(attributes["linear_before_reset"]))[0]

    return forward


def onnx_recurrent(make, defaults):
    """Make the adapter that runs the directions of an ONNX node; `defaults` are its activations."""

    def adapter(attributes, inputs, params, up):
        x = inputs["X"] if attributes["layout"] else inputs["X"].swapaxes(0, 1)  # (batch, n, d_in)
        if attributes.get("clip") or np.any(inputs.get("sequence_lens", x.shape[1]) != x.shape[1]):
            raise NotSupported("sequences of unequal length and clipped sums are not part of the core")
        names = attributes.get("activations") or defaults * 2
        states = inputs.get("initial_h")
        if states is not None and attributes["layout"]:
            states = states.swapaxes(0, 1)  # (directions, batch, d_hidden)
        outs, lasts = [], []
        for i, (w, r) in enumerate(zip(inputs["W"], inputs["R"], strict=True)):
            reverse = attributes["direction"] == "reverse" or i == 1
            forward = make(attributes, names[i * len(defaults) : (i + 1) * len(defaults)])
            biases = np.split(inputs["B"][i], 2) if "B" in inputs else (None, None)
            h0 = None if states is None else states[i]
            out = forward(forward_or_reversed(x, reverse), w, r, *biases, h0)
            lasts.append(out[:, -1])
            outs.append(forward_or_reversed(out, reverse))
        y, y_h = (
            np.stack(outs),
            np.stack(lasts),
        )  # (directions, batch, n, d_hidden), (directions, batch, d_hidden)
        if attributes["layout"]:
            return {"Y": y.transpose(1, 2, 0, 3), "Y_h": y_h.swapaxes(0, 1)}, {}
        return {"Y": y.transpose(2, 0, 1, 3), "Y_h": y_h}, {}

    return adapter


ADAPTERS = {
    ("torch", "RNN"): torch_recurrent(torch_rnn),
    ("torch", "GRU"): torch_recurrent(torch_gru),
    ("onnx", "RNN"): onnx_recurrent(onnx_rnn, ["Tanh"]),
    ("onnx", "GRU"): onnx_recurrent(onnx_gru, ["Sigmoid", "Tanh"]),
}
NOT_COVERED = {
    ("torch", "LSTM"): "the lecture compares with a GRU; the LSTM is not part of the core",
    ("onnx", "LSTM"): "the lecture compares with a GRU; the LSTM is not part of the core",
}
