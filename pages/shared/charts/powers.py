"""Powers of ten as people write them."""

SIGNS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_ten(power):  # int -> str
    """10⁻⁶⁰, and in plain digits what is as short: 0.1, 1, 10."""
    return {-1: "0.1", 0: "1", 1: "10"}.get(power) or "10" + str(power).translate(SIGNS)


def with_power_of_ten(value):  # float -> str
    """A number far from 1: 7.0 × 10¹³, 3.2 × 10⁻¹⁶."""
    digits, power = f"{value:.1e}".split("e")
    return f"{digits} × {power_of_ten(int(power))}"
