"""Hold a hand-written backward pass against central differences of its forward pass.

The loss is ``L = sum(out * dout)`` with a random ``dout``, so that every entry of the upstream gradient
counts. Everything runs in float64: in float32 the rounding of the forward pass swamps the difference. Keep
inputs at least ``10 * h`` away from a corner (ReLU at 0, a tie of a maximum): there the difference sees half
of each slope.
"""

import numpy as np

H = 1e-5  # the rounding error 1e-16 / h and the cut-off error h**2 are both about 1e-10
TOLERANCE = 1e-7


def leaves(tree, path=""):
    """Yield (path, array) for every array of a tree of tuples; None stands for "no such part"."""
    if isinstance(tree, tuple):
        names = getattr(tree, "_fields", range(len(tree)))
        for name, branch in zip(names, tree, strict=True):
            yield from leaves(branch, f"{path}.{name}" if path else str(name))
    elif tree is not None:
        yield path, tree


def to_float64(tree):
    """Copy a tree with every array in float64: nobody's array is touched and no float32 slips in."""
    if isinstance(tree, tuple):
        branches = [to_float64(branch) for branch in tree]
        return type(tree)(*branches) if hasattr(tree, "_fields") else tuple(branches)
    return None if tree is None else np.array(tree, dtype=np.float64)


def random_like(tree, rng):
    """Draw a tree of the same shapes from N(0, 1)."""
    if isinstance(tree, tuple):
        branches = [random_like(branch, rng) for branch in tree]
        return type(tree)(*branches) if hasattr(tree, "_fields") else tuple(branches)
    return None if tree is None else rng.standard_normal(np.shape(tree))


def dot(tree, other):
    """Sum of the products of all entries of two trees of the same structure."""
    pairs = zip(leaves(tree), leaves(other), strict=True)
    return float(sum(np.sum(a * b) for (_, a), (_, b) in pairs))


def numeric_gradient(loss, x, h=H):
    """Central difference of ``loss()`` for every entry of ``x``, which is moved in place."""
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        start = x[place]
        x[place] = start + h
        up = loss()
        x[place] = start - h
        down = loss()
        x[place] = start
        gradient[place] = (up - down) / (2 * h)
    return gradient


def check_gradients(forward, backward, inputs, rng, *, h=H, tolerance=TOLERANCE):
    """Compare every entry of every gradient with its central difference.

    Parameters
    ----------
    forward : callable
        ``forward(*inputs) -> (out, cache)``; ``out`` is an array or a tuple of arrays.
    backward : callable
        ``backward(dout, cache)`` -> gradients in the order of the inputs (for one input: just the gradient).
    inputs : sequence of trees
        Arrays or (nested, named) tuples of arrays; all are checked. Freeze the others inside ``forward``.
    rng : numpy.random.Generator
        Draws the upstream gradient.

    Returns
    -------
    float
        The largest relative error found. A gradient that is 0 by symmetry is measured against a thousandth
        of the largest gradient of the check, since relative to itself its rounding error has no limit.
    """
    inputs, grads, loss = _run(forward, backward, inputs, rng)
    pairs = [
        (path, grad, numeric_gradient(loss, x, h))
        for (path, x), (_, grad) in zip(leaves(inputs), leaves(grads), strict=True)
    ]
    largest = max((np.abs(numeric).max(initial=0.0) for _, _, numeric in pairs), default=0.0)
    worst = 0.0
    for path, grad, numeric in pairs:
        scale = max(np.abs(numeric).max(initial=0.0), 1e-3 * largest, 1e-12)
        error = np.abs(grad - numeric) / scale
        if error.size and not error.max() < tolerance:
            place = np.unravel_index(np.argmax(error), error.shape)
            raise AssertionError(
                f"input {path}, entry {tuple(map(int, place))}: by hand {grad[place]:.12g}, by "
                f"difference {numeric[place]:.12g}, relative error {error.max():.2e}, allowed {tolerance:.0e}"
            )
        worst = max(worst, error.max(initial=0.0))
    return worst


def check_direction(forward, backward, inputs, rng, *, h=H, tolerance=TOLERANCE):
    """Compare one slope along a random direction through all inputs: two forward passes at any size."""
    inputs, grads, loss = _run(forward, backward, inputs, rng)
    direction = random_like(inputs, rng)
    length = np.sqrt(dot(direction, direction))
    by_hand = dot(grads, direction) / length

    def shifted(step):
        for (_, x), (_, u) in zip(leaves(inputs), leaves(direction), strict=True):
            x += step * u / length
        return loss()

    by_difference = (shifted(h) - shifted(-2 * h)) / (2 * h)
    error = abs(by_hand - by_difference) / max(abs(by_difference), 1e-3 * np.sqrt(dot(grads, grads)))
    assert error < tolerance, f"by hand {by_hand:.12g}, by difference {by_difference:.12g}, error {error:.2e}"
    return error


def _run(forward, backward, inputs, rng):
    """Run both passes once; check shapes and that neither pass writes into what it was given."""
    inputs = to_float64(tuple(inputs))
    before = to_float64(inputs)
    out, cache = forward(*inputs)
    dout = random_like(out, rng)
    dout_before = to_float64(dout)
    grads = backward(dout, cache)
    if len(inputs) == 1 and not (isinstance(grads, tuple) and not hasattr(grads, "_fields")):
        grads = (grads,)
    for kept, now in ((before, inputs), (dout_before, dout)):
        for (path, a), (_, b) in zip(leaves(kept), leaves(now), strict=True):
            np.testing.assert_array_equal(b, a, err_msg=f"{path} was written to")
    assert len(grads) == len(inputs), f"{len(inputs)} inputs but {len(grads)} gradients"
    for (path, x), (grad_path, grad) in zip(leaves(inputs), leaves(grads), strict=True):
        assert path == grad_path, f"the gradient of {path} is called {grad_path}"
        assert np.shape(grad) == x.shape, f"gradient of {path}: {np.shape(grad)}, input {x.shape}"
    return inputs, grads, lambda: dot(forward(*inputs)[0], dout)
