"""Page 4, published models: everything is counted a second time, array by array."""

import math

MODELS = {  # words, layers, width, tokens known, released, printed: in millions
    "gpt2": (1024, 12, 768, 50257, 124_439_808, "117M", 117),
    "gpt2_medium": (1024, 24, 1024, 50257, 354_823_168, "345M", 345),
    "gpt2_large": (1024, 36, 1280, 50257, 774_030_080, "762M", 762),
    "gpt2_xl": (1024, 48, 1600, 50257, 1_557_611_200, "1542M", 1542),
    "bert": (512, 12, 768, 30522, 109_482_240, "110M", 110),
    "bert_large": (512, 24, 1024, 30522, 335_141_888, "340M", 340),
    "gpt3": (2048, 96, 12288, 50257, None, "175.0B", 175_000),
}


def arrays(name, vocabulary=None):
    """{part: shapes of all its arrays}, in the order of the bars."""
    n, layers, d, known, *_ = MODELS[name]
    bert = name.startswith("bert")
    return {
        "tokens": [(vocabulary or known, d)],
        "positions": [(n, d)],
        "segments": [(2, d)] * bert,
        "attention": [(d, d), (d,)] * 4 * layers,
        "mlp": [(d, 4 * d), (4 * d,), (4 * d, d), (d,)] * layers,
        "norms": [(d,), (d,)] * 2 * layers + [(d,), (d,)],
        "pooler": [(d, d), (d,)] * bert,
    }


def count(name, vocabulary=None):
    parts = arrays(name, vocabulary)
    return {part: sum(map(math.prod, shapes)) for part, shapes in parts.items() if shapes}


def stack_it(given):
    name = given["stack_model"]
    model = label(given, name)
    found = {one: count(one) for one in MODELS}
    total = sum(found[name].values())
    released = MODELS[name][4]
    assert released in (None, total), "exactly those of the released checkpoint"
    due = {"model_count": [{"model": label(given, one), "total": sum(found[one].values())} for one in MODELS]}
    due |= parts(given, found[name], total, model) | small_and_large(found)
    due |= why(name, total) | one_token(given, name, total, model)
    return due


def label(given, name):
    return given.words(f"options.stack_model.{name}")


def parts(given, found, total, model):
    named, small, listed = [], [], []
    for part, size in found.items():
        values = {"part": given.words(f"stack_it.part_{part}"), "share": size / total}
        key = "part_share" if f"{values['share']:.1%}" != "0.0%" else "part_small"
        (named if key == "part_share" else small).append(values)
        listed.append(f"{given.words(f'stack_it.{key}', **values)} {size:,}")
    told = {"model": model, "total": total, "share": found["mlp"] / total, "listed": ", ".join(listed)}
    due = {"parts_picture": told, "parts_picture_alt": told, "part_share": named}
    return due | ({"part_small": small} if small else {})


def small_and_large(found):
    shares = {}
    for which, name in (("small", "gpt2"), ("large", "gpt3")):
        total = sum(found[name].values())
        shares |= {f"{part}_{which}": found[name][part] / total for part in ("tokens", "mlp")}
    assert shares["tokens_small"] > shares["tokens_large"], "sinks"
    assert shares["mlp_small"] < shares["mlp_large"], "rises"
    return dict.fromkeys(("shares_picture", "shares_picture_alt"), shares)


def why(name, total):
    printed, figure = MODELS[name][5:]
    millions = total / 1e6
    if name == "gpt3":
        assert (round(total / 1e9), round(total / 1e9, 1)) == (175, 174.6), (
            "to whole billions, not to one decimal"
        )
        return {"why_gpt3": {"printed": printed, "total": total, "billions": total / 1e9}}
    if name.startswith("bert"):
        assert all(round(MODELS[one][4] / 1e7) * 10 == MODELS[one][6] for one in ("bert", "bert_large"))
        return {"why_bert": {"printed": printed, "millions": millions}}
    family = [one for one in MODELS if one.startswith("gpt2")]
    fitting = [round(sum(count(one, 40_478).values()) / 1e6) for one in family]
    assert fitting == [MODELS[one][6] for one in family], "all four figures printed"
    assert millions > figure, "less than was released"
    told = {"old": 40_478, "now": 50_257, "fitting": " / ".join(f"{one:,}" for one in fitting)}
    return {"why_gpt2": told | {"printed": printed, "gap": millions - figure}}


def one_token(given, name, total, model):
    most, layers, d, known, released, *_ = MODELS[name]
    n, bert = given["stack_context"], name.startswith("bert")
    matrices = arrays(name)
    # A multiply-add with every entry of every matrix; one with n keys and one with n values, d numbers each.
    steps = {
        part: 2 * sum(math.prod(shape) for shape in matrices[part] if len(shape) == 2)
        for part in ("attention", "mlp")
    }
    steps |= {"looking": layers * 2 * 2 * n * d} | ({} if bert else {"read_out": 2 * known * d})
    each = sum(steps.values()) / 1e6
    names = {"attention": "projections"}
    listed = [
        f"{given.words(f'stack_it.step_{names.get(step, step)}')} {size / 1e6:,.1f}"
        for step, size in steps.items()
    ]
    drawn = {"model": model, "n": n, "millions": each, "listed": ", ".join(listed)}
    picture = "each_picture" if bert else "token_picture"
    due = {picture: drawn, f"{picture}_alt": drawn}
    told = {"model": model, "total": total, "n": n, "each": each}
    if bert:
        return due | {"says_bert": told | {"whole": n * each}}
    number = {"two": 2, "four": 4}[given["stack_number"]]
    token = layers * (d + d) * number  # a key and a value
    told |= {"ratio": each * 1e6 / total, "number": number, "most": most}
    told |= {"token": in_words(token), "whole": in_words(most * token)}
    return due | {"says_gpt" if released else "says_by_formula": told}


def in_words(size):
    """Bytes in the largest unit that leaves 1 or more."""
    power = max(i for i in range(5) if size >= 1024**i)
    amount = size / 1024**power
    text = f"{amount:,.0f}" if amount >= 10 or amount == int(amount) else f"{amount:,.1f}"
    return f"{text}\u00a0{['B', 'KiB', 'MiB', 'GiB', 'TiB'][power]}"


WAYS = [
    {"stack_model": "gpt2_xl", "stack_context": 1, "stack_number": "four"},
    {"stack_model": "gpt3", "stack_context": 2048},
    {"stack_model": "bert_large", "stack_context": 100},
]
