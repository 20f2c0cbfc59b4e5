"""Attention can be a convolution: nine heads that look at fixed neighbours filter a small picture."""

from functools import lru_cache

import numpy as np
import pandas as pd
import streamlit as st

from core.experiments import bias_and_cost_as_convolution as conv
from pages.shared import charts
from pages.shared.amounts import signed

ALPHAS = (0.25, 0.5, 1, 2, 4, 8, 16, 32)
TICKS = (1, 4, 8, 16, 32)
FALLING = (4, 16)  # alphas between which the error is neither blurred nor rounding
LEAST = 1e-15  # the end of the error axis: below there is nothing but rounding
SPILT = 0.05  # of its weight: a head that lets more go elsewhere does not look at its neighbour
LAST = conv.SIDE - 1
ASKING = {"middle": (LAST // 2, LAST // 2), "edge": (LAST // 2, 0), "corner": (0, 0)}
REACH = 2  # cells around the pixel that asks
WIDE = 8  # numbers of a word, where every entry of the window is a matrix
FEW = (3, 8)  # heads


def as_convolution(s):
    with s.inputs:
        image = s.ask.choice("image", conv.IMAGES)
        kernel = s.ask.choice("kernel", tuple(conv.KERNELS))
        alpha = s.ask.pick("alpha", ALPHAS, 8)
        padded = s.ask.toggle("padded")
        asking = s.ask.choice("asking", tuple(ASKING))
        image_picture(s, image)
    attended, convolved = (out[..., conv.IMAGES.index(image)] for out in filtered(kernel, alpha, padded))
    gap = conv.difference(attended, convolved)
    with s.picture:
        by_heads, by_kernel, apart, looking = (*st.columns(2), *st.columns(2))  # below each other on a phone
        filtered_pictures(s, attended, convolved, alpha, gap, (by_heads, by_kernel, apart))
        with looking:
            heads_picture(s, kernel, alpha, padded, asking)
        alpha_picture(s, image, kernel, alpha, padded)
        s.stamp("by_formula")
        few_heads(s, kernel)
    say_how_close(s, alpha, padded, gap)
    s.details(
        code=[
            *(conv.queries, conv.keys, conv.look, conv.found_by_heads, conv.by_attention),
            *(conv.by_convolution, conv.found_by_axes, conv.least_left),
        ],
        numbers=lambda: by_alpha_table(image, kernel),
    )


# --- what is computed once for all readers ---


@lru_cache(maxsize=2)
def images():  # -> (side, side, 4)
    """All pictures in one, so that the heads look at them together."""
    return np.stack([conv.image(name) for name in conv.IMAGES], axis=-1)


@lru_cache(maxsize=16)
def found(alpha, padded):
    return conv.found_by_heads(images(), alpha, padded)


@lru_cache(maxsize=64)
def filtered(kernel, alpha, padded):
    """All pictures by attention, and by the convolution."""
    entries = conv.KERNELS[kernel]
    return conv.by_attention(found(alpha, padded), entries), conv.by_convolution(images(), entries)


@lru_cache(maxsize=64)
def by_alpha(image, kernel, padded):
    pixels = conv.image(image)[..., None]
    return conv.difference_by_alpha(pixels, conv.KERNELS[kernel], ALPHAS, padded)


@lru_cache(maxsize=64)
def looks(asking, alpha, padded):
    return conv.looks_of(ASKING[asking], alpha, padded)


@lru_cache(maxsize=1)
def left_by_heads():
    rng = np.random.default_rng(0)
    return conv.least_left(rng.standard_normal((len(conv.OFFSETS), WIDE, WIDE)))


# --- what there is to see ---


def image_picture(s, image):
    titles = (s.words("row"), s.words("column"), s.words("grey"))
    s.chart(
        charts.connections_map(conv.image(image), "neutral", titles),
        "image_picture",
        **{"image": s.words(f"options.image.{image}"), "n": conv.SIDE**2, "side": conv.SIDE},
        **{"ground": conv.GREY, "lit": conv.LIT},
    )


def filtered_pictures(s, attended, convolved, alpha, gap, places):
    """By nine heads, by the convolution, and their difference, all on one scale."""
    bound = charts.nice_bound([attended, convolved])
    titles = (s.words("row"), s.words("column"), s.words("filtered"))
    shown = {"attention": attended, "conv": convolved, "difference": attended - convolved}
    for place, (name, out) in zip(places, shown.items(), strict=True):
        facts = (
            gap_told(gap) if name == "difference" else {"low": signed(out.min()), "high": signed(out.max())}
        )
        with place:
            s.chart(charts.pixels(out, titles, bound), f"{name}_picture", alpha=alpha, **facts)


def gap_told(gap):
    return {name: charts.two_digits(size) for name, size in gap._asdict().items()}


def heads_picture(s, kernel, alpha, padded, asking):
    """Where the nine heads of one pixel look, cut out around it."""
    ring, around = int(padded), looks(asking, alpha, padded)
    wide = np.pad(around, ((0, 0), *[(REACH - ring,) * 2] * 2), constant_values=np.nan)
    row, column = ASKING[asking]
    span = 2 * REACH + 1
    maps = wide[:, row : row + span, column : column + span]
    entries = [f"× {entry:g}".replace("-", "−") for entry in conv.KERNELS[kernel].ravel()]
    titles = (s.words("row"), s.words("column"), s.words("weight"))
    first = (row + 1 - REACH, column + 1 - REACH)
    picture = charts.windows(maps, entries, titles, first, conv.SIDE)
    aims = np.array([maps[i, REACH + down, REACH + across] for i, (down, across) in enumerate(conv.OFFSETS)])
    missing = int(np.isnan(aims).sum())
    facts = {"row": row + 1, "column": column + 1, "alpha": alpha, "least": np.nanmin(aims)}
    title = "heads_missing_picture" if missing else "heads_picture"
    s.chart(picture, title, missing=missing, **facts)


def alpha_picture(s, image, kernel, alpha, padded):
    gaps = by_alpha(image, kernel, padded)
    lines = ("inside", "border")
    data = {
        "x": ALPHAS * len(lines),
        "y": [max(getattr(gap, name), LEAST) for name in lines for gap in gaps],
        "name": [s.words(name) for name in lines for _ in gaps],
    }
    picture = charts.curves(
        data,
        [(s.words(name), "attention") for name in lines],
        ("α", s.words("error")),
        log=("y",),
        domains=((0, ALPHAS[-1]), (LEAST, 10)),
        ticks=TICKS,
        powers=(-15, -10, -5, 0),
        at=alpha,
        height=300,
    )
    low, high = (gaps[ALPHAS.index(a)].inside for a in FALLING)
    factor = (low / high) ** (1 / (FALLING[1] - FALLING[0]))
    facts = {"factor": factor, "first": FALLING[0], "last": FALLING[1], "most": ALPHAS[-1]}
    s.chart(picture, "alpha_picture", **facts, **gap_told(gaps[-1]))


def few_heads(s, kernel):
    left = left_by_heads()
    few, more = FEW
    facts = {"few": few, "few_left": left[few], "more": more, "more_left": left[more], "d": WIDE}
    enough = conv.enough_heads(conv.KERNELS[kernel])
    st.caption(s.words("few_heads" if enough > 1 else "one_head", enough=enough, **facts))


def say_how_close(s, alpha, padded, gap):
    down, across = ASKING["middle"]
    weights = looks("middle", alpha, padded)
    centre = weights[len(conv.OFFSETS) // 2].copy()
    centre[down + padded, across + padded] = 0
    spilt = centre.sum()  # not 1 - weight, which would be nothing but rounding
    key = "says_blurred" if spilt > SPILT else "says_padded" if padded else "says_border"
    s.says(key, alpha=alpha, spilt=charts.two_digits(spilt), **gap_told(gap))


def by_alpha_table(image, kernel):
    found = {padded: by_alpha(image, kernel, padded) for padded in (False, True)}
    columns = {
        f"{name}, {'padded' if padded else 'not padded'}": [getattr(gap, name) for gap in gaps]
        for padded, gaps in found.items()
        for name in conv.Difference._fields
    }
    return pd.DataFrame({"alpha": ALPHAS, **columns})
