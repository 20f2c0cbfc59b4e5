"""Page 2.

Attention as a soft dictionary. The query and the table of the first section serve all the others.
"""

import numpy as np
import pandas as pd
import streamlit as st

from core.blocks.attention import scaled_dot_product_attention, scaled_dot_product_attention_backward
from core.blocks.softmax import softmax
from core.experiments import soft_lookup
from core.geometry import hull, inside
from pages.shared import charts
from pages.shared.frame import open_page, verbatim

KEYS = np.array([(2.0, 0.0), (1.41, 1.41), (-1.0, 1.73), (0.0, -2.0)])
VALUES = np.array([(3.0, 1.0), (1.0, 3.0), (-3.0, 2.0), (-1.0, -3.0)])
SYMBOLS = ("q · k", "q · k / √d", "exp(s − max s)", "w", "w · v")  # of the five steps
LONGEST = 200  # steps of the walk
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
    weights = found.cache.weights[0]
    best = int(weights.argmax())
    x, y = found.out
    with s.picture:
        left, right = st.columns(2)
        with left:
            arrows = [(name, "key", *k) for name, k in zip(names, keys, strict=True)]
            arrows.append((s.words("query"), "query", *query))
            s.chart(
                charts.plane(arrows, AXES, bound=bound(keys, query)),
                "keys_picture",
                angle=angle,
                length=length,
                best=names[best],
            )
        with right:
            points = [(name, "value", *v) for name, v in zip(names, values, strict=True)]
            points.append((s.words("answer"), "output", x, y))
            corners = values[hull(values)]
            s.chart(
                charts.plane([], AXES, points=points, hull=corners, bound=bound(values)),
                "values_picture",
                x=x,
                y=y,
            )
        s.stamp("by_hand")
    if found.hit is None:
        s.says("says_miss", name=verbatim(names[best]), share=weights[best], x=x, y=y)
    else:
        share = weights[found.hit]
        s.says("says_hit", name=verbatim(names[found.hit]), share=share, rest=1 - share)
    s.details(
        code=[soft_lookup.look_up, scaled_dot_product_attention],
        numbers=lambda: pd.DataFrame({"name": names, "score": found.cache.scores[0], "weight": weights}),
    )
    return names, query, keys, values


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
        s.says(x=did.out[0], y=did.out[1], total=did.weights.sum())
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
    taus = np.geomspace(0.01, 100, 81)
    swept = np.array([soft_lookup.soften(scores, t) for t in taus])  # (n_taus, n)
    weights = soft_lookup.soften(scores, tau)
    labels = [f"{i + 1} {name}" for i, name in enumerate(names)]
    frame = pd.DataFrame(
        {"x": np.repeat(taus, len(names)), "y": swept.ravel(), "name": np.tile(labels, len(taus))}
    )
    with s.picture:
        picture = charts.curves(
            frame,
            [(label, "output") for label in labels],
            (s.words("tau"), s.words("weight")),
            log=("x",),
            domains=((0.01, 100), (0, 1)),
            ticks=(0.01, 0.1, 1, 10, 100),
            at=tau,
        )
        s.chart(picture, tau=tau, mean=1 / len(names))
        s.stamp("by_hand")
    entropy = soft_lookup.entropy(weights)
    s.says(tau=tau, largest=weights.max(), entropy=entropy, effective=np.exp(entropy), n=len(names))
    s.details(
        code=[soft_lookup.soften, soft_lookup.entropy, softmax],
        numbers=lambda: pd.DataFrame({"name": names, "score": scores, "weight": weights}),
    )


@st.cache_data(max_entries=4, show_spinner=False)
def spreads(seed):
    return soft_lookup.spread_by_width(seed)


