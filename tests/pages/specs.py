"""Rules that every Vega-Lite spec of this app keeps; each gives the list of what breaks it."""

import json
import re


def layers(spec):
    """Give every unit of a spec, with the encoding and transforms it inherits."""
    units = spec.get("layer") or spec.get("hconcat") or spec.get("vconcat")
    if not units:
        return [spec]
    shared = spec.get("encoding", {})
    return [unit | {"encoding": shared | unit.get("encoding", {})} for part in units for unit in layers(part)]


def channels(spec):
    """(channel, definition) of every encoding; of tooltips each line is one."""
    for unit in layers(spec):
        for channel, given in unit.get("encoding", {}).items():
            for definition in given if isinstance(given, list) else [given]:
                if isinstance(definition, dict):
                    yield channel, definition


def odd_field_names(spec):
    """Fault 52: tokens and translated words are never column names."""
    names = {definition["field"] for _, definition in channels(spec) if "field" in definition}
    return [name for name in names if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)]


def unformatted_tooltips(spec):
    """Fault 59: every number in a tooltip says how many digits it has."""
    return [
        definition["field"]
        for channel, definition in channels(spec)
        if channel == "tooltip" and definition.get("type") == "quantitative" and "format" not in definition
    ]


def fixed_inks(spec):
    """Fault 49: no black, white or other fixed colour; hues come from the theme."""
    return re.findall(r'"(?:#[0-9a-fA-F]{3,8}|black|white|gr[ae]y|rgba?\([^"]*)"', json.dumps(spec))


def floating_colours(spec):
    """Fault 58: a colour scale of numbers is fixed, whatever the numbers are."""
    return [
        definition.get("field")
        for channel, definition in channels(spec)
        if channel in ("color", "fill", "stroke")
        and definition.get("type") == "quantitative"
        and "domain" not in (definition.get("scale") or {})
    ]


def sorted_by_alphabet(spec):
    """Faults 55 and 56: names stand in the order given, in a layered chart too."""
    found = []
    for channel, definition in channels(spec):
        if channel in ("x", "y", "color", "strokeDash", "shape") and definition.get("type") == "nominal":
            has_order = "domain" in (definition.get("scale") or {}) or definition.get("sort", 0) is None
            found += [] if has_order or "datum" in definition else [(channel, definition.get("field"))]
    return found


def text_without_tooltip(spec):
    """Fault 50: the pointer finds the same tooltip on a digit as on its cell."""
    units = layers(spec)
    texts = [unit for unit in units if mark(unit) == "text"]
    return [unit.get("name") for unit in texts if "tooltip" not in unit["encoding"]]


def mark(unit):
    return unit["mark"] if isinstance(unit["mark"], str) else unit["mark"]["type"]


RULES = (odd_field_names, unformatted_tooltips, fixed_inks, floating_colours, sorted_by_alphabet)


def broken_rules(spec, table):
    """What is wrong with a picture, by rule; empty if nothing is."""
    found = {rule.__name__: rule(spec) for rule in RULES}
    found["odd_columns"] = [column for column in table if not str(column).isascii()]
    found["rows"] = [len(table)] if len(table) > 5000 else []  # fault 53
    return {rule: what for rule, what in found.items() if what}
