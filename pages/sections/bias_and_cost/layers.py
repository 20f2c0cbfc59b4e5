"""What the sections share: how the layers are named and drawn, what can be picked, two ways of telling."""

import pandas as pd

LENGTHS = tuple(2**i for i in range(4, 18))  # 16 ... 131,072
WIDTHS = (16, 32, 64, 128, 256, 512, 768, 1024, 4096, 12288)
TAPS = (3, 5, 7, 9, 15)
USUAL_FIT = 256  # words: shorter inputs are not fitted, unless asked for
MIB = 2**20
HUES = {"dense": "mlp", "attention": "attention", "rnn": "rnn", "conv": "conv"}


def unbroken(s, layer):
    """Name a layer in a table: it is not to be broken into two lines."""
    return "\u2060".join(s.words(f"layers.{layer}").replace(" ", "\u00a0"))


def table(s, columns):
    """Make a table of these columns under the names that the section has for them."""
    return pd.DataFrame({s.words(f"columns.{name}"): column for name, column in columns.items()})


def compared(one, other, form):
    """Whether `one` is "more", "equal" or "less", as both stand on screen in this format."""
    first, second = (float(format(value, form).rstrip("%")) for value in (one, other))
    return "equal" if first == second else "more" if first > second else "less"
