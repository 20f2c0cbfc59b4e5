"""Page 4, computed a second time."""

import numpy as np

from core.blocks.encoder_block import encoder_block, encoder_block_backward, init_block
from core.blocks.mlp import mlp
from core.blocks.multi_head import self_attention
from core.sentences import word_vectors
from pages.shared.charts import written
from tests.pages.claims import ablations, stack_it, tiny_gpt
from tests.pages.claims.listening import shown

FACTORS = (0.25, 0.5, 1, 2, 4, 8)


def waves(n, d, base=10000):
    """Sinusoidal positions (Vaswani et al. 2017, section 3.5), number by number."""
    out = np.empty((n, d))
    for i in range(d):
        angle = np.arange(n) / base ** ((i - i % 2) / d)
        out[:, i] = np.cos(angle) if i % 2 else np.sin(angle)
    return out


def normed(x):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


def run_block(x, params, n_heads, norm, residual=True, use_mlp=True, scale=True):
    """The stages of a block as {name: array}, what each sum began with, attention's weights, hidden units."""
    stages, begun, weights, hidden = {"input": x}, {}, None, None
    for i, part in enumerate(("attention", "mlp") if use_mlp else ("attention",), start=1):
        start = x
        if norm == "pre":
            x = stages[f"norm_{i}"] = normed(x)
        if part == "attention":
            x, cache = self_attention(x, params.attention, n_heads, scale=scale)
            weights = cache.attention.weights
        else:
            x, cache = mlp(x, params.mlp)
            hidden = cache.layer_2.x
        stages[part] = x
        if residual:
            x = stages[f"add_{i}"] = start + x
            begun[f"add_{i}"] = start
        if norm == "post":
            x = stages[f"norm_{i}"] = normed(x)
    return stages, begun, weights, hidden


def sizes_of(given, stages):
    """What stands beside the boxes: the values, and the texts made of them."""
    values = {
        "mean": [{"value": x.mean()} for x in stages.values()],
        "spread": [{"value": x.std()} for x in stages.values()],
    }
    notes = [[given.words(key, **one[i]) for key, one in values.items()] for i in range(len(stages))]
    names = [given.words(f"stages.{name}") for name in stages]
    return values, names, notes


def through(given):
    d, seed, n_heads = given["width"], given["seed"], given["heads"]
    switches = {"norm": given["norm"], "residual": given["residual"], "use_mlp": given["mlp"]}
    words = word_vectors(given.tokens, d, seed)
    params = init_block(np.random.default_rng(seed), d, n_heads, 4 * d)
    x = words + waves(*words.shape) if given["positions"] else words
    stages, begun, weights, hidden = run_block(x, params, n_heads, scale=given["scale"], **switches)
    if given["positions"]:
        stages = {"words": words} | stages
    due, names, notes = sizes_of(given, stages)
    shape = " × ".join(map(str, words.shape))
    listed = ", ".join(
        f"{name} ({shape}, {mean}, {spread})" for name, (mean, spread) in zip(names, notes, strict=True)
    )
    due["picture"] = due["picture_alt"] = {"n": len(stages), "listed": listed}
    due["stamp.random"] = {"seed": seed}
    out = list(stages.values())[-1]
    like = np.corrcoef(x.ravel(), out.ravel())[0, 1]
    due["says" if switches["residual"] else "says_alone"] = {"like": like, "spread": out.std()}
    wanted = given["stage"]
    stage = wanted if wanted in stages else list(stages)[-1]
    if stage != wanted:
        due["did_not_run"] = {"wanted": given.words(f"stages.{wanted}")}
    key, values = what_it_did(given, stage, stages, begun, weights, hidden)
    due[key] = values
    text = given.words(f"through.{key}", **values)
    if stage == "attention":
        due["weights_picture"] = due["weights_picture_alt"] = {"head": int(given["head"]), "text": text}
    else:
        seen = {"stage": given.words(f"stages.{stage}"), "n": len(words), "d": d, "text": text}
        due["stage_picture"] = due["stage_picture_alt"] = seen
    return due


