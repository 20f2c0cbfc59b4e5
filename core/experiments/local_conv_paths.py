"""Page 1: how much of a far word arrives, measured as the exact slope of the output towards that word.

The Jacobian J of one word's output with respect to the word t steps before it comes row by row from
backward passes, in float64. Its size is ``||J||_F / sqrt(d)``: 1 for a word that is passed on unchanged, 0
for one that is not heard. All parameters are random, nothing is trained.
"""

import numpy as np

from core.blocks.attention import scaled_dot_product_attention, scaled_dot_product_attention_backward
from core.blocks.convolution import convolution
from core.blocks.gru import gru, gru_backward
from core.blocks.recurrence import rnn, rnn_backward
from core.experiments.local_conv import reach
from core.random_matrices import orthogonal, projection

N, D = 64, 32  # words up to the one where the output is read, and the numbers of each


def words(rng, n, d):  # -> (n, d)
    """Random words, all of the length sqrt(d): what layer norm would make of them."""
    x = rng.standard_normal((n, d))
    return x * np.sqrt(d / (x * x).sum(axis=1, keepdims=True))


def sizes_by_distance(run, x, reads):  # (n, d) -> (reads + 1,)
    """Size of the Jacobian of the output at word `reads` with respect to every word up to it, nearest first.

    Parameters
    ----------
    run : callable
        ``run(x) -> (out, send_back)`` for a batch (d, n, d) of the same words; ``send_back(dout)`` gives dx.
    x : (n, d) ndarray
    reads : int
        Place of the word whose output is read, from 0.
    """
    n, d = x.shape
    _, send_back = run(np.repeat(x[None], d, axis=0))  # one copy for each number of the output
    dout = np.zeros((d, n, d))
    dout[:, reads] = np.eye(d)  # copy i asks for number i of the output
    jacobian = send_back(dout)  # (d, n, d), entry i, t, j: output i by number j of word t
    return np.sqrt((jacobian**2).sum(axis=(0, 2)) / d)[reads::-1]


def conv_sizes(k, n_layers, seed, n=N, d=D):  # -> (n,)
    """Convolutions with ReLU on top of each other; words on both sides, as many as the stack can hear.

    Beyond its reach, `n_layers * (k - 1) / 2`, the slope is exactly 0, and inside it is largest near the
    middle: Luo et al., "Understanding the effective receptive field" (2016).
    """
    rng = np.random.default_rng(seed)
    x = words(rng, n + reach(n_layers, k), d)
    kernels = rng.standard_normal((n_layers, k, d, d)) * np.sqrt(2 / (k * d))  # He et al. (2015), equation 10

    def run(x):
        x, awake = x[:1], []  # all copies are alike: one of them tells which units are awake
        for w in kernels:
            x = convolution(x, w)[0]
            awake.append(x > 0)
            x = np.maximum(x, 0)
        return x, lambda dout: conv_stack_backward(dout, kernels, awake)

    return sizes_by_distance(run, x, n - 1)


def conv_stack_backward(dout, kernels, awake):  # (batch, n, d) -> (batch, n, d)
    """Send a gradient down to the words; on this way no weight's gradient is needed.

    Back through a centred convolution is a convolution with its window turned round and each matrix
    transposed.
    """
    for w, on in zip(kernels[::-1], awake[::-1], strict=True):
        dout = convolution(dout * on, w[::-1].swapaxes(1, 2))[0]
    return dout


def rnn_sizes(rho, seed, activation="linear", n=N, d=D):  # -> (n,)
    """A recurrent network whose state is turned and stretched by rho at every step: W_h = rho * orthogonal.

    Linear, a word t steps back arrives multiplied by exactly ``rho ** t`` (Pascanu et al., "On the difficulty
    of training recurrent neural networks", 2013, section 2.1).
    """
    rng = np.random.default_rng(seed)
    x, w_x, w_h = words(rng, n, d), projection(rng, d, d), rho * orthogonal(rng, d)

    def run(x):
        out, cache = rnn(x, w_x, w_h, activation=activation)
        return out, lambda dout: rnn_backward(dout, cache)[0]

    return sizes_by_distance(run, x, n - 1)


def powers(start, rho, n=N):  # -> (n,)
    """What theory says of the linear one: the nearest word's size times ``rho ** t``."""
    return start * float(rho) ** np.arange(n)


def gru_sizes(seed, n=N, d=D):  # -> (n,)
    """A gated recurrent unit at its start: orthogonal recurrent weights, no shifts, gates around one half."""
    rng = np.random.default_rng(seed)
    x, w_x = words(rng, n, d), np.hstack([projection(rng, d, d) for _ in range(3)])
    w_h = np.hstack([orthogonal(rng, d) for _ in range(3)])

    def run(x):
        out, cache = gru(x, w_x, w_h)
        return out, lambda dout: gru_backward(dout, cache)[0]

    return sizes_by_distance(run, x, n - 1)


def attention_sizes(seed, match=None, n=N, d=D):  # -> (n,)
    """One head of self-attention, keys as they are.

    Parameters
    ----------
    seed : int
    match : int, optional
        The last word's query equals the key so many steps back. Without it every query is 0, all scores are
        equal, and every word gets the weight 1 / n.

    Raises
    ------
    ValueError
        If no word stands so many steps back.
    """
    if match is not None and not 0 < match < n:
        raise ValueError(f"the matching word must stand 1 ... {n - 1} steps back, got {match}")
    rng = np.random.default_rng(seed)
    x, w_v = words(rng, n, d), projection(rng, d, d)
    w_q = np.zeros((d, d))
    if match is not None:  # the one matrix of rank 1 that turns the last word into the matching one
        w_q = np.outer(x[-1], x[-1 - match]) / (x[-1] @ x[-1])

    def run(x):
        out, cache = scaled_dot_product_attention(x @ w_q, x, x @ w_v)
        return out, lambda dout: send_back(*scaled_dot_product_attention_backward(dout, cache))

    def send_back(dq, dk, dv):
        return dq @ w_q.T + dk + dv @ w_v.T

    return sizes_by_distance(run, x, n - 1)
