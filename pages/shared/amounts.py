"""Amounts as a sentence writes them."""

from core.units import in_units


def bytes_in_words(n_bytes):
    """Write 16 MiB, 1 GiB, 1.1 MiB: one decimal where there are few."""
    amount, unit = in_units(n_bytes)
    digits = 0 if amount >= 10 or amount == int(amount) else 1
    return f"{amount:,.{digits}f}\u00a0{unit}"
