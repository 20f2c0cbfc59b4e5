"""Nine heads against a convolution by loops, bounds worked out by hand, and what fewer heads can do."""

import math

import numpy as np
import pytest

from core.blocks.attention import scaled_dot_product_attention
from core.experiments import bias_and_cost_as_convolution as conv

FOUR = np.stack([conv.image(name) for name in conv.IMAGES], axis=-1)
SPAN = conv.LIT - conv.GREY
kernels = pytest.mark.parametrize("kernel", conv.KERNELS.values(), ids=list(conv.KERNELS))


def by_loops(image, kernel, outside):
    """Convolve as the formula says; `outside` is "zero" or "nearest"."""
    side = len(image)
    out = np.zeros((side, side))
    for y, x in np.ndindex(side, side):
        for i, j in np.ndindex(3, 3):
            row, column = y + i - 1, x + j - 1
            there = 0 <= row < side and 0 <= column < side
            nearest = image[min(max(row, 0), side - 1), min(max(column, 0), side - 1)]
            out[y, x] += kernel[i, j] * (nearest if there or outside == "nearest" else 0)
    return out


def missed(alpha):
    """What a head gives to other pixels at most: 1 - 1 / (sum of e^(-alpha m^2) over all m)^2."""
    theta = sum(math.exp(-alpha * m * m) for m in range(-40, 41))
    return (theta**2 - 1) / theta**2


@kernels
def test_the_convolution_is_that_of_the_loops(kernel):
    out = conv.by_convolution(FOUR, kernel)
    for i in range(4):
        np.testing.assert_allclose(out[..., i], by_loops(FOUR[..., i], kernel, "zero"), atol=1e-14)


def test_sobel_at_pixels_worked_out_by_hand():
    out = conv.by_convolution(conv.image("square")[..., None], conv.KERNELS["upright"])[..., 0]
    assert out[8, 3] == pytest.approx(4 * SPAN)  # the square's left edge: 1 + 2 + 1 pixels that differ
    assert out[8, 8] == 0
    assert out[8, 0] == pytest.approx(4 * conv.GREY)  # zeros on the left of the ground
    assert out[0, 0] == pytest.approx(3 * conv.GREY)  # and above: one row of the window is gone


# --- a head -----------------------------------------------------------------------------------------


def test_scores_are_minus_alpha_times_the_squared_distance_up_to_a_shift_of_each_row():
    at, offset, alpha = conv.places(5, padded=True), (1, -1), 0.7
    scores = conv.queries(at, offset, alpha) @ conv.keys(at).T
    wanted = -alpha * ((at[None] - at[:, None] - offset) ** 2).sum(axis=-1)
    np.testing.assert_allclose(np.ptp(scores - wanted, axis=1), 0, atol=1e-12)


def test_the_weights_of_one_pixel_by_hand():
    looks = conv.looks_of((8, 5), alpha=1.5, padded=False)
    for (down, across), weights in zip(conv.OFFSETS, looks, strict=True):
        assert weights.sum() == pytest.approx(1)
        assert np.unravel_index(weights.argmax(), weights.shape) == (8 + down, 5 + across)
        # one pixel further off than the neighbour: e^-1.5 of its weight; diagonally e^-3
        ratios = weights[8 + down + 1, 5 + across : 5 + across + 2] / weights.max()
        np.testing.assert_allclose(ratios, np.exp([-1.5, -3]))


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("alpha", [0.5, 8])
def test_one_axis_after_the_other_finds_the_same(alpha, padded):
    quick, whole = (find(FOUR, alpha, padded) for find in (conv.found_by_axes, conv.found_by_heads))
    np.testing.assert_allclose(quick, whole, rtol=0, atol=1e-14)


def test_weights_shown_are_those_that_worked():
    looks = conv.looks_of((0, 15), 2, padded=True)
    values = np.pad(conv.image("letter"), 1)
    found = conv.found_by_heads(conv.image("letter")[..., None], 2, padded=True)
    np.testing.assert_allclose((looks * values).sum(axis=(1, 2)), found[:, 0, 15, 0], atol=1e-14)


# --- nine heads -------------------------------------------------------------------------------------


@kernels
@pytest.mark.parametrize("alpha", [1, 4, 8, 16])
def test_inside_the_error_keeps_to_the_bound_of_the_weight_that_goes_astray(kernel, alpha):
    out, wanted = (
        conv.by_attention(conv.found_by_axes(FOUR, alpha, padded=False), kernel),
        conv.by_convolution(FOUR, kernel),
    )
    for i in range(4):
        gap = conv.difference(out[..., i], wanted[..., i])
        assert 0 < gap.inside <= abs(kernel).sum() * SPAN * missed(alpha)


