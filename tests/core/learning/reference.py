"""Makes `reference.npz`: losses and gradients of small whole models by PyTorch's autograd, in float64.

`python -m tests.core.learning.reference` (needs `pip install torch==2.13.0`; the tests read the file only).
The models are written in PyTorch's own layers; parameters, words and answers are drawn here with NumPy.
"""

from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("reference.npz")
N_VOCAB, N_CLASSES, BATCH, LENGTH, D, HEADS, D_FF, LAYERS = 11, 5, 7, 9, 12, 3, 13, 2


def drawn():
    """Parameters and a batch: words, places that are read, answers."""
    rng = np.random.default_rng(2026)
    arrays = {"table": rng.standard_normal((N_VOCAB, D))}
    for layer in range(LAYERS):
        for name in "qkvo":
            arrays[f"{layer}.w_{name}"] = rng.standard_normal((D, D)) / D**0.5
            arrays[f"{layer}.b_{name}"] = rng.standard_normal(D) / 10
        arrays[f"{layer}.w_1"] = rng.standard_normal((D, D_FF)) / D**0.5
        arrays[f"{layer}.b_1"] = rng.standard_normal(D_FF) / 10
        arrays[f"{layer}.w_2"] = rng.standard_normal((D_FF, D)) / D_FF**0.5
        arrays[f"{layer}.b_2"] = rng.standard_normal(D) / 10
    arrays["w"], arrays["b"] = rng.standard_normal((D, N_CLASSES)) / D**0.5, rng.standard_normal(N_CLASSES)
    batch = {
        "ids": rng.integers(N_VOCAB, size=(BATCH, LENGTH)),
        "rows": rng.integers(LENGTH, size=(BATCH, 1)),
        "targets": rng.integers(N_CLASSES, size=(BATCH, 1)),
    }
    return arrays, batch


def places(n, d, base):
    """Sinusoidal positions, as in Vaswani et al. (2017), section 3.5, with another base."""
    table = np.zeros((n, d))
    for i in range(d):
        angle = np.arange(n) / base ** ((i - i % 2) / d)
        table[:, i] = np.cos(angle) if i % 2 else np.sin(angle)
    return table


def by_torch(arrays, batch, causal):
    """Loss and gradients of the pre-LN model, every word worked out in every layer."""
    import torch
    from torch.nn import functional

    p = {name: torch.tensor(array, requires_grad=True) for name, array in arrays.items()}
    x = p["table"][torch.tensor(batch["ids"])] + torch.tensor(places(LENGTH, D, 100.0))

    def heads(x):
        return x.view(BATCH, LENGTH, HEADS, D // HEADS).transpose(1, 2)

    for layer in range(LAYERS):
        inner = functional.layer_norm(x, (D,))
        q, k, v = (heads(inner @ p[f"{layer}.w_{name}"] + p[f"{layer}.b_{name}"]) for name in "qkv")
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        mixed = mixed.transpose(1, 2).reshape(BATCH, LENGTH, D)
        x = x + mixed @ p[f"{layer}.w_o"] + p[f"{layer}.b_o"]
        inner = functional.layer_norm(x, (D,))
        hidden = functional.relu(inner @ p[f"{layer}.w_1"] + p[f"{layer}.b_1"])
        x = x + hidden @ p[f"{layer}.w_2"] + p[f"{layer}.b_2"]
    rows = x[torch.arange(BATCH)[:, None], torch.tensor(batch["rows"])]
    logits = rows @ p["w"] + p["b"]
    loss = functional.cross_entropy(logits[:, 0], torch.tensor(batch["targets"][:, 0]))
    loss.backward()
    return {"loss": loss.detach().numpy()} | {f"d.{name}": x.grad.numpy() for name, x in p.items()}


def main():
    import torch

    arrays, batch = drawn()
    told = {"torch": torch.__version__}
    for causal in (False, True):
        found = by_torch(arrays, batch, causal)
        told |= {f"{'causal' if causal else 'open'}.{name}": value for name, value in found.items()}
    np.savez_compressed(FILE, **told)


if __name__ == "__main__":
    main()
