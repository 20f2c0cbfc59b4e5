"""Page 2.

Attention as a soft dictionary. The query and the table of the first section serve all the others.
"""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.blocks.attention import scaled_dot_product_attention, scaled_dot_product_attention_backward
from core.blocks.softmax import powers, softmax
from core.experiments import soft_lookup
from core.geometry import hull, inside
from pages.sections.soft_lookup.trained import trained
from pages.shared import charts, training
from pages.shared.frame import open_page, verbatim

KEYS = np.array([(2.0, 0.0), (1.41, 1.41), (-1.0, 1.73), (0.0, -2.0)])
VALUES = np.array([(3.0, 1.0), (1.0, 3.0), (-3.0, 2.0), (-1.0, -3.0)])
SYMBOLS = ("q · k", "q · k / √d", "exp(s − max s)", "w", "w · v")  # of the five steps
LONGEST = 200  # steps of the walk
WALKED = "soft_lookup.walked"  # the slider that tells how far it has come
TAUS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
SEED = 0  # of the random queries and keys behind "why divide"

page = open_page("soft_lookup")
words = page.words
AXES = (words("axis_1"), words("axis_2"))  # of all planes


def hard_and_soft(s):
    with s.inputs:
        angle = s.ask.number("angle", -180, 180, 20, step=5)
        length = s.ask.number("length", 0.0, 4.0, 1.5, step=0.1)
        names, keys, values = dictionary(s)
    query = soft_lookup.query_at(angle, length)
    found = soft_lookup.look_up(query, keys, values)
    best = s.listed([verbatim(names[i]) for i in found.best])
    with s.picture:
        left, right = st.columns(2)
        with left:
            keys_picture(s, (names, query, keys), found, best, angle=angle, length=length)
        with right:
            answer_picture(s, names, values, found.out)
        s.stamp("by_hand")
    say_what_is_found(s, names, found, best)
    s.details(
        code=[soft_lookup.look_up, scaled_dot_product_attention],
        numbers=lambda: pd.DataFrame({"name": names, "product": found.products, "weight": found.weights}),
    )
    return names, query, keys, values


def keys_picture(s, dictionary, found, best, **setting):
    """The query among the keys."""
    names, query, keys = dictionary
    arrows = [(name, "key", *k) for name, k in zip(names, keys, strict=True)]
    arrows.append((s.words("query"), "query", *query))
    s.chart(
        charts.plane(arrows, AXES, bound=bound(keys, query)),
        "keys_picture" if len(found.best) == 1 else "tie_picture",
        best=best,
        product=found.products[found.best[0]],
        **setting,
    )


def answer_picture(s, names, values, out):
    """The soft answer among the values."""
    points = [(name, "value", *v) for name, v in zip(names, values, strict=True)]
    points.append((s.words("answer"), "output", *out))
    picture = charts.plane([], AXES, points=points, hull=values[hull(values)], bound=bound(values))
    s.chart(picture, "values_picture", x=out[0], y=out[1])


def say_what_is_found(s, names, found, best):
    x, y = found.out
    if found.hit is not None:
        share = found.weights[found.hit]
        s.says("says_hit", name=verbatim(names[found.hit]), share=share, rest=1 - share)
    else:
        key = "says_miss" if len(found.best) == 1 else "says_tie"
        s.says(key, best=best, share=found.weights[found.best[0]], x=x, y=y)


def dictionary(s):
    """The table that the student can edit: names, keys and values."""
    columns = {"name": words("table.names").split()}
    columns |= {"k1": KEYS[:, 0], "k2": KEYS[:, 1], "v1": VALUES[:, 0], "v2": VALUES[:, 1]}
    table = s.ask.grid("table", pd.DataFrame(columns), {c: words(f"columns.{c}") for c in columns})
    keys, values = (np.column_stack([table[f"{kind}1"], table[f"{kind}2"]]) for kind in "kv")
    return table["name"].tolist(), keys, values


def bound(*arrays):
    """Half the side of a plane that shows all points: at least 4, a whole even number."""
    largest = max(float(np.abs(a).max()) for a in arrays)
    return max(4, 2 * int(np.ceil((largest + 0.5) / 2)))


def three_steps(s):
    with s.inputs:
        step = s.ask.number("step", 1, 5, 1)
        with st.container(horizontal=True):
            move(s, "previous", -1, step > 1)
            move(s, "next", +1, step < 5)
        entry = s.ask.number("entry", 1, len(names), 1) - 1
        shift = s.ask.toggle("shift")
    did = soft_lookup.steps(query, keys, values, 100.0 if shift else 0.0)
    shown = (did.products, did.scores, did.powers, did.weights, did.parts[:, 0])[step - 1]
    title = s.words(f"step_{step}")
    hue = ("query", "query", "query", "output", "value")[step - 1]
    with s.picture:
        picture = charts.bars(names, shown, hue, (s.words("entry_axis"), SYMBOLS[step - 1]), form=".3f")
        listed = ", ".join(f"{name} {value:.3f}" for name, value in zip(names, shown, strict=True))
        s.chart(picture, step=title, listed=listed)
        s.stamp("by_hand")
        worked_out(s, did, entry, step, shift)
    if shift:
        unshifted = soft_lookup.steps(query, keys, values)
        s.says("says_shift", difference=np.abs(did.weights - unshifted.weights).max())
    else:
        s.says(n=len(names), x=did.out[0], y=did.out[1], total=did.weights.sum())
    columns = dict(zip(("product", "score", "exponential", "weight"), did[:4], strict=True))
    s.details(code=[soft_lookup.steps], numbers=lambda: pd.DataFrame({"name": names} | columns))


