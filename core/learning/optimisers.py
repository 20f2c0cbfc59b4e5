"""Optimisers: how a gradient becomes a step (lesson 26), in place on one flat vector of parameters.

A model of a hundred arrays would cost a hundred small updates a step; laid out in one vector it costs one
large one.
"""

import math

import numpy as np

from core.blocks.arrays import check_shapes


def clip_grad_norm(grads, max_norm, order=2):
    """Shorten the gradient, in place, to at most `max_norm`; its direction stays.

    Parameters
    ----------
    grads : (n_params,) ndarray
        Multiplied by ``min(1, max_norm / (norm + 1e-6))``. A gradient whose norm is not finite is left as
        it is: no factor makes a step of it.
    max_norm : float
        Longest norm allowed.
    order : float
        2 for the usual length, ``math.inf`` for the largest entry.

    Returns
    -------
    norm : float
        Norm before clipping.

    References
    ----------
    Pascanu, Mikolov, Bengio, "On the difficulty of training recurrent neural networks" (2013), algorithm 1.
    """
    norm = float(np.linalg.norm(grads.astype(np.float64), order))  # squares of float32 soon leave the range
    if math.isfinite(norm):
        grads *= min(1.0, max_norm / (norm + 1e-6))
    return norm


class Adam:
    """Divide the running mean of each gradient by the root of the running mean of its square.

    Parameters
    ----------
    lr : float
        Length of a step; may be changed between steps.
    betas : tuple of float
        How much of the two running means is kept at each step.
    eps : float
        Added to the root after its bias is corrected.
    weight_decay : float
        Times the parameter, added to its gradient.
    bias_correction : bool
        Whether to make up for running means that start at 0.

    References
    ----------
    Kingma, Ba, "Adam: A Method for Stochastic Optimization" (2015), algorithm 1.
    """

    def __init__(self, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, *, bias_correction=True):
        self.lr, self.betas, self.eps = lr, betas, eps
        self.weight_decay, self.bias_correction = weight_decay, bias_correction
        self.t = 0  # steps taken
        self.m = self.v = self._room = None  # made at the first step, in the parameters' own kind

    def step(self, params, grads):
        """Move `params` one step, in place; `grads` is left as it is.

        Parameters
        ----------
        params, grads : (n_params,) ndarray
            Parameters and the gradient of the loss with respect to them.

        Raises
        ------
        ValueError
            If the two do not have the same shape.
        """
        check_shapes(
            params.shape == grads.shape, "one gradient for each parameter", params=params, grads=grads
        )
        if self.m is None:
            self.m, self.v = np.zeros_like(params), np.zeros_like(params)
        if self._room is None:
            self._room = np.empty_like(params)
        self.t += 1
        self._move(params, self._decay(params, grads))

    def _decay(self, params, grads):
        """Draw every parameter towards 0 as a part of its gradient."""
        return grads + self.weight_decay * params if self.weight_decay else grads

    def _move(self, params, grads):
        beta_m, beta_v = self.betas
        room = self._room  # every line below writes where something already lies: no new arrays
        self.m *= beta_m  # 1  m = beta_m m + (1 - beta_m) g
        self.m += np.multiply(grads, 1 - beta_m, out=room)
        self.v *= beta_v  # 2  v = beta_v v + (1 - beta_v) g^2
        np.multiply(grads, grads, out=room)
        room *= 1 - beta_v
        self.v += room
        rest_m, rest_v = 1.0, 1.0  # 3  shares of the running means that real gradients make up
        if self.bias_correction:
            rest_m, rest_v = 1 - beta_m**self.t, 1 - beta_v**self.t
        np.sqrt(self.v, out=room)  # 4  params -= lr (m / rest_m) / (sqrt(v / rest_v) + eps)
        room *= 1 / math.sqrt(rest_v)
        room += self.eps
        np.divide(self.m, room, out=room)
        room *= self.lr / rest_m
        params -= room


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter itself, apart from its gradients.

    References
    ----------
    Loshchilov, Hutter, "Decoupled Weight Decay Regularization" (2019), algorithm 2.
    """

    def _decay(self, params, grads):
        """Shrink every parameter before the step."""
        params *= 1 - self.lr * self.weight_decay
        return grads


class Sgd:
    """Steps along the gradient, if wanted with momentum.

    Parameters
    ----------
    lr : float
        Length of a step relative to the gradient; may be changed between steps.
    momentum : float
        How much of the velocity is kept at each step.
    dampening : float
        Share of each gradient, after the first, that does not enter the velocity.
    nesterov : bool
        Whether to step as if the momentum of the next step had been applied already.
    weight_decay : float
        Times the parameter, added to its gradient.

    References
    ----------
    Sutskever et al., "On the importance of initialization and momentum in deep learning" (2013), section 2.
    """

    def __init__(self, lr, momentum=0.0, dampening=0.0, nesterov=False, weight_decay=0.0):
        self.lr, self.momentum, self.dampening = lr, momentum, dampening
        self.nesterov, self.weight_decay = nesterov, weight_decay
        self.t = 0  # steps taken
        self.velocity = None

    def step(self, params, grads):
        """Move `params` one step, in place; `grads` is left as it is."""
        check_shapes(
            params.shape == grads.shape, "one gradient for each parameter", params=params, grads=grads
        )
        if self.velocity is None:
            self.velocity = np.zeros_like(params)
        self.t += 1
        grads = grads + self.weight_decay * params  # 1
        self.velocity *= self.momentum  # 2
        self.velocity += grads if self.t == 1 else (1 - self.dampening) * grads
        move = grads + self.momentum * self.velocity if self.nesterov else self.velocity
        params -= self.lr * move  # 3
