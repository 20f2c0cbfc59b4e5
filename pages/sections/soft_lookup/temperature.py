"""A temperature takes the weights from a choice to the plain mean."""

import numpy as np
import pandas as pd

from core.blocks.softmax import powers, softmax
from core.experiments import soft_lookup
from pages.shared import charts

TAUS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def temperature(s, given):
    names, query, keys, values = given
    with s.inputs:
        tau = s.ask.pick("tau", TAUS, 1)
    scores = soft_lookup.steps(query, keys, values).scores
    weights = soft_lookup.soften(scores, tau)
    with s.picture:
        s.chart(by_temperature(s, names, scores, tau), tau=tau, mean=1 / len(names))
        s.stamp("by_hand")
    entropy = soft_lookup.entropy(weights)
    s.says(tau=tau, largest=weights.max(), entropy=entropy, effective=np.exp(entropy), n=len(names))
    s.details(
        code=[soft_lookup.soften, soft_lookup.entropy, softmax, powers],
        numbers=lambda: pd.DataFrame({"name": names, "score": scores, "weight": weights}),
    )


def by_temperature(s, names, scores, tau):
    """The weight of every entry over all temperatures."""
    taus = soft_lookup.TAUS
    labels = [f"{i + 1} {name}" for i, name in enumerate(names)]
    swept = soft_lookup.sweep(scores, taus)  # (n_taus, n)
    x, name = np.repeat(taus, len(names)), np.tile(labels, len(taus))
    return charts.curves(
        {"x": x, "y": swept.ravel(), "name": name},
        [(label, "output") for label in labels],
        (s.words("tau"), s.words("weight")),
        log=("x",),
        domains=((0.01, 100), (0, 1)),
        ticks=(0.01, 0.1, 1, 10, 100),
        at=tau,
    )