def move(s, name, by, possible):
    """A button that takes the step slider along."""
    key = f"{page.name}.step"

    def go():
        st.session_state[key] = min(max(st.session_state.get(key, 1) + by, 1), 5)

    st.button(s.words(name), key=f"{s.key}.{name}", on_click=go, disabled=not possible)


def worked_out(s, did, i, step, shift):
    """The arithmetic of one entry up to the chosen step."""
    numbers = {
        "q1": query[0],
        "q2": query[1],
        "k1": keys[i, 0],
        "k2": keys[i, 1],
        "product": did.products[i],
        "shifted": s.words("work_shifted") if shift else "",
        "score": did.scores[i],
        "largest": did.scores.max(),
        "power": did.powers[i],
        "total": did.powers.sum(),
        "weight": did.weights[i],
        "v1": values[i, 0],
        "v2": values[i, 1],
        "p1": did.parts[i, 0],
        "p2": did.parts[i, 1],
    }
    st.markdown(s.words("work", name=verbatim(names[i])))
    st.code(
        "\n".join(s.words(f"work_{n}", **numbers) for n in range(1, step + 1)), language=None, wrap_lines=True
    )


def temperature(s):
    with s.inputs:
        tau = s.ask.pick("tau", TAUS, 1)
    scores = soft_lookup.steps(query, keys, values).scores
    weights = soft_lookup.soften(scores, tau)
    with s.picture:
        s.chart(by_temperature(s, scores, tau), tau=tau, mean=1 / len(names))
        s.stamp("by_hand")
    entropy = soft_lookup.entropy(weights)
    s.says(tau=tau, largest=weights.max(), entropy=entropy, effective=np.exp(entropy), n=len(names))
    s.details(
        code=[soft_lookup.soften, soft_lookup.entropy, softmax, powers],
        numbers=lambda: pd.DataFrame({"name": names, "score": scores, "weight": weights}),
    )


def by_temperature(s, scores, tau):
    """The weight of every entry over all temperatures."""
    taus = soft_lookup.TAUS
    labels = [f"{i + 1} {name}" for i, name in enumerate(names)]
    swept = soft_lookup.sweep(scores, taus)  # (n_taus, n)
    x, name = np.repeat(taus, len(names)), np.tile(labels, len(taus))
    return charts.curves(
        {"x": x, "y": swept.ravel(), "name": name},
        [(label, "output") for label in labels],
        (s.words("tau"), s.words("weight")),
        log=("x",),
        domains=((0.01, 100), (0, 1)),
        ticks=(0.01, 0.1, 1, 10, 100),
        at=tau,
    )


@st.cache_data(max_entries=4, show_spinner=False)
def spreads(seed):
    return soft_lookup.spread_by_width(seed)


def why_scale(s):
    with s.inputs:
        d = s.ask.pick("d", WIDTHS, 64)
    plain, scaled = spreads(SEED)
    with s.picture:
        both = at_width(plain, scaled, "largest", d)
        s.chart(
            by_width(s, plain, scaled, "largest", d), "largest_picture", d=d, n=soft_lookup.N_KEYS, **both
        )
        both = at_width(plain, scaled, "slope", d)
        s.chart(by_width(s, plain, scaled, "slope", d), "slope_picture", d=d, **both)
        s.stamp("drawn", seed=SEED)
    say_what_it_costs(s, plain, scaled, d)
    s.details(
        code=[soft_lookup.spread_by_width, soft_lookup.spread, soft_lookup.jacobian_norm],
        numbers=lambda: pd.DataFrame(
            {"d": plain.widths}
            | {f"{name}, as it is": column for name, column in plain._asdict().items() if name != "widths"}
            | {f"{name}, scaled": column for name, column in scaled._asdict().items() if name != "widths"}
        ),
    )


def at_width(plain, scaled, field, d):
    """One figure at the width d, without the division and with it."""
    at = WIDTHS.index(d)
    return {"plain": getattr(plain, field)[at], "scaled": getattr(scaled, field)[at]}


