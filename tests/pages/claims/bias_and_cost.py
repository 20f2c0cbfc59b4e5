"""Page 5, computed a second time; what it measures is given (`measured.py`)."""

import math

import numpy as np

from tests.pages.claims import data
from tests.pages.claims.as_convolution import as_convolution
from tests.pages.claims.measured import MACHINE, whole_run

D, K = 64, 3  # what is measured
SIZES = [2**i for i in range(4, 13)]
LAYERS = ("attention", "rnn", "conv")
MIB = 2**20


def compared(one, other, form):
    first, second = (format(value, form) for value in (one, other))
    return "equal" if first == second else "more" if one > other else "less"


def slope(points):
    """Exponent of the power law through points (n, y): least squares on the logarithms."""
    x, y = (np.log([point[i] for point in points]) for i in (0, 1))
    return ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()


# --- what is assumed, and the bill -------------------------------------------------------------


def assumes(given):
    n, k, causal, seed = given["drawn"], given["window"], given["looks_back"], given["other_words"]
    pairs = [(i, j) for i in range(n) for j in range(n)]
    before = sum(j <= i for i, j in pairs)
    near = sum(0 <= i - j < k if causal else abs(i - j) <= k // 2 for i, j in pairs)
    joined = {"dense": n * n, "attention": before if causal else n * n, "rnn": before, "conv": near}
    learned = {"dense": n * n * D * D, "attention": 4 * D * D, "rnn": 2 * D * D, "conv": k * D * D}
    due = {"stamp.connections": {"d": 4, "seed": 0, "words_seed": seed}, "here": {"n": n}}
    for layer, count in joined.items():
        title = f"{layer}_causal" if causal and layer in ("attention", "conv") else layer
        due |= {title: {"joined": count}, f"{title}_alt": {"n": n, "joined": count}}
    assert weaker_the_further(n)
    told = {f"{layer}_pairs": count for layer, count in joined.items()} | learned
    told |= {"n": n, "d": D, "k": k}
    most = joined["attention"]
    assert most >= joined["conv"] and most >= joined["rnn"], "takes no more for granted"
    as_rnn, as_conv = most == joined["rnn"], most == joined["conv"]
    says = {(False, False): "says", (False, True): "says_wide", (True, False): "says_causal"}
    key = says.get((as_rnn, as_conv), "says_causal_wide")
    return due | {"parameters_picture": {}, "parameters_picture_alt": told, key: told}


def weaker_the_further(n):
    """The RNN of the picture has no activation: a word t steps back arrives through w_x and t times w_h."""
    w_x, w_h = np.random.default_rng(0).standard_normal((2, 4, 4)) / 2
    strengths = [np.linalg.norm(w_x @ np.linalg.matrix_power(w_h, t)) for t in range(n)]
    return np.all(np.diff(strengths) < 0)


def operations(n, d, k, projections=False):
    attention = 4 * n * n * d + (8 * n * d * d if projections else 0)
    return {"attention": attention, "rnn": 4 * n * d * d, "conv": 2 * k * n * d * d}


def by_formula(given):
    n, d, k, projections = given["n"], given["d"], given["k"], given["projections"]
    now, twice = operations(n, d, k, projections), operations(2 * n, d, k, projections)
    picture = "picture_projections" if projections else "picture"
    told = {"n": n, "d": d, "k": k, **now}
    due = {f"{picture}_alt": told, "here": {"n": n}}
    if not projections:
        grown = [twice[layer] / now[layer] for layer in LAYERS]
        assert grown == [4, 2, 2], "four times for attention, twice for the others"
        due |= {"picture": {}, "crossing": {"d": d}}
    ratio = now["attention"] / now["rnn"]
    if projections:
        assert ratio > 1, "more at any n"
        return due | {"says_projections": {"n": n, "ratio": ratio}}
    if n == d:
        return due | {"says_equal": {"n": n, "operations": now["rnn"]}}
    if n > d:
        return due | {"says": {"n": n, "d": d, "ratio": ratio}}
    return due | {"says_cheaper": {"n": n, "d": d, "ratio": 1 / ratio}}


# --- measured ----------------------------------------------------------------------------------


def of_kind(given, kind):
    return [record for record in given.more["run"].seen if record.get("kind") == kind]


def of_layer(given, layer):
    """[(n, seconds, bytes)] as told last."""
    told = {r["n"]: r for r in given.more["run"].seen if r.get("layer") == layer}
    return [(n, r["seconds"], r["bytes"]) for n, r in sorted(told.items())]


def how_far(given, count, whole, waits=False):
    """What is said while records are missing, and where the numbers come from; `waits`: beside later ones."""
    run = given.more["run"]
    due, told = {}, {"count": count, "whole": whole}
    if count < whole and run.has_failed:
        due["failed"] = told
    elif count < whole and not run.is_over and not waits:
        due["progress"] = told
    if run.is_over or count == whole:
        due["stamp.measured"] = MACHINE
    return due


def measured(given):
    n_from = given["fit_from"]
    found = {layer: of_layer(given, layer) for layer in LAYERS}
    count = sum("layer" in record for record in given.more["run"].seen)
    due = how_far(given, count, 3 * 3 * len(SIZES))
    due |= {"setting": {"d": D, "k": K, "first": SIZES[0], "last": SIZES[-1]}, "formula_crossing": {"n": D}}
    if any(len(rows) < len(SIZES) for rows in found.values()):
        return due | {"time_so_far_alt": {"longest": SIZES[-1]}, "memory_so_far_alt": {"longest": SIZES[-1]}}
    times = {layer: [(n, seconds) for n, seconds, _ in rows] for layer, rows in found.items()}
    exponents = {layer: slope([one for one in times[layer] if one[0] >= n_from]) for layer in LAYERS}
    drawn = {f"{layer}_exponent": exponent for layer, exponent in exponents.items()}
    drawn |= {layer: rows[-1][1] * 1e3 for layer, rows in times.items()}
    drawn |= {"longest": SIZES[-1], "n_from": n_from}
    held = {layer: rows[-1][2] / MIB for layer, rows in found.items()}
    held |= {"longest": SIZES[-1], "times": held["attention"] / held["conv"]}
    due |= {
        "time_picture": drawn,
        "time_picture_alt": drawn,
        "memory_picture": held,
        "memory_picture_alt": held,
    }
    later = slope([one for one in times["attention"] if one[0] >= 256])
    return due | the_fit(exponents["attention"], later, n_from) | the_crossing(times)


def the_fit(exponent, later, n_from):
    if n_from < 256:
        key = f"fit_short_{compared(exponent, later, '.2f')}"
    else:
        key = "fit_near" if 1.95 <= exponent <= 2.05 else "fit_above" if exponent > 2 else "fit_below"
    return {key: {"exponent": exponent, "n_from": n_from, "later": later, "usual": 256}}


def the_crossing(times):
    """Where the lines of attention and RNN, straight between two lengths, cross for the last time."""
    above = [a[1] > r[1] for a, r in zip(times["attention"], times["rnn"], strict=True)]
    if all(above):
        return {"says_dearer": {"d": D}}
    if not above[-1]:
        return {"says_cheaper": {"d": D, "longest": SIZES[-1]}}
    last = max(i for i, over in enumerate(above) if not over)
    (n0, a0), (n1, a1) = times["attention"][last : last + 2]
    (_, r0), (_, r1) = times["rnn"][last : last + 2]
    way = math.log(r0 / a0) / (math.log(r0 / a0) + math.log(a1 / r1))
    n = n0 * (n1 / n0) ** way
    ends = {layer: times[layer][-1][1] for layer in ("rnn", "conv")}
    counted = operations(SIZES[-1], D, K)
    speeds = {layer: counted[layer] / seconds / 1e9 for layer, seconds in ends.items()}
    key = {"more": "says_later", "less": "says_earlier", "equal": "says_there"}[compared(n, D, ".0f")]
    return {"measured_crossing": {"n": n}, key: {"d": D, "n": n, **speeds}}


def blocked(given):
    block, told = given["block"], of_kind(given, "blocked")
    due = how_far(given, len(told), 3 * 5 + 1, waits=True)
    pieces = {r["n"]: r for r in told if r["block"] == block}
    plain = {n: (seconds, size) for n, seconds, size in of_layer(given, "attention") if n >= 256}
    due["pieces"] = [{"block": block}] * 2
    differences = [r["difference"] for r in told if "difference" in r]
    if differences:
        due["note"] = {"n": 1024, "difference": max(differences)}
    if len(told) < 3 * 5 + 1:
        due["memory_so_far_alt"] = {"block": block}
        return due | ({"time_so_far_alt": {"block": block}} if plain or pieces else {})
    held = {"n": 4096, "plain": plain[4096][1] / MIB, "pieces": pieces[4096]["bytes"] / MIB, "start": 256}
    held |= {"plain_first": plain[256][1] / MIB, "pieces_first": pieces[256]["bytes"] / MIB, "block": block}
    exponents = {"plain": slope([(n, one[0]) for n, one in plain.items()])}
    # The longest input belongs to the tiles of that size.
    exponents["pieces"] = slope([(n, r["seconds"]) for n, r in pieces.items()])
    exponents |= {"block": block, "start": 256}
    due |= {"memory_picture": held, "memory_picture_alt": held}
    due |= {"time_picture": exponents, "time_picture_alt": exponents}
    n = 16_384
    (long,) = [r for r in told if r["n"] == n]
    share = pieces[4096]["seconds"] / plain[4096][0]
    values = {
        "n": n,
        "long_block": 256,
        "extra": (long["bytes"] - n * D * 4) / MIB,
        "seconds": long["seconds"],
    }
    values |= {"plain": 2 * n * n * 4 / MIB, "longest": 4096, "block": block, "share": share}
    return due | {f"says_{compared(share, 1, '.0%')}": values}


def skipping(given):
    n, block = 2048, given["tile"]
    told = {r["block"]: r for r in of_kind(given, "skipping")}
    m = n // block
    some = sum(j <= i for i in range(m) for j in range(m))
    share = some / m**2
    tiles = {"some": some, "every": m * m, "share": share, "n": n, "block": block}
    ends = {"n": n, "first": (16 + 1) / (2 * 16), "last": (2 + 1) / (2 * 2)}  # 2048 in tiles of 128, 1024
    assert ends["first"] < ends["last"], "the larger the tiles, the more of them remain"
    due = how_far(given, len(told), 4, waits=True)
    due |= {
        "tiles_picture": tiles,
        "tiles_picture_alt": tiles,
        "share_picture": ends,
        "share_picture_alt": ends,
    }
    if block not in told:
        return due
    taken = told[block]["causal_seconds"] / told[block]["full_seconds"]
    key = "says_nothing" if taken > 0.97 else f"says_{compared(taken, share, '.0%')}"
    return due | {key: {"block": block, "n": n, "share": share, "taken": taken}}


def one_more_token(given):
    t, told = given["t"], {r["t"]: r for r in of_kind(given, "token")}
    again = 4 * t * t * D + 8 * t * D * D  # attention of t words and its four projections
    cached = 4 * t * D + 8 * D * D  # of one row
    assert again == t * cached, "exactly t"
    counted = {"t": t, "d": D, "again": again, "cached": cached}
    due = how_far(given, len(told), 6, waits=True)
    due |= {"operations_picture": counted, "operations_picture_alt": counted}
    due["note"] = {"n": 24, "difference": lambda told: 0 <= told < 1e-5}  # float32, numbers of size 1
    due["token"] = [{"t": t}] * 2
    values = {"t": t, "operations": t, "kib": 2 * t * D * 4 / 1024}
    if len(told) == 6:
        times = {"t": t, "again": told[t]["again"] * 1e6, "cached": told[t]["cached"] * 1e6}
        due |= {"time_picture": times, "time_picture_alt": times}
    if t not in told:
        return due | {"says_counted": values}
    saved = told[t]["again"] / told[t]["cached"]
    return due | {f"says_{compared(saved, t, '.0f')}": values | {"measured": saved}}


# --- models ------------------------------------------------------------------------------------

SHAPES = {  # words, layers, heads, width
    "bert": (512, 12, 12, 768),
    "gpt2": (1024, 12, 12, 768),
    "gpt3": (2048, 96, 96, 12_288),
    "what_if_128k": (131_072, 96, 96, 12_288),
    "what_if_1m": (1_048_576, 96, 96, 12_288),
}


def in_words(size):
    """Bytes in the largest unit that leaves 1 or more."""
    power = max(i for i in range(7) if size >= 1024**i)
    amount = size / 1024**power
    digits = 0 if amount >= 10 or amount == int(amount) else 1
    return f"{amount:,.{digits}f}\u00a0{['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'][power]}"


def real_models(given):
    number = {"four": 4, "two": 2}[given["number"]]
    every = {
        name: in_words(n * n * number * layers * heads) for name, (n, layers, heads, _) in SHAPES.items()
    }
    due = {name: {"n": n, "layers": layers, "heads": heads} for name, (n, layers, heads, _) in SHAPES.items()}
    units = [size.split("\u00a0")[1] for size in every.values()]
    assert units == ["MiB", "MiB", "GiB", "TiB", "PiB"], "from MiB to TiB and PiB"
    says = {"number": number, "one": in_words(2048**2 * number), "every": every["gpt3"]}
    says |= {"longer": 131_072 // 2048, "times": (131_072 // 2048) ** 2}
    return due | {"picture": {}, "picture_alt": {"number": number, **every}, "says": says}


def share(given):
    most, _, _, d = SHAPES[given["model"]]
    n, model = given["length"], given.words(f"options.model.{given['model']}")
    part = 4 * n * n * d / (24 * n * d * d + 4 * n * n * d)
    assert 4 * (6 * d) ** 2 * d == 24 * (6 * d) * d * d, "at n = 6d it is exactly one half"
    told = {"model": model, "n": n, "d": d, "share": part, "half": 6 * d, "most": most}
    if n <= most:
        assert part < 0.5 and n < 6 * d, "not yet the larger part"
    return {
        "picture": told,
        "picture_alt": told,
        "note": {"narrow": 768, "wide": 12_288},
        "width": [{"width_d": 768}, {"width_d": 12_288}],
        "says" if n <= most else "says_beyond": told,
    }


def parallel(given):
    n, d, p, told = given["model_n"], given["model_d"], given["processors"], of_kind(given, "chain")
    due = how_far(given, len(told), 6, waits=True)
    serial = {"attention": 1, "rnn": n, "conv": 1}
    work = {layer: count / 2 for layer, count in operations(n, d, K).items()}
    steps = {layer: max(serial[layer], work[layer] / p) for layer in LAYERS}
    drawn = {"n": n, "d": d, "p": p, **steps}
    due |= {"here": {"p": p}, "model_picture": drawn, "model_picture_alt": drawn}
    enough = work["rnn"] / n
    level = 1 if n <= d else work["attention"] / n  # as quick as the RNN at its best, which takes n steps
    assert max(1, work["attention"] / (1.01 * max(level, enough))) < n or n == 1, "goes on gaining"
    due["model_always" if n <= d else "model_later"] = {"enough": enough, "p": level, "n": n, "k": K}
    if len(told) < 6:
        return due | ({"orders_so_far_alt": {"n": 1024}} if told else {})
    ratios = {r["d"]: r["chain"] / r["product"] for r in told}
    last = {"n": 1024, "d": 512, "chain": told[-1]["chain"] * 1e3, "product": told[-1]["product"] * 1e3}
    last["ratio"] = ratios[512]
    due |= {"orders_picture": last, "orders_picture_alt": last}
    return due | {"says": {"d": 256, "ratio": ratios[256], "least": 16, "least_ratio": ratios[16]}}


SECTIONS = {
    "assumes": assumes,
    "data": data.data,
    "one_point": data.one_point,
    "texture": data.texture,
    "as_convolution": as_convolution,
    "turning_local": data.turning_local,
    "by_formula": by_formula,
    "measured": measured,
    "blocked": blocked,
    "skipping": skipping,
    "one_more_token": one_more_token,
    "real_models": real_models,
    "share": share,
    "parallel": parallel,
}

WHOLE = len(whole_run())
WAYS = [  # the inputs; how the measurement came out, and how much of it is there
    {
        **{"looks_back": True, "n": 64, "tile": 1024, "alpha": 2, "asking": "corner"},
        "measured": {"word": 7.04e-8, "taken": lambda share: 0.99},
    },
    {
        **{"window": 15, "drawn": 6, "n": 16, "fit_from": 16, "padded": True, "alpha": 32},
        "measured": {"word": 4.1e-8, "step": 1.3312e-5},
    },
    {
        **{"looks_back": True, "window": 15, "drawn": 8, "fit_from": 64},
        "measured": {"exponent": 2.2, "taken": lambda share: share, "blocks": 1.847e-9 * 4096**0.2},
    },
    {
        **{"projections": True, "fit_from": 64, "length": 2048, "number": "two"},
        "measured": {"exponent": 1.8, "word": 1e-3, "step": 1.1e-5, "taken": lambda share: share - 0.1},
    },
    {"model_n": 64, "measured": {"exponent": 1.8, "short": 1.8, "word": 1e-12, "blocks": 4e-9}},
    {"fit_from": 1024, "measured": {"exponent": 2.2, "short": 2.2}},
    {"told": 20},
    {"told": WHOLE - 4, "failed": True},
]
WAYS += data.WAYS
train = data.train