def what_it_did(given, stage, stages, begun, weights, hidden):
    array = stages[stage]
    before = stages[list(stages)[max(list(stages).index(stage) - 1, 0)]]
    if stage == "attention":
        return strongest(given, weights[int(given["head"]) - 1])
    if stage == "words" or (stage == "input" and "words" not in stages):
        n, d = array.shape
        for i, token in enumerate(given.tokens):  # the same word has the same row
            np.testing.assert_array_equal(array[i], array[given.tokens.index(token)])
        return "did_words", {"n": n, "d": d}
    if stage == "input":
        return "did_input", {"before": before.std(), "after": array.std()}
    if stage.startswith("norm"):
        was, now = before.std(axis=1), array.std(axis=1)
        values = {"least_before": was.min(), "most_before": was.max(), "least": now.min(), "most": now.max()}
        return "did_norm", values
    if stage.startswith("add"):
        spreads = {"bypass": begun[stage].std(), "before": before.std(), "after": array.std()}
        return "did_add", spreads
    return "did_mlp", {"hidden": hidden.shape[-1], "awake": (hidden > 0).sum() / len(hidden)}


def strongest(given, weights):
    n = len(weights)
    if n == 1:
        return "did_attention_alone", {}
    pairs = [(weights[i, j], i, j) for i in range(n) for j in range(n) if i != j]
    weight, i, j = max(pairs, key=lambda pair: pair[0])
    places = {"asks_place": i + 1, "looked_at_place": j + 1}
    words = {"asks": shown(given.tokens[i]), "looked_at": shown(given.tokens[j])}
    return "did_attention", {"weight": weight, "equal": 1 / n, **places, **words}


def pre_or_post(given):
    seed, factor = given["pair_seed"], given["factor"]
    words = word_vectors(given.tokens, 32, seed)
    params = init_block(np.random.default_rng(seed), 32, 4, 128)
    runs = {norm: {f: run_block(f * words, params, 4, norm)[0] for f in FACTORS} for norm in ("pre", "post")}
    outs = {norm: [list(runs[norm][f].values())[-1] for f in FACTORS] for norm in runs}
    pre, post = ([out.std() for out in outs[norm]] for norm in ("pre", "post"))
    # Before: the output grows. (Below 1 what the parts made is larger than what came along the path, and in
    # a sentence of a few words the sum may dip by a few hundredths first.)
    steps = list(np.diff(pre) > 0)
    assert steps == sorted(steps) and all(steps[FACTORS.index(1) :]) and pre[-1] > 3 * pre[0]
    # After: each word is divided by its own spread, so all of it has mean 0 and spread 1.
    np.testing.assert_allclose(post, 1, atol=1e-3)
    due = {"mean": [], "spread": [], "stamp.random": {"seed": seed}}
    message = given.words(f"pre_or_post.{'size_grows' if all(steps) else 'size_dips'}")
    due |= {"pre_picture": {}, "post_picture": {}, "size_picture": {"message": message}}
    for norm in ("pre", "post"):
        values, _, _ = sizes_of(given, runs[norm][factor])
        for key in ("mean", "spread"):
            due[key] += values[key]
        due |= {f"{norm}_picture_alt": {"listed": listed_spreads(given, runs[norm][factor])}}
    now = FACTORS.index(factor)
    due["size_picture_alt"] = {"small": pre[0], "large": pre[-1], "after": post[-1]}
    due["says"] = {
        "factor": factor,
        "given": (factor * words).std(),
        "pre": pre[now],
        "mean": outs["post"][now].mean(),
        "post": post[now],
    }
    return due


def listed_spreads(given, stages):
    _, names, notes = sizes_of(given, stages)
    return ", ".join(f"{name} ({spread})" for name, (_, spread) in zip(names, notes, strict=True))