def why_scale(s):
    with s.inputs:
        d = s.ask.pick("d", WIDTHS, 64)
    plain, scaled = spreads(SEED)
    at = int(np.flatnonzero(plain.widths == d)[0])
    series = [(s.words("plain"), "neutral"), (s.words("scaled"), "attention")]

    def by_width(field, title, **options):
        columns = [getattr(plain, field), getattr(scaled, field)]
        frame = pd.DataFrame(
            {
                "x": np.tile(plain.widths, 2),
                "y": np.concatenate(columns),
                "name": np.repeat([name for name, _ in series], plain.widths.size),
            }
        )
        return charts.curves(
            frame, series, (s.words("width"), title), ticks=WIDTHS[::2], at=d, height=280, **options
        )

    with s.picture:
        largest = by_width("largest", s.words("largest"), log=("x",), domains=((1, 1024), (0, 1)))
        s.chart(largest, "largest_picture", d=d, plain=plain.largest[at], scaled=scaled.largest[at])
        slope = by_width("slope", s.words("slope"), log=("x", "y"), domains=((1, 1024), (1e-4, 1)))
        s.chart(slope, "slope_picture", d=d, plain=plain.slope[at], scaled=scaled.slope[at])
        s.stamp("drawn", seed=SEED)
    numbers = {"d": d, "slope": plain.slope[at], "scaled_slope": scaled.slope[at]}
    if plain.slope[at] >= scaled.slope[at]:
        s.says("says_small", **numbers)
    else:
        s.says(sd=plain.score_sd[at], plain=plain.largest[at], scaled=scaled.largest[at], **numbers)
    s.details(
        code=[soft_lookup.spread_by_width, soft_lookup.spread, soft_lookup.jacobian_norm],
        numbers=lambda: pd.DataFrame(
            {"d": plain.widths}
            | {f"{name}, as it is": column for name, column in plain._asdict().items() if name != "widths"}
            | {f"{name}, scaled": column for name, column in scaled._asdict().items() if name != "widths"}
        ),
    )


def it_can_learn(s):
    walked_key = f"{page.name}.walked"
    walked = st.session_state.get(walked_key, 0)
    # Over only when the browser is at the last step: a look already under way still tells an earlier one.
    running = s.wanted = s.wanted and walked < LONGEST
    if running:  # one look further along the way; the slider follows
        st.session_state[walked_key] = min(walked + 4, LONGEST)
    with s.inputs:
        target = np.array(
            [s.ask.number(f"target_{axis}", -4.0, 4.0, d, step=0.5) for axis, d in (("x", -1.0), ("y", 1.0))]
        )
        rate = s.ask.number("rate", 0.05, 2.0, 0.3, step=0.05)
        n = s.ask.number("walked", 0, LONGEST, 0)
        with st.container(horizontal=True):
            # Two buttons, not one with two labels: a click that is told twice must not undo itself.
            action = "pause" if running else "play"
            st.button(
                s.words(action),
                key=f"{s.key}.{action}",
                on_click=start_or_stop,
                args=(s, walked_key, not running),
                type="primary",
            )
            st.button(
                s.words("again"), key=f"{s.key}.again", on_click=start_or_stop, args=(s, walked_key, False, 0)
            )
    way = soft_lookup.walk(query, keys, values, target, rate, n)
    hard = soft_lookup.hard_loss(query, keys, values, target)
    first, last, (x, y) = way.losses[0], way.losses[-1], way.outs[-1]
    with s.picture:
        left, right = st.columns(2)
        with left:
            points = [(name, "value", *v) for name, v in zip(names, values, strict=True)]
            points += [(s.words("target"), "neutral", *target), (s.words("answer"), "output", x, y)]
            plane = charts.plane(
                [],
                AXES,
                points=points,
                hull=values[hull(values)],
                trail=way.outs,
                bound=bound(values, target),
            )
            s.chart(plane, "values_picture", n=n, x=x, y=y, tx=target[0], ty=target[1])
        with right:
            soft, stuck = s.words("soft"), s.words("hard")
            frame = pd.DataFrame(
                {
                    "x": [*range(n + 1), 0, max(n, 1)],
                    "y": [*way.losses, hard, hard],
                    "name": [soft] * (n + 1) + [stuck] * 2,
                }
            )
            picture = charts.curves(
                frame,
                [(soft, "attention"), (stuck, "neutral")],
                (s.words("steps"), s.words("loss")),
                domains=((0, LONGEST), (0, charts.nice_bound([hard, *way.losses]))),
            )
            s.chart(picture, "loss_picture", first=first, last=last, hard=hard)
        s.stamp("by_hand")
    if n == 0:
        s.says("says_start", first=first)
    else:
        s.says("says" if last < first else "says_up", n=n, first=first, last=last, hard=hard)
    if not inside(target, values):
        st.caption(s.words("outside"))
    s.details(
        code=[soft_lookup.walk, scaled_dot_product_attention_backward],
        numbers=lambda: pd.DataFrame(
            {"step": np.arange(n + 1), "loss": way.losses, "out 1": way.outs[:, 0], "out 2": way.outs[:, 1]}
        ),
    )
    s.tick_while(running)


def start_or_stop(s, walked_key, run, to=None):
    """Start, stop or rewind the walk; a finished walk starts again from 0."""
    if to is not None or (run and st.session_state.get(walked_key, 0) >= LONGEST):
        st.session_state[walked_key] = 0
    s.wanted = run


names, query, keys, values = page.show_shared(hard_and_soft)
page.show(three_steps, temperature, why_scale, it_can_learn)
