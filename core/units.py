"""Amounts in the unit that suits their size."""


def in_units(n_bytes):
    """Return (amount, unit) in the largest unit that leaves 1 or more: 2**20 bytes are (1.0, "MiB")."""
    units = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
    power = min(max(int(n_bytes).bit_length() - 1, 0) // 10, len(units) - 1)
    return n_bytes / 2 ** (10 * power), units[power]
