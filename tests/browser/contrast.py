"""Contrast of two colours as WCAG 2 defines it."""

import re


def contrast(first, second):
    """From 1 (the same) to 21 (black on white), of two colours that cover fully: "rgb(0, 103, 165)"."""
    darker, lighter = sorted(map(_luminance, (first, second)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour):
    """Relative luminance (WCAG 2.2, "relative luminance")."""
    channels = [float(c) / 255 for c in re.findall(r"[\d.]+", colour)]
    assert colour.startswith("rgb") and len(channels) == 3, f"no colour that covers fully: {colour}"
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
