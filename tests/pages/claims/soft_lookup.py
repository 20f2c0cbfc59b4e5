"""Page 2, computed a second time."""

import math
import string
from functools import lru_cache

import numpy as np

from core.blocks.attention import scaled_dot_product_attention, scaled_dot_product_attention_backward
from core.experiments.recorded import FOLDER
from core.geometry import inside
from core.learning.dictionary import lookups
from core.learning.mixers.attention import Attention
from core.learning.mixers.convolution import Convolution
from core.learning.mixers.recurrent import Recurrent
from core.learning.models import Model, init_model, read
from core.learning.parameters import flatten
from tests.pages.claims.listening import listed, shown

TAUS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
WIDTHS = [2**i for i in range(11)]


def softmax(scores):
    powers = [math.exp(score - max(scores)) for score in scores]
    return np.array(powers) / sum(powers)


def dictionary(given):
    """Names, query, keys, values, dot products."""
    table, angle = given.grid("table"), math.radians(given["angle"])
    query = given["length"] * np.array([math.cos(angle), math.sin(angle)])
    # Laid out as the page does: a walk with large steps is chaotic and shows the last bit of every product.
    keys, values = (np.column_stack([table[f"{kind}1"], table[f"{kind}2"]]) for kind in "kv")
    return (
        table["name"].tolist(),
        query,
        keys,
        values,
        np.array([k[0] * query[0] + k[1] * query[1] for k in keys]),
    )


def hard_and_soft(given):
    names, query, keys, values, products = dictionary(given)
    weights = softmax(products / math.sqrt(2))
    x, y = sum(w * v for w, v in zip(weights, values, strict=True))
    assert inside(np.array([x, y]), values), "never leaves the hull"
    best = [i for i, w in enumerate(weights) if w >= max(weights) - 1e-9]
    plain, marked = (listed(given, [mark(names[i]) for i in best]) for mark in (str, shown))
    query_is = {"angle": given["angle"], "length": given["length"], "product": max(products)}
    key = "keys_picture" if len(best) == 1 else "tie_picture"
    due = {
        key: {"best": marked, **query_is},
        f"{key}_alt": {"best": plain, **query_is},
        "values_picture": {},
        "values_picture_alt": {"x": x, "y": y},
    }
    hit = [i for i, k in enumerate(keys) if np.array_equal(k.round(2), query.round(2))]
    if hit:
        share = weights[hit[0]]
        return due | {"says_hit": {"name": shown(names[hit[0]]), "share": share, "rest": 1 - share}}
    found = {"best": marked, "share": max(weights), "x": x, "y": y}
    return due | {"says_miss" if len(best) == 1 else "says_tie": found}


def three_steps(given):
    names, query, keys, values, products = dictionary(given)
    step, i, shift = given["step"], given["entry"] - 1, given["shift"]
    scores = products / math.sqrt(2) + 100 * shift
    powers = np.array([math.exp(score - max(scores)) for score in scores])
    weights = powers / sum(powers)
    parts = [w * v for w, v in zip(weights, values, strict=True)]
    shown_now = (products, scores, powers, weights, [part[0] for part in parts])[step - 1]
    row = ", ".join(f"{name} {value:.3f}" for name, value in zip(names, shown_now, strict=True))
    values_of_entry = {
        **{"q1": query[0], "q2": query[1], "k1": keys[i][0], "k2": keys[i][1], "product": products[i]},
        **{"shifted": given.words("three_steps.work_shifted") if shift else "", "score": scores[i]},
        **{"largest": max(scores), "power": powers[i], "total": sum(powers), "weight": weights[i]},
        **{"v1": values[i][0], "v2": values[i][1], "p1": parts[i][0], "p2": parts[i][1]},
    }
    title = given.words(f"three_steps.step_{step}")
    due = {"picture": {"step": title}, "picture_alt": {"step": title, "listed": row}}
    due |= {"work": {"name": shown(names[i])}} | {f"work_{k}": values_of_entry for k in range(1, step + 1)}
    if shift:  # scores near 100 are 1.4e-14 apart
        return due | {"says_shift": {"difference": lambda told: told < 1e-13 * (1 + max(abs(products)))}}
    x, y = sum(parts)
    return due | {"says": {"n": len(names), "x": x, "y": y, "total": 1.0}}


def temperature(given):
    names, *_, products = dictionary(given)
    scores, tau, n = products / math.sqrt(2), given["tau"], len(names)
    weights = softmax(scores / tau)
    entropy = -sum(w * math.log(w) for w in weights if w > 0)
    largest = [max(softmax(scores / one)) for one in TAUS]
    assert np.all(np.diff(largest) <= 1e-12), "the hotter, the more even"
    told = {
        "tau": tau,
        "largest": max(weights),
        "entropy": entropy + 0.0,
        "effective": math.exp(entropy),
        "n": n,
    }
    return {"picture": {}, "picture_alt": {"mean": 1 / n, "tau": tau}, "says": told}


