"""Measured time and memory over the lengths, with the straight lines that were fitted to them."""

from core import costs_measured
from pages.sections.bias_and_cost.layers import HUES, MIB
from pages.shared import charts

LEAST_MS, LEAST_MIB = (1e-2, 1e3), (1e-3, 1e3)


def is_whole(found):
    """Whether every layer has been measured at every length."""
    return all(len(one.n) == len(costs_measured.SIZES) for one in found.values())


def time_chart(s, found, laws, crossing, n_from):
    rules = [(costs_measured.D, s.words("formula_crossing", n=costs_measured.D))]
    if crossing and is_whole(found):
        rules.append((crossing, s.words("measured_crossing", n=crossing)))
    values = {name: one.seconds * 1e3 for name, one in found.items()}
    picture = growth_picture(s, found, values, laws, n_from, s.words("ms"), LEAST_MS, 1e3, rules)
    longest = costs_measured.SIZES[-1]
    if is_whole(found):
        exponents = {f"{name}_exponent": law.exponent for name, law in laws.items()}
        lasts = {name: value[-1] for name, value in values.items()}
        s.chart(picture, "time_picture", longest=longest, n_from=n_from, **exponents, **lasts)
    else:
        s.chart(picture, "time_so_far", longest=longest)


def memory_chart(s, found, laws, n_from):
    values = {name: one.bytes / MIB for name, one in found.items()}
    picture = growth_picture(s, found, values, laws, n_from, s.words("mib"), LEAST_MIB, 1 / MIB)
    longest = costs_measured.SIZES[-1]
    if is_whole(found):
        lasts = {name: value[-1] for name, value in values.items()}
        times = lasts["attention"] / lasts["conv"]
        s.chart(picture, "memory_picture", longest=longest, times=times, **lasts)
    else:
        s.chart(picture, "memory_so_far", longest=longest)


def growth_picture(s, found, values, laws, n_from, title, least, unit, rules=()):
    """Measured points with their fitted lines; `unit` takes seconds or bytes to what the axis shows."""
    sizes = costs_measured.SIZES
    lines = []
    for layer, law in laws.items():
        end = f"n^{law.exponent:.2f}" if law else ""
        fit = law.at(sizes) * unit if law else None
        lines.append(
            charts.CostLine(s.words(f"layers.{layer}"), HUES[layer], found[layer].n, values[layer], end, fit)
        )
    unfitted = (n_from, s.words("unfitted")) if n_from > sizes[0] else None
    titles = (s.words("n_axis"), title)
    return charts.cost_curves(lines, titles, sizes, least=least, rules=rules, unfitted=unfitted)