def parameters(given):
    d, m = given["count_width"], given["widening"] * given["count_width"]
    parts = {"attention": 4 * d * d + 4 * d, "mlp": 2 * d * m + m + d, "norms": 4 * d}
    total = sum(parts.values())
    share = parts["mlp"] / total
    values = {"heads": given["count_heads"], "difference": 0, "total": total, "share": share, **parts}
    return {"picture": values, "picture_alt": values, "says": values}


def tiny(written_value):
    """Rounding of numbers of size 1 to 64: two and a half digits above the spacing of float64 at most."""
    return written_value == "0" or any(f"10⁻¹{digit}" in written_value for digit in "³⁴⁵⁶⁷⁸")


def positions(given):
    turned = given["kind"] == "rotary"
    n, d, base = given["n"], given["positions_width"], int(given["base"])
    products = turned_products(n, d, base, given["turn_seed"]) if turned else products_of_waves(n, d, base)
    by_distance = {}
    for i in range(n):
        for j in range(n):
            by_distance.setdefault(j - i, []).append(products[i, j])
    apart = max(max(found) - min(found) for found in by_distance.values())
    largest = products.max()
    values = {"n": n, "d": d, "own": np.mean(by_distance[0]), "largest": largest}
    exact = n == 1 or turned or d % 2 == 0
    assert exact == (apart < 1e-10), "the distance alone decides"
    values["apart"] = tiny if exact else written(apart)
    due = dict.fromkeys(("distance_picture", "distance_picture_alt"), values)
    rows = "turned_picture" if turned else "rows_picture"
    due |= {rows: values, f"{rows}_alt": values}
    if turned:
        due["stamp.random"] = {"seed": given["turn_seed"]}
        due["says_rotary_odd" if d % 2 else "says_rotary"] = values
    elif d % 2:
        due["says_odd"] = values
    else:
        due["says_even"] = values
        assert largest - np.mean(by_distance[0]) < 1e-10, "largest with itself"
        np.testing.assert_allclose(products, products.T, atol=1e-10)  # forwards and backwards alike
    if n == 1:
        due = {key: values for key in due if not key.startswith("says")} | {"says_one": values}
        if turned:
            due["stamp.random"] = {"seed": given["turn_seed"]}
    return due


def products_of_waves(n, d, base):
    rows = waves(n, d, base)
    return np.einsum("id,jd->ij", rows, rows)


def turned_products(n, d, base, seed):
    """A query and a key turned as complex numbers: what has no partner stays."""
    query, key = np.random.default_rng(seed).normal(0, 1 / np.sqrt(d), (2, 1, d))[:, 0]
    even = d - d % 2
    turns = [base ** (-i / even) for i in range(0, even, 2)]
    lone = query[even:] @ key[even:]
    q, k = (x[0:even:2] + 1j * x[1:even:2] for x in (query, key))
    phases = np.exp(1j * np.outer(np.arange(n), turns))  # (n, d / 2)
    return ((phases * q) @ (phases * k).conj().T).real + lone


STORIES = {  # two towers: what is on, and what is taken out
    "highway": ({"norm": "off", "gain": 0.5}, {"residual": False}),
    "layer_norm": ({"norm": "pre", "gain": 1}, {"norm": "off"}),
    "the_catch": ({"norm": "pre", "gain": 1}, {"residual": False}),
}


def deep(given):
    story, n = given["story"], given["layers"]
    full = {"norm": "pre", "residual": True, "use_mlp": True, "scale": True}
    if story == "free":
        own = {"norm": "deep_norm", "residual": "deep_residual", "use_mlp": "deep_mlp", "scale": "deep_scale"}
        own = {switch: given[name] for switch, name in own.items()} | {"gain": given["gain"]}
        towers = full | {"gain": given["gain"]}, own
    else:
        towers = full | STORIES[story][0], full | STORIES[story][0] | STORIES[story][1]
    found = [tower(n, given["deep_seed"], **settings) for settings in towers]
    values = {"n": n, "start": found[0]["diversity"][0]}
    values |= {f"{which}_part": given.words(f"deep.{which}_{story}") for which in ("with", "without")}
    for which, one in zip(("with", "without"), found, strict=True):
        values |= {f"{name}_{which}": written(measured[-1]) for name, measured in one.items()}
        if one["diversity"][-1] < 1e-13:
            values[f"diversity_{which}"] = tiny
    same = [i for i, share in enumerate(found[1]["diversity"]) if share < 1e-6]
    values["until"] = same[0] if same else None
    hold_the_story(story, *found, same)
    says = "says_equal" if towers[0] == towers[1] else f"says_{story}"
    pictures = [f"{name}_picture{alt}" for name in found[0] for alt in ("", "_alt")]
    return dict.fromkeys((*pictures, says), values) | {"stamp.random": {"seed": given["deep_seed"]}}


