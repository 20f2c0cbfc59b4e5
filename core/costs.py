"""What one layer costs by formula: operations, memory, serial steps, longest path (lecture: the price).

Exact integers. A multiply-add counts as two operations, as is usual where processors are compared.
"""

from typing import NamedTuple

LAYERS = ("attention", "rnn", "conv")


class Cost(NamedTuple):
    """The bill of one layer for n tokens of width d; only the path may lead through several layers."""

    operations: int  # of its matrix products
    between: int  # numbers in its largest array between input and output
    serial_steps: int  # rounds that wait for the one before; the few products of a round are not told apart
    longest_path: int  # layers or states on the way from the first token to the last output


def attention_cost(n, d, projections=False):
    """Count ``softmax(q k^T) v``: two products of n x d x n, and n x n weights between them.

    Parameters
    ----------
    n, d : int
        Tokens and their width.
    projections : bool
        Whether W_q, W_k, W_v and W_o, four products of n x d x d, are counted too.

    References
    ----------
    Vaswani et al., "Attention Is All You Need" (2017), table 1: O(n^2 d), O(1), O(1), without projections.
    """
    operations = 4 * n * n * d + (8 * n * d * d if projections else 0)
    return Cost(operations, between=n * n, serial_steps=1, longest_path=1)


def rnn_cost(n, d):
    """Count ``x_t W_x + h W_h``: two products of n x d x d, the second one row at a time.

    References
    ----------
    Vaswani et al. (2017), table 1: O(n d^2), O(n), O(n).
    """
    return Cost(4 * n * d * d, between=n * d, serial_steps=n, longest_path=n)


def conv_cost(n, d, k, growth=1):
    """Count one layer of k taps, d to d: k products of n x d x d, borders counted in full.

    The path is the number of such layers that the first token needs to reach the last one; `growth` says how
    many times as far apart the taps of each next layer lie.

    References
    ----------
    Vaswani et al. (2017), table 1 and section 4: O(k n d^2), O(1), O(n / k); O(log_k n) with growth k.
    """
    path = max(1, layers_to_reach(n - 1, k, growth))  # a single token goes through one layer too
    return Cost(2 * k * n * d * d, between=n * d, serial_steps=1, longest_path=path)


def layers_to_reach(distance, k, growth=1):
    """Count the layers of centred windows of odd span k that carry a token `distance` places.

    The taps of the lowest layer lie side by side, those of each next layer `growth` times as far apart: 1 is
    the contiguous convolution, 2 the doubling of WaveNet, k the widest growth that leaves no gap. A layer
    reaches (k - 1) / 2 of its gaps, so l layers reach (k - 1) / 2 times 1 + growth + ... + growth^(l - 1).

    Raises
    ------
    ValueError
        If k is even or less than 3: such a window is not centred, or reaches nobody. If growth is below 1.

    References
    ----------
    Vaswani et al. (2017), section 4: O(n / k), and O(log_k n) for taps that spread k-fold. van den Oord et
    al., "WaveNet" (2016), section 2.1, doubles: O(log_2(n / k)).
    """
    if k < 3 or k % 2 == 0:
        raise ValueError(f"a centred window that reaches further needs an odd k of 3 at least; got {k}")
    if growth < 1:
        raise ValueError(f"the taps can lie no closer than in the layer before; got growth {growth}")
    gaps = -(-distance // (k // 2))  # to be crossed; rounded up, in whole numbers
    if growth == 1:
        return gaps
    layers, crossed = 0, 0
    while crossed < gaps:
        crossed += growth**layers
        layers += 1
    return layers


def parameters(layer, n, d, k):
    """Count the numbers that one layer learns, shifts left out.

    The fully connected layer reads the n tokens as one vector of n d numbers and has a number of its own for
    each pair of them; the other layers use the same numbers at every place.
    """
    return {"dense": (n * d) ** 2, "attention": 4 * d * d, "rnn": 2 * d * d, "conv": k * d * d}[layer]


def attention_share(n, d):
    """Return the share of the two n x n products in all multiply-adds of a block.

    The block has four projections of n x d x d and an MLP of two products of n x d x 4d: 24 n d^2 operations.
    No product is halved by a causal mask.
    """
    products = attention_cost(n, d).operations
    return products / (products + 24 * n * d * d)  # n / (n + 6 d): one half at n = 6 d
