"""Values as they stand in a link: read generously, written in one way."""

import math
from decimal import Decimal

import streamlit as st


def on_grid(raw, low, high, step):
    """The value of the slider nearest to what the link says, or None if that is no number."""
    value = to_number(raw)
    if value is None:
        return None
    value = low + round((min(max(value, low), high) - low) / step) * step
    return round_to(value, step)


def nearest_of(value, values):
    """The one of some numbers that lies nearest, or None for None."""
    return None if value is None else min(values, key=lambda v: abs(v - value))


def to_number(raw):
    """A finite number from what a student or a link wrote.

    A decimal comma and full-width digits are fine. Else None.
    """
    try:
        value = float(str(raw).strip().replace(",", ".").replace("，", ".").replace("．", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def round_to(value, step):
    """A number with as many decimals as the step has: 0.7, not 0.7000000000000001."""
    if isinstance(step, int):
        return int(value)
    return round(float(value), max(0, -Decimal(str(step)).as_tuple().exponent))


def same_number(raw, value):
    """Whether a link means this number, however it is written."""
    return not isinstance(value, (bool, str)) and to_number(raw) == value


def as_text(value):
    """A value as it stands in a link."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_url(key, value, default):
    """Keep the address in step with an input that Streamlit does not bind; what is usual is left out."""
    if value == default:
        if key in st.query_params:
            del st.query_params[key]
    elif st.query_params.get(key) != value:
        st.query_params[key] = value