def hold_the_story(story, full, less, same):
    """The verbs of the three stories."""
    gradients = full["gradient"][-1], less["gradient"][-1]
    sizes = full["size"][-1], less["size"][-1]
    if story == "highway":
        assert gradients[0] > 0.1, "comes through"
        assert gradients[1] < 1e-6, "next to nothing"
        assert sizes[1] < 1e-6 < 0.1 < sizes[0], "fare alike"
    if story == "layer_norm":
        assert full["size"][-1] > 3 * full["size"][0], "block by block the numbers grow"
        assert sizes[1] > 3 * sizes[0], "what layer norm keeps in check is size"
        assert gradients[1] > 3 * gradients[0], "grows"
    if story == "the_catch":
        assert gradients[1] > 1e-12, "no fall by a dozen powers of ten"
        assert same and less["diversity"][-1] < 1e-6 < 0.01 < full["diversity"][-1], "keeps the words apart"


def tower(n_layers, seed, *, gain, **switches):
    """Gradient (at the output first), size and diversity from the input on, block by block."""
    rng = np.random.default_rng(seed)
    x, dout = rng.standard_normal((2, 2, 16, 32))
    x = x + waves(16, 32)
    found, caches = [x], []
    blocks = [init_block(rng, 32, 4, 64, gain=gain) for _ in range(n_layers)]
    for params in blocks:
        params = params._replace(mlp=params.mlp._replace(w_2=np.sqrt(2) * params.mlp.w_2))
        x, cache = encoder_block(x, params, 4, **switches)
        found.append(x)
        caches.append(cache)
    lengths = [np.linalg.norm(dout)]
    for cache in reversed(caches):
        dout, _ = encoder_block_backward(dout, cache)
        lengths.append(np.linalg.norm(dout))
    sizes = [np.sqrt((x**2).mean()) for x in found]
    apart = [np.sqrt(((x - x.mean(axis=1, keepdims=True)) ** 2).mean()) for x in found]
    return {
        "gradient": np.array(lengths) / lengths[0],
        "size": np.array(sizes),
        "diversity": np.array(apart) / sizes,
    }


SECTIONS = {
    "through": through,
    "pre_or_post": pre_or_post,
    "parameters": parameters,
    "positions": positions,
    "deep": deep,
    "take_one_away": ablations.take_one_away,
    "stack_it": stack_it.stack_it,
    "tiny_gpt": tiny_gpt.tiny_gpt,
}

WAYS = [
    {"sentence": "own", "words": "cat", "n": 1, "story": "layer_norm"},
    {"norm": "off", "residual": False, "mlp": False, "stage": "mlp", "n": 1, "kind": "rotary"},
    {"stage": "words", "story": "the_catch", "layers": 24, "positions_width": 31},
    {"stage": "input", "story": "free", "kind": "rotary"},
    {"stage": "norm_1", "story": "free", "deep_residual": False, "kind": "rotary", "positions_width": 7},
    {"stage": "add_1", "norm": "post"},
    {"stage": "mlp", "norm": "post", "positions": False},
    {"stage": "words", "positions": False, "norm": "post"},
    *ablations.WAYS,
    *stack_it.WAYS,
    *tiny_gpt.WAYS,
]


def train(given):
    ablations.train(given)
    tiny_gpt.train(given)
