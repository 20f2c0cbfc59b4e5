"""Trains a small model on batches drawn as it goes: to see that a task can be learned."""

import numpy as np

from core.learning.models import init_model, learn
from core.learning.optimisers import Adam
from core.learning.training import train


def trained(model, draw, n_steps, seed, max_norm=None):
    """Parameters after so many steps; `draw(rng) -> ids, rows, targets` makes a batch."""
    rng = np.random.default_rng(seed)
    params = init_model(rng, model)

    def learn_batch(params, ids, rows, targets):
        return learn(params, model, ids, rows, targets)

    batches = (draw(rng) for _ in range(n_steps))
    for step in train(params, learn_batch, batches, Adam(5e-3, betas=(0.9, 0.99)), max_norm=max_norm):
        params = step.params
    return params