def by_width(s, plain, scaled, field, d):
    """One figure at all widths, without the division and with it."""
    series = [(s.words("plain"), "neutral"), (s.words("scaled"), "attention")]
    columns = {
        "x": np.tile(plain.widths, 2),
        "y": np.concatenate([getattr(plain, field), getattr(scaled, field)]),
        "name": np.repeat([name for name, _ in series], plain.widths.size),
    }
    least, log = (1e-4, ("x", "y")) if field == "slope" else (0, ("x",))
    return charts.curves(
        columns,
        series,
        (s.words("width"), s.words(field)),
        log=log,
        domains=((1, WIDTHS[-1]), (least, 1)),
        ticks=WIDTHS[::2],
        at=d,
        height=280,
    )


def say_what_it_costs(s, plain, scaled, d):
    sd, largest, slope = (at_width(plain, scaled, field, d) for field in ("score_sd", "largest", "slope"))
    numbers = {"d": d, "slope": slope["plain"], "scaled_slope": slope["scaled"]}
    if slope["plain"] >= slope["scaled"]:
        s.says("says_small", **numbers)
    else:
        s.says(sd=sd["plain"], **largest, **numbers)


def it_can_learn(s):
    running = go_on(s)
    with s.inputs:
        target = np.array(
            [s.ask.number(f"target_{axis}", -4.0, 4.0, d, step=0.5) for axis, d in (("x", -1.0), ("y", 1.0))]
        )
        rate = s.ask.number("rate", 0.05, 2.0, 0.3, step=0.05)
        n = s.ask.place("walked", 0, LONGEST)
        with st.container(horizontal=True):
            s.start_or_stop(running, before=rewind_at_the_end, at_rest=partial(training.rest, WALKED))
            st.button(s.words("again"), key=f"{s.key}.again", on_click=s.want, args=(False, rewind))
    way = soft_lookup.walk(query, keys, values, target, rate, n)
    hard = soft_lookup.hard_loss(query, keys, values, target)
    with s.picture:
        left, right = st.columns(2)
        with left:
            way_picture(s, way.outs, target)
        with right:
            loss_picture(s, way.losses, hard)
        s.stamp("by_hand")
    say_how_far(s, way, hard)
    if not inside(target, values):
        st.caption(s.words("outside"))
    s.details(
        code=[soft_lookup.walk, scaled_dot_product_attention_backward],
        numbers=lambda: pd.DataFrame(
            {"step": np.arange(n + 1), "loss": way.losses, "out 1": way.outs[:, 0], "out 2": way.outs[:, 1]}
        ),
    )
    s.tick_while(running)


def go_on(s):
    """One look further along the way, if the walk is wanted; the slider follows. -> whether it runs."""
    walked = st.session_state.get(WALKED, 0)
    # Over only when the browser is at the last step: a look already under way still tells an earlier one.
    running = s.wanted = s.wanted and walked < LONGEST
    if running:
        training.move(WALKED, min(walked + 4, LONGEST))
    else:
        training.settle(WALKED)
    return running


def rewind():
    training.move(WALKED, 0)


def rewind_at_the_end():
    """A finished walk starts again from 0."""
    if st.session_state.get(WALKED, 0) >= LONGEST:
        rewind()


def way_picture(s, outs, target):
    """The way of the answer through the plane of the values."""
    (x0, y0), (x, y) = outs[0], outs[-1]
    points = [(name, "value", *v) for name, v in zip(names, values, strict=True)]
    points += [(s.words("target"), "neutral", *target), (s.words("answer"), "output", x, y)]
    corners, half = values[hull(values)], bound(values, target)
    picture = charts.plane([], AXES, points=points, hull=corners, trail=outs, bound=half)
    s.chart(picture, "way_picture", n=len(outs) - 1, x0=x0, y0=y0, x=x, y=y, tx=target[0], ty=target[1])


def loss_picture(s, losses, hard):
    """The loss of the soft dictionary step by step, and that of the hard one, which stays."""
    n = len(losses) - 1
    soft, stuck = s.words("soft"), s.words("hard")
    columns = {
        "x": [*range(n + 1), 0, max(n, 1)],
        "y": [*losses, hard, hard],
        "name": [soft] * (n + 1) + [stuck] * 2,
    }
    picture = charts.curves(
        columns,
        [(soft, "attention"), (stuck, "neutral")],
        (s.words("steps"), s.words("loss")),
        domains=((0, LONGEST), (0, charts.nice_bound([hard, *losses]))),
    )
    s.chart(picture, "loss_picture", first=losses[0], last=losses[-1], hard=hard)


def say_how_far(s, way, hard):
    """What came of the walk, judged by the digits that are printed."""
    n, first, last = len(way.losses) - 1, way.losses[0], way.losses[-1]
    change = round(last, 3) - round(first, 3)
    if n == 0:
        s.says("says_start", first=first)
    elif change == 0:
        s.says("says_same", n=n, last=last, slope=way.slopes[-1])
    else:
        s.says("says" if change < 0 else "says_up", n=n, first=first, last=last, hard=hard)


names, query, keys, values = page.show_shared(hard_and_soft)
page.show(three_steps, temperature, why_scale, it_can_learn, trained)
