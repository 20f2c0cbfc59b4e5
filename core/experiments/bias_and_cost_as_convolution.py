"""Page 5: heads that look at fixed neighbours, so that attention becomes a convolution of a small picture.

Every pixel is a word. A head scores the pixel at p_j, asked from p_i, by ``-alpha |p_j - p_i - offset|^2``:
a true product of a query made from p_i and a key made from p_j, for what belongs to the query alone is the
same along its row and drops out of the softmax. The larger alpha, the closer the head keeps to its
neighbour. Each head's find is multiplied by one entry of the kernel, and all of them are added up.

This is the construction of Cordonnier, Loukas, Jaggi, "On the Relationship between Self-Attention and
Convolutional Layers" (2020), theorem 1, with places counted from the middle instead of relative ones.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.convolution import convolution

SIDE = 16  # pixels
GREY, LIT = 0.25, 1.0  # of the ground and of what is drawn on it: the ground is not 0, so borders show
IMAGES = ("disk", "square", "stripes", "letter")
KERNELS = {  # (3, 3): rows from the upper neighbours to the lower ones
    "upright": np.array([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]),  # Sobel, across
    "level": np.array([[-1.0, -2, -1], [0, 0, 0], [1, 2, 1]]),  # Sobel, down
    "blur": np.array([[1.0, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16,
}
OFFSETS = tuple((down, across) for down in (-1, 0, 1) for across in (-1, 0, 1))  # a head each


class Difference(NamedTuple):
    """Largest distance of attention from the convolution."""

    inside: float
    border: float  # among the pixels whose window reaches over the edge


def image(name):  # -> (SIDE, SIDE)
    """Draw one of IMAGES by formula."""
    down, across = np.indices((SIDE, SIDE))
    y, x = down - (SIDE - 1) / 2, across - (SIDE - 1) / 2
    lit = {
        "disk": y**2 + x**2 < 5.2**2,
        "square": np.maximum(abs(y), abs(x)) < 5,
        "stripes": (down + across) // 4 % 2 == 0,
        "letter": ((abs(y + 4) < 1.2) & (abs(x) < 5)) | ((abs(x) < 1.2) & (abs(y) < 5)),
    }[name]
    return np.where(lit, LIT, GREY)


# --- attention: a head for each neighbour -----------------------------------------------------------


def places(side, padded):  # -> (n, 2)
    """Where the words stand, (down, across) from the middle; padding words stand in a ring around them."""
    along = np.arange(side + 2 * padded) - (side - 1) / 2 - padded
    down, across = np.meshgrid(along, along, indexing="ij")
    return np.stack([down.ravel(), across.ravel()], axis=1)


def queries(at, offset, alpha):  # (n, 2) or (n, 1), offsets for each axis -> (n, 3) or (n, 2)
    """Ask for the neighbour at `offset`: (-alpha, 2 alpha (p_i + offset))."""
    return np.hstack([np.full((len(at), 1), -alpha), 2 * alpha * (at + np.asarray(offset))])


def keys(at):  # (n, 2) or (n, 1) -> (n, 3) or (n, 2)
    """Offer one's place: (|p_j|^2, p_j)."""
    return np.hstack([(at**2).sum(axis=1, keepdims=True), at])


def look(pixels, offset, alpha, padded, asking=slice(None)):
    """Let one head look for the neighbour at `offset`.

    Parameters
    ----------
    pixels : (side, side, d) ndarray
        Every number of a pixel is treated alike, so d pictures can be laid into one.
    offset : (int, int)
        How far (down, across) the neighbour is.
    alpha : float
    padded : bool
        Whether a ring of padding words of value 0 stands around the picture.
    asking : slice or array of int
        Which pixels ask, counted row by row; all where it is left out.

    Returns
    -------
    found : (n_asking, d) ndarray
        What the head brings home.
    weights : (n_asking, n_keys) ndarray
        Where it looked; keys are counted row by row, padding included.
    """
    side = len(pixels)
    q = queries(places(side, False)[asking], offset, alpha)
    words = places(side, padded)
    values = with_ring(pixels) if padded else pixels
    found, cache = scaled_dot_product_attention(q, keys(words), values.reshape(len(words), -1), scale=1.0)
    return found, cache.weights


def found_by_heads(pixels, alpha, padded):  # (side, side, d) -> (9, side, side, d)
    """Find what all nine heads bring home, all pixels asking; parameters as in `look`."""
    found = [look(pixels, offset, alpha, padded)[0] for offset in OFFSETS]
    return np.stack(found).reshape(len(OFFSETS), *pixels.shape)