@kernels
def test_at_the_largest_alpha_nothing_is_left_but_rounding(kernel):
    padded, bare = (conv.by_attention(conv.found_by_heads(FOUR, 32, ring), kernel) for ring in (True, False))
    for i in range(4):
        np.testing.assert_allclose(padded[..., i], by_loops(FOUR[..., i], kernel, "zero"), atol=1e-12)
        # Without padding words the nearest pixel is looked at: the edge is repeated.
        np.testing.assert_allclose(bare[..., i], by_loops(FOUR[..., i], kernel, "nearest"), atol=1e-12)


@kernels
@pytest.mark.parametrize("name", conv.IMAGES)
def test_the_border_is_wrong_by_what_the_zeros_are_worth_until_it_is_padded(name, kernel):
    pixels = conv.image(name)[..., None]
    (bare,), (padded,) = (conv.difference_by_alpha(pixels, kernel, [16], ring) for ring in (False, True))
    nearest, zero = (by_loops(pixels[..., 0], kernel, outside) for outside in ("nearest", "zero"))
    assert bare.border == pytest.approx(abs(nearest - zero).max(), abs=1e-5)
    assert bare.border > 0.1 and padded.border < 1e-5 and bare.inside < 1e-5


def test_each_step_of_alpha_divides_the_error_by_e():
    near, far = conv.difference_by_alpha(
        conv.image("disk")[..., None], conv.KERNELS["upright"], [8, 12], True
    )
    assert near.inside / far.inside == pytest.approx(math.exp(4), rel=0.01)


def test_inside_and_border_are_told_apart():
    wanted, out = np.zeros((4, 4)), np.zeros((4, 4))
    out[1, 2], out[3, 0] = -2, 0.5
    assert conv.difference(out, wanted) == (2, 0.5)


# --- how many heads ---------------------------------------------------------------------------------


def test_what_fewer_heads_leave_is_that_of_the_best_sum_of_products():
    """On a ring of words the convolution's whole matrix can be split by brute force."""
    n, d = 7, 2
    w = np.random.default_rng(3).standard_normal((3, d, d))
    whole = sum(np.kron(np.roll(np.eye(n), step, axis=1), w[step + 1]) for step in (-1, 0, 1))
    rows = whole.reshape(n, d, n, d).transpose(0, 2, 1, 3).reshape(n * n, d * d)  # a row for each pair
    sizes = np.linalg.svd(rows, compute_uv=False)
    wanted = [math.sqrt((sizes[h:] ** 2).sum() / (sizes**2).sum()) for h in range(4)]
    np.testing.assert_allclose(conv.least_left(w), wanted, atol=1e-7)


def test_equal_and_orthogonal_matrices_leave_equal_shares():
    w = np.eye(9).reshape(9, 3, 3)  # one entry each: orthogonal, of length 1
    np.testing.assert_allclose(conv.least_left(w), [math.sqrt((9 - h) / 9) for h in range(10)], atol=1e-12)
    assert conv.least_left(np.ones((9, 3, 3)))[1] == pytest.approx(0, abs=1e-7)  # all the same: one head


@kernels
def test_on_a_grey_picture_so_few_heads_do(kernel):
    """Heads whose scores are the logarithms of the entries of one sign, at whatever distance they stand."""
    n, out, heads = conv.SIDE + 2, 0.0, 0
    values = np.pad(conv.image("stripes"), 1).reshape(-1, 1)
    for sign in (1, -1):
        entries = np.maximum(sign * kernel, 0)
        if entries.any():
            scores = np.full((conv.SIDE, conv.SIDE, n, n), -np.inf)
            with np.errstate(divide="ignore"):
                for y, x in np.ndindex(conv.SIDE, conv.SIDE):
                    scores[y, x, y : y + 3, x : x + 3] = np.log(entries)
            nothing = np.zeros((conv.SIDE**2, 1)), np.zeros((n * n, 1))
            found, _ = scaled_dot_product_attention(*nothing, values, scores.reshape(conv.SIDE**2, -1))
            out, heads = out + sign * entries.sum() * found.reshape(conv.SIDE, conv.SIDE), heads + 1
    assert heads == conv.enough_heads(kernel)
    np.testing.assert_allclose(out, by_loops(conv.image("stripes"), kernel, "zero"), atol=1e-12)
