"""Page 5: who is connected to whom in one layer, read off the layers themselves (lecture: the bias).

Nothing here says which places a layer joins. Each layer gets random parameters, and its own backward pass
tells how strongly the output at one place depends on the input at another. No layer has an activation: it
would let the strengths follow the words in any layer, through its slope. What is left is the layers' own way.
"""

import numpy as np

from core.blocks.convolution import convolution, convolution_backward
from core.blocks.linear import linear, linear_backward
from core.blocks.masks import causal_mask
from core.blocks.multi_head import AttentionParams, self_attention, self_attention_backward
from core.blocks.recurrence import rnn, rnn_backward
from core.random_matrices import projection

LAYERS = ("dense", "attention", "rnn", "conv")


def fully_connected(x, rng):  # (batch, n, d) -> (batch, n, d), backward
    """Apply one layer to the whole sequence as if it were a single vector."""
    n, d = x.shape[-2:]
    out, cache = linear(x.reshape(len(x), n * d), projection(rng, n * d, n * d))
    return out.reshape(x.shape), lambda dout: linear_backward(dout.reshape(len(x), n * d), cache)[0]


def attention(x, rng, causal=False):  # (batch, n, d) -> (batch, n, d), backward
    """Apply self-attention with one head."""
    w_q, w_k, w_v, w_o = projection(rng, 4, x.shape[-1], x.shape[-1])
    mask = causal_mask(x.shape[-2]) if causal else None
    params = AttentionParams(w_q, None, w_k, None, w_v, None, w_o, None)
    out, cache = self_attention(x, params, 1, mask)
    return out, lambda dout: self_attention_backward(dout, cache)[0]


def recurrent(x, rng):  # (batch, n, d) -> (batch, n, d), backward
    """Apply an RNN from left to right: ``h_t = x_t @ w_x + h_{t-1} @ w_h``."""
    w_x, w_h = projection(rng, 2, x.shape[-1], x.shape[-1])
    out, cache = rnn(x, w_x, w_h, activation="linear")
    return out, lambda dout: rnn_backward(dout, cache)[0]


def convolve(x, rng, k, causal=False):  # (batch, n, d) -> (batch, n, d), backward
    """Apply a convolution of k taps, centred or looking back."""
    w = projection(rng, k, x.shape[-1], x.shape[-1])
    out, cache = convolution(x, w, padding="causal" if causal else "same")
    return out, lambda dout: convolution_backward(dout, cache)[0]


def connections(layer, x, seed=0, k=3, causal=False):  # (n, d) -> (n, n)
    """Measure how strongly each output depends on each input: the exact Jacobian, pair by pair.

    Parameters
    ----------
    layer : {"dense", "attention", "rnn", "conv"}
    x : (n, d) ndarray
        Tokens.
    seed : int
        Of the layer's parameters.
    k : int
        Taps of the convolution.
    causal : bool
        Whether attention and convolution look back only. The RNN does in any case, the fully connected layer
        never.

    Returns
    -------
    strength : (n, n) ndarray
        Row i, column j: root mean square growth that ``d out_i / d x_j`` gives a random direction. Exactly 0
        where the two are not connected.
    """
    n, d = x.shape
    rng = np.random.default_rng(seed)
    copies = np.broadcast_to(x, (n * d, n, d))  # one for each number of the output
    _, backward = {
        "dense": lambda: fully_connected(copies, rng),
        "attention": lambda: attention(copies, rng, causal),
        "rnn": lambda: recurrent(copies, rng),
        "conv": lambda: convolve(copies, rng, k, causal),
    }[layer]()
    jacobian = backward(np.eye(n * d).reshape(n * d, n, d))  # (n d, n, d)
    return np.sqrt((jacobian.reshape(n, d, n, d) ** 2).sum(axis=(1, 3)) / d)


def tokens(n, d, seed):  # -> (n, d)
    """Draw random tokens."""
    return np.random.default_rng(seed).standard_normal((n, d))


def follows_the_words(layer, k=3, causal=False, n=6, d=4):
    """Tell whether other tokens change the strengths, while the parameters stay as they are."""
    one, other = (connections(layer, tokens(n, d, seed), k=k, causal=causal) for seed in (0, 1))
    return not np.allclose(one, other, rtol=1e-9, atol=0)