def looks_of(pixel, alpha, padded):  # (down, across) -> (9, side or side + 2, side or side + 2)
    """Show where the nine heads of one pixel look; the ring of padding words is part of the answer."""
    asking = np.array([np.ravel_multi_index(pixel, (SIDE, SIDE))])
    nothing = np.zeros((SIDE, SIDE, 1))  # the weights know places alone
    weights = [look(nothing, offset, alpha, padded, asking)[1] for offset in OFFSETS]
    around = SIDE + 2 * padded
    return np.reshape(weights, (len(OFFSETS), around, around))


def by_attention(found, kernel):  # (9, side, side, d), (3, 3) -> (side, side, d)
    """Add up what nine heads found, each times its entry: the product of its value and output matrices."""
    return np.tensordot(kernel.ravel(), found, 1)


def found_by_axes(pixels, alpha, padded):  # (side, side, d) -> (9, side, side, d)
    """Find what all nine heads bring home, one axis after the other: the same, and far quicker.

    The score is a sum over the axes, so its exponential is a product, and so is each weight. Looking along
    the columns and then along the rows is looking at both.
    """
    values = with_ring(pixels) if padded else pixels
    down = [along(values, step, alpha) for step in (-1, 0, 1)]
    both = [along(half.swapaxes(0, 1), step, alpha).swapaxes(0, 1) for half in down for step in (-1, 0, 1)]
    inner = slice(1, -1) if padded else slice(None)  # padding words need no answer
    return np.stack(both)[:, inner, inner]


def along(values, step, alpha):  # (m, n, d) -> (m, n, d)
    """Look one step along the first axis, from every place."""
    at = np.arange(len(values))[:, None] - (len(values) - 1) / 2
    q, k = queries(at, (step,), alpha), keys(at)
    found, _ = scaled_dot_product_attention(q, k, values.reshape(len(values), -1), scale=1.0)
    return found.reshape(values.shape)


# --- convolution, and how the two compare -----------------------------------------------------------


def by_convolution(pixels, kernel):
    """Convolve with zeros around the picture: rows above and below are laid beside a row as its channels.

    Parameters
    ----------
    pixels : (side, side, d) ndarray
    kernel : (3, 3) ndarray

    Returns
    -------
    out : (side, side, d) ndarray
    """
    side, _, d = pixels.shape
    ringed = with_ring(pixels)[:, 1:-1]
    rows = np.concatenate([ringed[i : i + side] for i in range(3)], axis=-1)  # (side, side, 3 d)
    w = np.kron(kernel.T[:, :, None], np.eye(d)).reshape(3, 3 * d, d)  # every picture by itself
    out, _ = convolution(rows, w)
    return out


def with_ring(pixels):  # (side, side, d) -> (side + 2, side + 2, d)
    """Put zeros around a picture."""
    return np.pad(pixels, ((1, 1), (1, 1), (0, 0)))


def difference(out, wanted):  # (side, side), (side, side) -> Difference
    """Compare two results, the pixels at the border apart."""
    gap = abs(out - wanted)
    inside = gap[1:-1, 1:-1].max()
    gap[1:-1, 1:-1] = 0
    return Difference(float(inside), float(gap.max()))


def difference_by_alpha(pixels, kernel, alphas, padded):
    """Measure the difference for each alpha.

    Parameters
    ----------
    pixels : (side, side, 1) ndarray
    kernel : (3, 3) ndarray
    alphas : sequence of float
    padded : bool

    Returns
    -------
    list of Difference
    """
    wanted = by_convolution(pixels, kernel)[..., 0]
    outs = [by_attention(found_by_axes(pixels, alpha, padded), kernel) for alpha in alphas]
    return [difference(out[..., 0], wanted) for out in outs]


# --- how many heads it takes ------------------------------------------------------------------------


def enough_heads(kernel):  # (3, 3) -> int
    """Count the heads that do for a grey picture: one shares its looks among the positive entries, one
    among the negative ones.
    """
    return int((kernel > 0).any()) + int((kernel < 0).any())


def least_left(w):
    """Bound from below what heads whose weights know places alone leave of a convolution.

    Such a layer is a sum of one (weights) x (matrix) for each head, a convolution one of (shift) x (matrix)
    for each entry of its window. Shifts are orthogonal and equally long away from the border, so the best
    sum of H products is that of the H largest singular values of the matrices laid out as rows (Eckart,
    Young, 1936).

    Parameters
    ----------
    w : (n_entries, d_in, d_out) ndarray
        A matrix for each place of the window.

    Returns
    -------
    left : (n_entries + 1,) ndarray
        For 0, 1, ... heads: root mean square of the error on random input, as a share of the output's.
    """
    sizes = np.linalg.svd(w.reshape(len(w), -1), compute_uv=False) ** 2
    sizes = np.pad(sizes, (0, len(w) - len(sizes)))
    left = np.append(np.cumsum(sizes[::-1])[::-1], 0.0)
    return np.sqrt(left / left[0])
