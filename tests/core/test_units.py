"""Amounts in units, by hand."""

import pytest

from core.units import in_units


@pytest.mark.parametrize(
    ("n_bytes", "amount", "unit"),
    [
        (1, 1, "B"),
        (1023, 1023, "B"),
        (1024, 1, "KiB"),
        (3 * 2**29, 1.5, "GiB"),
        (2**60, 1, "EiB"),
        (0, 0, "B"),
    ],
)
def test_the_largest_unit_that_leaves_one_or_more(n_bytes, amount, unit):
    assert in_units(n_bytes) == (amount, unit)
