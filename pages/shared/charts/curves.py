"""Lines over a common x, with the place where the inputs stand now."""

from collections import Counter
from functools import lru_cache

import altair as alt

from pages.shared.charts.base import (
    DASHES,
    Picture,
    blank,
    finish,
    legend_of,
    named_colour,
    role_colour,
    with_params,
)
from pages.shared.charts.powers import power_of_ten


def curves(
    data, series, titles, *, log=(), domains=(None, None), ticks=None, powers=None, at=None, height=330
):
    """Lines over a common x.

    Parameters
    ----------
    data : dictionary of the columns x, y, name, or a data frame of them
    series : sequence of (name, hue)
        In the order of the legend. Where three or more share a hue, all are told apart by their dashes
        alone, else by both.
    titles : (x axis, y axis)
    log : subset of ("x", "y")
    domains : (x domain, y domain), None to fit the data
    ticks : sequence of float, optional
        Where the x axis is labelled.
    powers : sequence of int, optional
        The powers of ten at which a logarithmic y axis is labelled.
    at : float, optional
        A vertical line: the value that the inputs have now.
    """
    if not _has_names(series):
        hue = dict(series)
        data = {**data, "hue": [hue[name] for name in data["name"]]}
    domains = tuple(domain and tuple(domain) for domain in domains)
    marked = (ticks and tuple(ticks), powers and tuple(powers))
    spec = _spec(tuple(series), tuple(titles), tuple(log), domains, marked, at is not None, height)
    return Picture(data, spec if at is None else with_params(spec, at=at))


@lru_cache(maxsize=64)
def _spec(series, titles, log, domains, marked, has_rule, height):
    (x_title, y_title), (x_domain, y_domain), (ticks, powers) = titles, domains, marked
    x_axis = alt.Axis(format=".6~g", **({"values": list(ticks)} if ticks else {"tickCount": 6}))
    y_axis = _decades(powers) if powers else alt.Axis(format=".3~g", tickCount=5)
    x = alt.X("x:Q", title=x_title, scale=_scale("x" in log, x_domain), axis=x_axis)
    y = alt.Y("y:Q", title=y_title, scale=_scale("y" in log, y_domain), axis=y_axis)
    names = [name for name, _ in series]
    dashes = [list(dash) for dash in DASHES[: len(names)]]
    dash = alt.StrokeDash("name:N", scale=alt.Scale(domain=names, range=dashes), legend=legend_of(names))
    colour = named_colour(series) if _has_names(series) else role_colour()
    tooltip = [
        alt.Tooltip("name:N", title=" "),
        alt.Tooltip("x:Q", title=x_title, format=".4~g"),
        alt.Tooltip("y:Q", title=y_title, format=".3~g"),
    ]
    base = blank().encode(x, y, colour, tooltip=tooltip)
    resting_places = base.mark_point(size=240, opacity=0, filled=True)  # for the pointer
    layers = [base.mark_line(strokeWidth=3).encode(dash), resting_places]
    if has_rule:
        layers.append(_here())
    return finish(alt.layer(*layers).properties(height=height))


def _decades(powers):
    """An axis that is labelled at powers of ten."""
    labels = [power_of_ten(power) for power in powers]
    place = f"indexof({list(powers)}, round(log(datum.value) / LN10))"
    return alt.Axis(values=[10.0**power for power in powers], labelExpr=f"{labels}[{place}]")


def _has_names(series):
    """Whether every name can have a colour of its own in the legend."""
    return max(Counter(hue for _, hue in series).values()) <= 2


def _here():
    """A vertical line at the value of the parameter "at"; looks.py gives it the ink of the text."""
    one = blank().transform_aggregate(n="count()").transform_calculate(at="at")
    return one.mark_rule(strokeWidth=2, strokeDash=[4, 4]).encode(x="at:Q").properties(name="here")


def _scale(is_log, domain):
    kind = "log" if is_log else "linear"
    return (
        alt.Scale(type=kind, domain=list(domain), nice=False, clamp=True)
        if domain
        else alt.Scale(type=kind, zero=False)
    )
