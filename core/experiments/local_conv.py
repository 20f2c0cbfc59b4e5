"""Page 1: which words a stack of convolutions can hear at all (lecture: where to look?).

Who reaches whom is decided by the places of the window alone, so nothing here needs a weight: influence is
handed down from layer to layer as true or false.
"""

import numpy as np


def stretch(tokens, asks, answer, fillers, n_fillers):
    """Put more words between the two that belong together, right before the later one.

    Parameters
    ----------
    tokens : sequence of str, length n
    asks, answer : int
        Places of the asking and of the wanted word, from 0.
    fillers : sequence of str
        Words to put in, over and over again.
    n_fillers : int

    Returns
    -------
    tokens : tuple of str, length n + n_fillers
    asks, answer : int
        The places of the same two words now.
    """
    later = max(asks, answer)
    added = tuple(fillers[i % len(fillers)] for i in range(n_fillers))
    tokens = (*tokens[:later], *added, *tokens[later:])
    return tokens, asks + n_fillers * (asks == later), answer + n_fillers * (answer == later)


def dilations(n_layers, doubling=False):  # -> n_layers numbers, lowest layer first
    """Places from one word of a window to the next: 1, 1, 1, ... or 1, 2, 4, ... (WaveNet, section 2.1)."""
    return tuple(2**layer if doubling else 1 for layer in range(n_layers))


def offsets(k, dilation=1):  # -> (k,)
    """Where a centred window of k words looks, counted from its own place."""
    if k < 1 or k % 2 == 0:
        raise ValueError(f"a centred window has an odd number of places, got k = {k}")
    return np.arange(-(k // 2), k // 2 + 1) * dilation


def sees(n, steps):  # n, (k,) -> (n, n)
    """Row i is True where the window at word i looks; beyond the sentence there is nothing."""
    connected = np.zeros((n, n), dtype=bool)
    for step in steps:
        connected |= np.eye(n, k=step, dtype=bool)
    return connected


def receptive_field(n, asks, k, dilations):
    """What the output at one word depends on, layer by layer.

    Parameters
    ----------
    n : int
        Words of the sentence.
    asks : int
        The word whose output is read, from 0.
    k : int
        Places of a window, odd.
    dilations : sequence of int, length n_layers
        One for each layer, lowest first.

    Returns
    -------
    field : (n_layers + 1, n) bool ndarray
        Row 0 are the words, row l the outputs of layer l; the last row holds the asking word alone.

    Raises
    ------
    ValueError
        If k is even or the asking word lies outside the sentence.
    """
    if not 0 <= asks < n:
        raise ValueError(f"the asking word must be one of 0 ... {n - 1}, got {asks}")
    field = np.zeros((len(dilations) + 1, n), dtype=bool)
    field[-1, asks] = True
    for layer in range(len(dilations), 0, -1):  # from the top down
        field[layer - 1] = field[layer] @ sees(n, offsets(k, dilations[layer - 1]))
    return field


def links(field, k, dilations):  # (n_layers + 1, n) -> (n_links, 3)
    """Every look inside the field, as rows of layer, looking word, seen word."""
    found, n = [np.zeros((0, 3), dtype=int)], field.shape[1]
    for layer in range(len(dilations), 0, -1):
        looking = np.repeat(np.flatnonzero(field[layer]), k)
        seen = looking + np.tile(offsets(k, dilations[layer - 1]), looking.size // k)
        inside = (seen >= 0) & (seen < n)
        layers = np.full(looking.size, layer)
        found.append(np.column_stack([layers, looking, seen])[inside])
    return np.concatenate(found)


def route(n, asks, answer, k, dilations):  # -> (n_layers + 1,), lowest layer first
    """The places on the way from the asking word (last) down towards the wanted one (first, if reached).

    Each layer goes as near as its window allows.
    """
    places = [asks]
    for dilation in reversed(dilations):
        near = places[-1] + offsets(k, dilation)
        near = near[(near >= 0) & (near < n)]
        places.append(int(near[np.abs(near - answer).argmin()]))
    return np.array(places[::-1])


def reach(n_layers, k, doubling=False):
    """Words to each side of its own that a stack can hear.

    (k - 1) / 2 times n_layers, or times 1 + 2 + 4 + ... = 2^n_layers - 1 if the dilation doubles.
    """
    return (k // 2) * (2**n_layers - 1 if doubling else n_layers)
