"""Amounts as a sentence writes them."""

import math

from core.units import in_units

NOTHING = "–"  # in place of a number that is not there yet


def two_decimals(value):
    """Write a share or a loss; a dash for None and for what is not a number."""
    return NOTHING if value is None or math.isnan(value) else f"{value:.2f}"


def signed(value):
    """Write a number that may be negative, with two decimals and a real minus sign."""
    return f"{value:z.2f}".replace("-", "−")


def bytes_in_words(n_bytes):
    """Write 16 MiB, 1 GiB, 1.1 MiB: one decimal where there are few."""
    amount, unit = in_units(n_bytes)
    digits = 0 if amount >= 10 or amount == int(amount) else 1
    return f"{amount:,.{digits}f}\u00a0{unit}"