@lru_cache
def drawn():
    """Spread of the scores, mean largest weight and median slope: {(width, divided by its root): three}."""
    rng = np.random.default_rng(0)
    q = rng.standard_normal((200, 1, 1024), dtype=np.float32)
    k = rng.standard_normal((200, 32, 1024), dtype=np.float32)
    found = {}
    for d in WIDTHS:
        products = (q[..., :d] @ k[..., :d].swapaxes(-1, -2))[:, 0]  # (200, 32)
        for divided in (False, True):
            scores = products / math.sqrt(d) if divided else products
            powers = np.exp(scores.astype(float) - scores.max(axis=1, keepdims=True))
            weights = powers / powers.sum(axis=1, keepdims=True)
            slopes = [np.linalg.norm(np.diag(w) - np.outer(w, w)) for w in weights]
            found[d, divided] = scores.std(), weights.max(axis=1).mean(), np.median(slopes)
    return found


def why_scale(given):
    d, found = given["d"], drawn()
    (sd, largest, slope), (_, scaled_largest, scaled_slope) = found[d, False], found[d, True]
    grows = [found[width, False][1] for width in WIDTHS]
    assert np.all(np.diff(grows) > 0) and grows[-1] > 0.9, "climbs towards 1"
    assert found[1024, False][2] < 0.01 * found[1024, True][2], "far less gradient at large widths"
    spreads = [found[width, True][0] for width in WIDTHS]
    assert max(spreads) < 1.2 * min(spreads), "the same spread at every width"
    both = {"d": d, "n": 32, "plain": largest, "scaled": scaled_largest}
    numbers = {"slope": slope, "scaled_slope": scaled_slope, "sd": sd, **both}
    return {
        "largest_picture": {},
        "largest_picture_alt": both,
        "slope_picture": {},
        "slope_picture_alt": {"d": d, "plain": slope, "scaled": scaled_slope},
        "says_small" if slope >= scaled_slope else "says": numbers,
        "stamp.drawn": {"seed": 0},
    }


def walk(query, keys, values, target, rate, n):
    """Outputs, losses and the length of the last gradient on the way downhill."""
    outs, losses = [], []
    for _ in range(n + 1):
        out, cache = scaled_dot_product_attention(query[None], keys, values)
        slope, _, _ = scaled_dot_product_attention_backward(out - target, cache)
        outs.append(out[0])
        losses.append(((out[0] - target) ** 2).sum() / 2)
        query = query - rate * slope[0]
    return outs, losses, np.linalg.norm(slope)


def it_can_learn(given):
    _, query, keys, values, products = dictionary(given)
    target = np.array([given["target_x"], given["target_y"]])
    n, rate = given["walked"], given["rate"]
    outs, losses, slope = walk(query, keys, values, target, rate, n)
    first, last = losses[0], losses[-1]
    hard = ((values[int(np.argmax(products))] - target) ** 2).sum() / 2
    ends = {"x0": outs[0][0], "y0": outs[0][1], "x": outs[-1][0], "y": outs[-1][1]}
    way = {"n": n, "tx": target[0], "ty": target[1], **ends}
    told = {"n": n, "first": first, "last": last, "hard": hard, "slope": slope}
    names = ("way_picture", "loss_picture") if n else ("here_picture", "first_loss_picture")
    due = {
        key: facts for name, facts in zip(names, (way, told), strict=True) for key in (name, f"{name}_alt")
    }
    if not inside(target, values):
        due["outside"] = {}
    as_printed = float(f"{first:.3f}"), float(f"{last:.3f}")
    if n == 0:
        return due | {"says_start": told}
    if as_printed[0] == as_printed[1]:
        return due | {"says_same": told}
    if as_printed[0] > as_printed[1]:
        return due | {"says": told}
    _, careful, _ = walk(query, keys, values, target, rate / 100, n)
    assert careful[-1] <= first, "it is the learning rate"
    return due | {"says_up": told}


# --- a trained dictionary ----------------------------------------------------------------------

D_MODEL, N_TRIED = 32, 512
MIXERS = {
    "attention": Attention(D_MODEL, 1, d_ff=1, n_layers=1, base=None, norm="off", use_mlp=False),
    "gru": Recurrent(D_MODEL, 25),
    "rnn": Recurrent(D_MODEL, 48, gated=False),
    "conv": Convolution(27, 3, (1, 1)),
}


@lru_cache
def recorded(name, n):
    """Steps, counts of right answers, those at other sizes, parameters: as the file holds them."""
    with np.load(FOLDER / f"soft_lookup_trained_{name}_{n}.npz") as found:
        rights = np.rint(found["accuracy"] * N_TRIED).astype(int)
        return found["step"], rights, np.rint(found["at_sizes"][-1] * N_TRIED), found["flat"].astype(float)


