"""The block stacked as in GPT-2, BERT and GPT-3: parameters counted from the published shapes."""

import pandas as pd
import streamlit as st

from core.experiments import block_anatomy_stack as stack
from core.published_models import GPT1_VOCABULARY, GPT2, GPT3, PUBLISHED, Shape, as_number
from pages.shared import charts
from pages.shared.amounts import bytes_in_words

MODELS = {one.shape.name: one for one in PUBLISHED}
BYTES = {"two": 2, "four": 4}  # that a number of the cache takes
HUES = {"tokens": "first", "attention": "attention", "mlp": "mlp"}  # all other parts are neutral
STEP_HUES = ["attention", "mlp", "attention", "first"]  # in the order of Operations
MILLION = 1_000_000
LEAST = 0.0005  # a share that is written with its one decimal


def stack_it(s):
    with s.inputs:
        model = MODELS[s.ask.choice("stack_model", tuple(MODELS))]
        shape = model.shape
        n = s.ask.number("stack_context", 1 if shape.is_causal else 2, shape.n, shape.n)
        number = BYTES[s.ask.choice("stack_number", tuple(BYTES))] if shape.is_causal else None
    counts = {name: stack.parameters_by_part(one.shape) for name, one in MODELS.items()}
    with s.picture:
        parts_picture(s, shape, counts[shape.name])
        shares_picture(s, shape, counts)
        st.table(count_table(s, counts), border="horizontal", hide_index=True, alt=s.words("table"))
        st.caption(why_the_paper_differs(s, model, sum(counts[shape.name])))
        step_picture(s, shape, n)
        s.stamp("computed")
    say(s, model, n, number, counts[shape.name])
    s.details(
        code=[Shape, stack.parameters_by_part, stack.one_token, stack.cache_bytes],
        numbers=lambda: as_table(counts),
    )


def name_of(s, shape):
    return s.words(f"options.stack_model.{shape.name}")


# --- parameters ---


def parts_picture(s, shape, counts):
    """The parts of the chosen model, those that it has."""
    total = sum(counts)
    there = {part: count for part, count in counts._asdict().items() if count}
    names = [part_name(s, part, count / total) for part, count in there.items()]
    hues = [HUES.get(part, "neutral") for part in there]
    picture = in_millions(names, list(there.values()), hues, (s.words("part"), s.words("count")))
    listed = ", ".join(f"{name} {count:,}" for name, count in zip(names, there.values(), strict=True))
    share = counts.mlp / total
    s.chart(picture, "parts_picture", model=name_of(s, shape), total=total, share=share, listed=listed)


def in_millions(names, counts, hues, titles):
    """Bars of large counts with three digits that count, and room for them on a phone."""
    values = [count / MILLION for count in counts]
    room = (0, 1.7 * max(values))
    return charts.bars(names, values, hues, titles, domain=room, form=",.3~r", signs=24)


def part_name(s, part, share):
    name = s.words(f"part_{part}")
    return (
        s.words("part_share", part=name, share=share) if share >= LEAST else s.words("part_small", part=name)
    )


def shares_picture(s, shape, counts):
    """The parts of all models as shares; the small ones together."""
    rows = []
    for name, one in counts.items():
        large = [getattr(one, part) for part in HUES]
        label = s.words("model_count", model=name_of(s, MODELS[name].shape), total=sum(one))
        rows.append((label, (*large, sum(one) - sum(large))))
    parts = [(s.words(f"part_{part}"), hue) for part, hue in HUES.items()] + [(s.words("rest"), "neutral")]
    titles = (s.words("model"), s.words("part"), s.words("share"))
    picture = charts.shares(rows, parts, titles, marked=list(counts).index(shape.name))
    shares = {}
    for which, model in (("small", GPT2), ("large", GPT3)):
        one = counts[model.name]
        shares |= {f"tokens_{which}": one.tokens / sum(one), f"mlp_{which}": one.mlp / sum(one)}
    s.chart(picture, "shares_picture", **shares)


def count_table(s, counts):
    """What the formula gives beside what was released and what the paper prints."""
    rows = []
    for name, model in MODELS.items():
        total = sum(counts[name])
        released = s.words("not_released") if model.released is None else f"{model.released:,}"
        gap = (as_number(model.printed) - total) / MILLION
        rows.append((name_of(s, model.shape), f"{total:,}", released, model.printed, with_sign(gap)))
    columns = ("model", "counted", "released", "printed", "gap")
    return pd.DataFrame(rows, columns=[s.words(column) for column in columns])


def with_sign(gap):
    """Write a difference in millions: +0.5, \N{MINUS SIGN}7.4."""
    return f"{gap:+,.1f}".replace("-", "\N{MINUS SIGN}")


def why_the_paper_differs(s, model, total):
    """What can be said of the figure that the model's paper prints, and what cannot."""
    if model.shape == GPT3:
        return s.words("why_gpt3", printed=model.printed, total=total, billions=total / 1e9)
    if not model.shape.is_causal:
        return s.words("why_bert", printed=model.printed, millions=total / MILLION)
    fitting = [f"{count / MILLION:,.0f}" for count in stack.with_vocabulary(GPT1_VOCABULARY)]
    gap = (total - as_number(model.printed)) / MILLION
    old = {"old": GPT1_VOCABULARY, "now": GPT2.vocabulary, "fitting": " / ".join(fitting)}
    return s.words("why_gpt2", printed=model.printed, gap=gap, **old)


# --- one more token ---


def step_picture(s, shape, n):
    """What one token costs on its way through the chosen model."""
    steps = {step: count for step, count in stack.one_token(shape, n)._asdict().items() if count}
    names = [s.words(f"step_{step}") for step in steps]
    hues = STEP_HUES[: len(steps)]  # only the last one may be missing
    picture = in_millions(names, list(steps.values()), hues, (s.words("step"), s.words("millions")))
    listed = ", ".join(
        f"{name} {count / MILLION:,.1f}" for name, count in zip(names, steps.values(), strict=True)
    )
    told = {"model": name_of(s, shape), "n": n, "millions": sum(steps.values()) / MILLION, "listed": listed}
    s.chart(picture, "token_picture" if shape.is_causal else "each_picture", **told)


def say(s, model, n, number, counts):
    shape, total = model.shape, sum(counts)
    each = sum(stack.one_token(shape, n))
    told = {"model": name_of(s, shape), "total": total, "n": n, "each": each / MILLION}
    if not shape.is_causal:
        s.says("says_bert", whole=n * each / MILLION, **told)
        return
    token = stack.cache_bytes(shape, number)
    told |= {"ratio": each / total, "number": number, "most": shape.n}
    told |= {"token": bytes_in_words(token), "whole": bytes_in_words(token * shape.n)}
    s.says("says_gpt" if model.released else "says_by_formula", **told)


def as_table(counts):
    """One row a model: its shape, its parts, what was released and what is printed."""
    return pd.concat(
        [
            pd.DataFrame([one.shape for one in PUBLISHED]),
            pd.DataFrame(counts.values()),
            pd.DataFrame(
                {
                    "total": [sum(one) for one in counts.values()],
                    "released": pd.array([one.released for one in PUBLISHED], dtype="Int64"),
                    "printed": [one.printed for one in PUBLISHED],
                }
            ),
        ],
        axis="columns",
    )
