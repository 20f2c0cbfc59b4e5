"""What a Transformer block wraps around each of its parts: a residual path past it, and a layer norm.

Where the layer norm stands is a choice. The original Transformer put it after the sum ("post"), later models
before the part ("pre"), where the residual path stays free of it from the first block to the last.
"""

from typing import NamedTuple

import numpy as np

from core.blocks.norms import LayerNormCache, layer_norm, layer_norm_backward
from core.blocks.rows import RowsCache, pick_rows, pick_rows_backward


class NormParams(NamedTuple):
    """Gain and shift of a layer norm; None for a norm without them. Gradients come in the same form."""

    gamma: np.ndarray | None  # (d_model,)
    beta: np.ndarray | None  # (d_model,)


class Wiring(NamedTuple):
    """How a part is wrapped."""

    norm: str = "pre"  # "pre", "post" or "off"
    residual: bool = True
    eps: float = 1e-5


class Stage(NamedTuple):
    """One array on the way through a block, under the name of what made it."""

    name: str
    array: np.ndarray


class SublayerCache(NamedTuple):
    """What ran: the part itself, and the layer norm unless it was off."""

    part: tuple
    norm: LayerNormCache | None
    norm_params: NormParams
    wiring: Wiring
    stages: tuple[Stage, ...]
    picked: RowsCache | None = None  # the rows that the residual path took along, if not all


def sublayer(x, part, norm_params, wiring, names, rows=None):  # (..., d_model) -> (..., d_model)
    """Run a part inside its wrapping: ``x + part(norm(x))`` for "pre", ``norm(x + part(x))`` for "post".

    Parameters
    ----------
    x : (..., d_model) ndarray
    part : callable
        ``part(x) -> (out, cache)``.
    norm_params : NormParams
    wiring : Wiring
    names : (str, str, str)
        Names of the stages of the norm, the part and the sum.
    rows : (..., m) array_like of int, optional
        Places of the only words that the part answers, and so the only ones that go on.

    Returns
    -------
    out : (..., d_model) ndarray
    cache : SublayerCache
        Its stages are those that ran, in the order in which they ran.

    Raises
    ------
    ValueError
        If the wiring names an unknown place for the norm.

    References
    ----------
    Xiong et al., "On Layer Normalization in the Transformer Architecture" (2020), table 1.
    """
    if wiring.norm not in ("pre", "post", "off"):
        raise ValueError(f"norm must be pre, post or off; got {wiring.norm!r}")
    norm_name, part_name, sum_name = names
    stages, inner, norm_cache, picked = [], x, None, None
    if wiring.norm == "pre":  # 1
        inner, norm_cache = layer_norm(x, *norm_params, wiring.eps)
        stages.append(Stage(norm_name, inner))
    out, part_cache = part(inner)  # 2
    stages.append(Stage(part_name, out))
    if wiring.residual:  # 3
        if rows is not None:
            x, picked = pick_rows(x, rows)
        out = x + out
        stages.append(Stage(sum_name, out))
    if wiring.norm == "post":  # 4
        out, norm_cache = layer_norm(out, *norm_params, wiring.eps)
        stages.append(Stage(norm_name, out))
    return out, SublayerCache(part_cache, norm_cache, norm_params, wiring, tuple(stages), picked)


def sublayer_backward(dout, cache, part_backward):
    """Send a gradient back through `sublayer`.

    Parameters
    ----------
    dout : (..., d_model) ndarray
        Gradient of the loss with respect to the output.
    cache : SublayerCache
    part_backward : callable
        ``part_backward(dout, cache) -> (dx, dparams)``, the other half of the part.

    Returns
    -------
    dx : (..., d_model) ndarray
    dparams : NamedTuple
        Gradients of the part's parameters.
    dnorm : NormParams
        Zeros if the norm was off.
    """
    wiring = cache.wiring
    dnorm = zeros_like_params(cache.norm_params) if wiring.norm == "off" else None
    if wiring.norm == "post":  # 4
        dout, *dnorm = layer_norm_backward(dout, cache.norm)
    dx, dparams = part_backward(dout, cache.part)  # 3 2  the sum hands the same gradient to the part ...
    if wiring.norm == "pre":  # 1
        dx, *dnorm = layer_norm_backward(dx, cache.norm)
    if wiring.residual:  # 3  ... and, undiminished, to the path past it
        dx = dx + (dout if cache.picked is None else pick_rows_backward(dout, cache.picked))
    return dx, dparams, NormParams(*dnorm)


def zeros_like_params(params):
    """Return zeros in the form of `params`: the gradients of a part that did not run."""
    return type(params)(*(None if array is None else np.zeros_like(array) for array in params))