@lru_cache
def untrained(name, n, seed):
    """The same of a model as it is drawn."""
    model = Model(49, 16, MIXERS[name])
    first, _, tried = np.random.default_rng(seed).spawn(3)
    params, test = init_model(first, model), lookups(tried, N_TRIED, n)
    logits, _ = read(test.ids, params, model, test.rows)
    flat = flatten(params)[0].astype(float)
    return [0], [int((logits[:, 0].argmax(axis=1) == test.targets).sum())], None, flat[None]


def asked_for(flat, n, list_seed, asked):
    """Key, value, weight on the entry and answer: attention by its formula, from the parameters in a row."""
    rng = np.random.default_rng(list_seed)
    keys, values = rng.random((1, 32)).argsort(axis=1)[0, :n], rng.integers(16, size=n)
    sizes = [(49, 32), *[(32, 32), (32,)] * 4, (32, 16), (16,)]
    ends = np.cumsum([math.prod(size) for size in sizes])
    parts = [part.reshape(size) for part, size in zip(np.split(flat, ends[:-1]), sizes, strict=True)]
    table, w_q, b_q, w_k, b_k, w_v, b_v, w_o, b_o, w, b = parts
    question = table[keys[asked]] + table[48]
    x = np.vstack([table[keys] + table[32 + values], question])
    weights = softmax((x @ w_k + b_k) @ (question @ w_q + b_q) / math.sqrt(D_MODEL))
    logits = (question + weights @ (x @ w_v + b_v) @ w_o + b_o) @ w + b
    return keys[asked] + 1, values[asked], weights[asked], logits.argmax()


def best_guess(n):
    """Mean number of the commonest of n values out of 16, over n; by a generating function."""
    mean = 0.0
    for most in range(n):  # the mean is the sum of P(commonest > most)
        series = np.array([1 / math.factorial(j) for j in range(most + 1)])
        product = np.ones(1)
        for _ in range(16):
            product = np.convolve(product, series)[: n + 1]
        whole = product[n] if len(product) > n else 0.0
        mean += 1 - whole * math.factorial(n) / 16**n
    return mean / n


def trained(given):
    n, seed, longer = given["entries"], given["trained_seed"], given["longer"]
    there = {name: (seed, 1 if name == "attention" else longer) == (0, 1) for name in MIXERS}
    runs = {name: recorded(name, n) if there[name] else untrained(name, n, seed) for name in MIXERS}
    steps, rights, at_sizes, flats = runs["attention"]
    now = list(steps).index(given.get("trained_step", 0)) if len(steps) > 1 else 0
    counts = {name: run[1][-1] for name, run in runs.items()} | {"n_tried": N_TRIED, "n": n}
    levels = {"from_list": best_guess(n), "blind": 1 / 16, "n": n, "n_values": 16}
    number, value, weight, said = asked_for(flats[now], n, given["list"], given["asked"] - 1)
    as_told = {"weight": lambda told: abs(told - weight) < 1e-4}  # in single precision
    as_told |= {"step": steps[now], "number": number, "n": n}
    as_told["entry"] = f"{number}→{string.ascii_uppercase[value]}"
    due = {"curves_picture": counts, "curves_picture_alt": counts | levels, "levels": levels}
    due |= {"looks_picture": as_told, "looks_picture_alt": as_told}
    stamp = "stamp.recorded" if there["attention"] else "stamp.untrained"
    due[stamp] = {"seed": seed, "step": steps[now], "parameters": 49 * 32 + 4 * (32 * 32 + 32) + 32 * 16 + 16}
    if there["attention"]:
        sizes = {"n": n, "first": 2, "last": 32, "least": min(at_sizes), "n_tried": N_TRIED}
        due |= {"sizes_picture": sizes, "sizes_picture_alt": sizes}
    letters = {"said": string.ascii_uppercase[said], "value": string.ascii_uppercase[value]}
    told = as_told | letters | {"right": rights[now], "n_tried": N_TRIED}
    return due | {"says_right" if said == value else "says_wrong": told}


SECTIONS = {
    "hard_and_soft": hard_and_soft,
    "three_steps": three_steps,
    "temperature": temperature,
    "why_scale": why_scale,
    "it_can_learn": it_can_learn,
    "trained": trained,
}

EVEN = "a,2,0,1,1;b,0,2,1,1;c,-1,1,1,1;d,0,-2,1,1"  # the values are all the same
WAYS = [
    {"angle": 0, "length": 2.0, "step": 3, "shift": True, "d": 4, "walked": 40},
    {"length": 0.0, "step": 5, "tau": 0.01, "walked": 200, "rate": 2.0, "target_x": 4.0, "target_y": 4.0},
    {"angle": 135, "step": 4, "tau": 100, "walked": 200, "rate": 2.0},
    {"step": 2, "table": EVEN, "walked": 7},
    {"entries": 16, "longer": 2, "trained_step": 40, "list": 3, "asked": 9},
    {"entries": 32, "trained_step": 0, "asked": 32},
    {"trained_seed": 5, "entries": 16, "longer": 8},
]
