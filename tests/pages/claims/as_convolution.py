"""Page 5, nine heads as a convolution: weights straight from distances, the convolution as nine shifts."""

import math
from functools import lru_cache

import numpy as np

SIDE, GROUND, LIT = 16, 0.25, 1.0
Y, X = np.indices((SIDE, SIDE)) - 7.5
DRAWN = {
    "disk": Y * Y + X * X < 27.04,
    "square": (abs(Y) < 5) & (abs(X) < 5),
    "stripes": (Y + X + 15) % 8 < 4,
    "letter": ((abs(Y + 4) < 1.2) & (abs(X) < 5)) | ((abs(X) < 1.2) & (abs(Y) < 5)),
}
ACROSS = np.outer([1.0, 2, 1], [-1, 0, 1])
KERNELS = {"upright": ACROSS, "level": ACROSS.T, "blur": np.outer([1, 2, 1], [1, 2, 1]) / 16}
ASKING = {"middle": (7, 7), "edge": (7, 0), "corner": (0, 0)}
OFFSETS = [(down, across) for down in (-1, 0, 1) for across in (-1, 0, 1)]


def written(value):
    return f"{'−' if value < -0.005 else ''}{abs(value):.2f}"


def image_of(name):
    return np.where(DRAWN[name], LIT, GROUND)


@lru_cache
def weights(offset, alpha, padded):
    """(row, column) that asks, (row, column) of the key; with padding words keys begin one earlier."""
    keys = np.arange(-1, SIDE + 1) if padded else np.arange(SIDE)
    one = [np.exp(-alpha * (keys[None] - np.arange(SIDE)[:, None] - step) ** 2.0) for step in offset]
    down, across = (part / part.sum(axis=1, keepdims=True) for part in one)
    return down, across  # the exponential of a sum is a product


def attended(image, kernel, alpha, padded):
    values, out = np.pad(image_of(image), int(padded)), np.zeros((SIDE, SIDE))
    for offset, entry in zip(OFFSETS, KERNELS[kernel].ravel(), strict=True):
        down, across = weights(offset, alpha, padded)
        out += entry * (down @ values @ across.T)
    return out


def convolved(image, kernel):
    values = np.pad(image_of(image), 1)
    parts = zip(OFFSETS, KERNELS[kernel].ravel(), strict=True)
    return sum(entry * values[1 + i : 1 + i + SIDE, 1 + j : 1 + j + SIDE] for (i, j), entry in parts)


def differences(image, kernel, alpha, padded):
    gap = abs(attended(image, kernel, alpha, padded) - convolved(image, kernel))
    inner = np.zeros((SIDE, SIDE), bool)
    inner[1:-1, 1:-1] = True
    return gap[inner].max(), gap[~inner].max()


def to_two_digits(value):
    """A condition on a text: it tells this size with two digits; what is rounding, about."""
    signs = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")

    def holds(told):
        digits, _, power = told.partition(" × 10")
        size = float(digits) * 10.0 ** int(power.translate(signs) or 0)
        if value < 1e-12:
            return size < 2 * value + 1e-15
        return abs(size - value) <= 0.0501 * 10.0 ** math.floor(math.log10(value) + 1e-9)

    return holds


def as_convolution(given):
    image, kernel, alpha, padded = (given[name] for name in ("image", "kernel", "alpha", "padded"))
    drawn = {"image": given.words(f"options.image.{image}"), "side": SIDE, "n": SIDE**2}
    drawn |= {"ground": GROUND, "lit": LIT}
    due = {"image_picture": drawn, "image_picture_alt": drawn}
    outs = {"attention": attended(image, kernel, alpha, padded), "conv": convolved(image, kernel)}
    for name, out in outs.items():
        range_ = {"alpha": alpha, "low": written(out.min()), "high": written(out.max())}
        due |= {f"{name}_picture": range_, f"{name}_picture_alt": range_}
    inside, border = differences(image, kernel, alpha, padded)
    gap = {"alpha": alpha, "inside": to_two_digits(inside), "border": to_two_digits(border)}
    due |= {"difference_picture": gap, "difference_picture_alt": gap}
    due |= the_looks(given, alpha, padded) | the_way_of_the_error(image, kernel, padded)
    told = fewer(KERNELS[kernel])
    due |= {"few_heads" if told["enough"] > 1 else "one_head": told}
    return due | what_is_said(alpha, padded, inside, border, gap)


def the_looks(given, alpha, padded):
    row, column = ASKING[given["asking"]]
    aims = []
    for offset in OFFSETS:
        down, across = weights(offset, alpha, padded)
        y, x = row + offset[0] + padded, column + offset[1] + padded
        if 0 <= y < down.shape[1] and 0 <= x < across.shape[1]:
            aims.append(down[row, y] * across[column, x])
    told = {"row": row + 1, "column": column + 1, "alpha": alpha, "least": min(aims)}
    told["missing"] = 9 - len(aims)
    key = "heads_missing_picture" if told["missing"] else "heads_picture"
    return {key: told, f"{key}_alt": told}


def the_way_of_the_error(image, kernel, padded):
    four, sixteen = (differences(image, kernel, alpha, padded)[0] for alpha in (4, 16))
    inside, border = differences(image, kernel, 32, padded)
    told = {"first": 4, "last": 16, "most": 32, "factor": math.exp(math.log(four / sixteen) / 12)}
    assert abs(told["factor"] - math.e) < 0.02, "close to e"
    told |= {"inside": to_two_digits(inside), "border": to_two_digits(border)}
    return {"alpha_picture": told, "alpha_picture_alt": told}


def fewer(kernel):
    """Nine matrices of 8 x 8 as rows: what their best approximations of rank 3 and 8 leave."""
    rows = np.random.default_rng(0).standard_normal((9, 64))
    u, sizes, v = np.linalg.svd(rows, full_matrices=False)
    left = {h: np.linalg.norm(rows - u[:, :h] * sizes[:h] @ v[:h]) / np.linalg.norm(rows) for h in (3, 8)}
    signs = {float(np.sign(entry)) for entry in kernel.ravel()} - {0.0}
    return {"enough": len(signs), "d": 8, "few": 3, "few_left": left[3], "more": 8, "more_left": left[8]}


def what_is_said(alpha, padded, inside, border, gap):
    more = sum(2 * math.exp(-alpha * m * m) for m in range(1, 8))  # along one axis, beside the neighbour's 1
    spilt = (2 * more + more**2) / (1 + more) ** 2
    told = gap | {"spilt": to_two_digits(spilt)}
    if spilt > 0.05:
        assert inside > 1e-3, "off"
        return {"says_blurred": told}
    assert inside < 0.01, "at most"
    if padded:
        assert border < 0.01, "at the border too"
        return {"says_padded": told}
    assert border > 10 * inside, "yet at the border"
    return {"says_border": told}
