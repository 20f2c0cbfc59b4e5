"""Page 5, data: shares right and where heads look, averaged again from the files or from what ran here."""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from core.experiments import bias_and_cost_data, bias_and_cost_point, recorded
from core.experiments.bias_and_cost_data import Point
from core.experiments.bias_and_cost_point import PointSnapshot
from core.learning.texture import texture_questions
from pages.shared import live_run

MODELS = ("conv", "relative", "absolute", "rnn", "mlp")
SIZES = [2**i for i in range(4, 13)]
LIVE = (16, 64, 256, 1024)
FILES = {0.0: "local", 0.5: "mixed", 1.0: "far", "texture": "texture"}
# By hand, d = 16. Shared: 15 words of 16, MLP 16 x 32 + 32 + 32 x 16 + 16, three norms of 32, out 16 x 4 + 4.
SHARED = 240 + 1072 + 96 + 68
PARAMETERS = {"conv": SHARED + 4 * 256 + 16, "rnn": SHARED + 2 * (192 + 144 + 12) + 24 * 16 + 16}
PARAMETERS |= {"relative": PARAMETERS["conv"] + 2 * 23, "absolute": PARAMETERS["conv"] + 12 * 16}
PARAMETERS |= {"mlp": 240 + 192 * 24 + 24 + 24 * 4 + 4}
FEWER_WORDS = 9 * 16  # of a texture: six in place of fifteen,
ANSWERS = {name: 2 * (24 if name == "mlp" else 16) + 2 for name in MODELS}  # and two in place of four


def parameters(task, name):
    return PARAMETERS[name] - (FEWER_WORDS + ANSWERS[name] if task == "texture" else 0)


@lru_cache(maxsize=4)
def recorded_points(task):
    with np.load(recorded.FOLDER / f"bias_and_cost_data_{FILES[task]}.npz") as found:
        return {field: found[field] for field in Point._fields}


def points_of(task, seed):
    """Columns of the points, and whether they were trained here; None without any."""
    run = live_run.runs().peek(live_run.job_of(bias_and_cost_data.sweep, task, MODELS, LIVE, (seed,)))
    if run and run.seen:
        return {field: np.array([getattr(p, field) for p in run.seen]) for field in Point._fields}, True
    return (recorded_points(task) if task in FILES else None), False


def mean(points, name, field, size):
    rows = (points["model"] == MODELS.index(name)) & (points["size"] == size)
    return points[field][rows].astype(float).mean(axis=0) if rows.any() else np.nan


def written(share):
    return "–" if np.isnan(share) else f"{share:.2f}"


def shares(points, field, size):
    return {name: "–" if points is None else written(mean(points, name, field, size)) for name in MODELS}


def needs(given, points, most):
    """{model: how many examples it needs}, and the claims that come with it: enough, or not enough yet."""
    words, due = {}, {}
    for name in MODELS:
        if name == "conv" and most < 0.9:
            words[name] = given.words("out_of_reach", ceiling=most)
            due["out_of_reach"] = {"ceiling": most}
            continue
        there = [n for n in SIZES if not np.isnan(mean(points, name, "test", n))]
        good = [n for n in there if mean(points, name, "test", n) >= 0.9]
        key, told = ("enough", {"n": good[0]}) if good else ("not_enough", {"n": there[-1] if there else 0})
        words[name] = given.words(key, **told) if there else "–"
        if there:
            due.setdefault(key, []).append(told)
    return words, due


def first_above(points, name):
    return next(n for n in SIZES if mean(points, name, "test", n) > mean(points, "conv", "test", n))


def limit(far):
    """The share of nouns next to the question, counted pair by pair; the others are guessed."""
    near = [abs(q - n) == 1 for q in range(1, 12) for n in range(12) if n != q]
    seen = Fraction(sum(near), len(near))
    return float(1 - Fraction(far) + Fraction(far) * (seen + (1 - seen) / 4))


def stamped(points, live, seed, task):
    sizes = [parameters(task, name) for name in MODELS]
    told = {"least": min(sizes), "most": max(sizes)}
    if live:
        return {"stamp.sweep_trained": told | {"seed": seed, "n": len(points["test"])}}
    return {} if points is None else {"stamp.sweep_recorded": told | {"n_seeds": 5, "n": 5 * 9 * 5}}


def about_live(n_models, sizes=LIVE):
    told = {"n_live": len(sizes), "n": len(sizes) * n_models, "first": sizes[0], "last": sizes[-1]}
    return {"live_about": told | {"n_sizes": 9, "n_seeds": 5}}


def data(given):
    far, seed, size = given["far_share"], given["data_seed"], given["examples"]
    points, live = points_of(far, seed)
    told = {"far": far, "size": size} | shares(points, "test", size)
    trained = {"size": size} | shares(points, "train", size)
    due = {"picture": told, "picture_alt": told, "train_picture": trained, "train_picture_alt": trained}
    due |= {"table": {"size": size}}
    due |= {"terms": {"mlp": 4972, "least": 2516, "most": 2708, "mlp_steps": 3000, "steps": 300}}
    due["terms"] |= {"mlp_rate": 0.01, "rate": 0.01}
    due |= about_live(5)
    if far and points is not None:
        away = np.broadcast_to(mean(points, "conv", "by_distance", size), 11)
        told = {"size": size, "near": written(away[0]), "beyond": written(away[1:].mean())}
        due |= {"distance_picture": told, "distance_picture_alt": told}
    return due | stamped(points, live, seed, far) | what_it_says(given, points, live, far, seed)


def what_it_says(given, points, live, far, seed):
    if points is None:
        return {"says_none": {"far": far, "ceiling": limit(far)}}
    if live or far in (0.0, 1.0):
        words, never = needs(given, points, limit(far))
        told = {"wanted": 0.9} | words
        if live:
            return {"says_live": told | {"seed": seed}} | never
        if far == 0.0:
            assert order_holds(points), "the less is assumed about who connects to whom, the more it takes"
            return {"says_local": told} | never
        best = max(mean(points, "conv", "test", size) for size in SIZES)
        assert all(best < mean(points, name, "test", 4096) for name in ("relative", "absolute", "mlp"))
        return {"says_far": told | {"best": best, "ceiling": limit(far)}} | never
    best = max(mean(points, "conv", "test", size) for size in SIZES)
    told = {name: first_above(points, name) for name in ("relative", "absolute")}
    return {"says_mixed": {"far": far, "ceiling": limit(far), "best": best} | told}


def order_holds(points):
    """In every seed: conv, relative, absolute, MLP."""
    for seed in range(5):
        rows = points["seed"] == seed
        own = {field: column[rows] for field, column in points.items()}
        needed = [
            next((n for n in SIZES if mean(own, name, "test", n) >= 0.9), 8192)
            for name in ("conv", "relative", "absolute", "mlp")
        ]
        if needed != sorted(needed):
            return False
    return True


def texture(given):
    seed, size = given["texture_seed"], given["texture_examples"]
    points, live = points_of("texture", seed)
    told = {"size": size} | shares(points, "test", size)
    due = {"picture": told, "picture_alt": told, "table": {"size": size}} | about_live(5)
    sizes = [parameters("texture", name) for name in MODELS[:-1]]
    due |= {"terms": {"mlp": parameters("texture", "mlp"), "least": min(sizes), "most": max(sizes)}}
    due["terms"] |= {"mlp_steps": 3000, "steps": 400, "mlp_rate": 0.003, "rate": 0.01}
    due |= stamped(points, live, seed, "texture")
    words, never = needs(given, points, 1.0)
    if live:
        return due | {"says_live": {"seed": seed, "wanted": 0.9} | words} | never
    ahead = sum(mean(points, "mlp", "test", n) > mean(points, "absolute", "test", n) for n in SIZES)
    found = {name: next(n for n in SIZES if mean(points, name, "test", n) >= 0.9) for name in MODELS}
    others = [found[name] for name in ("relative", "absolute", "mlp")]
    assert max(found["conv"], found["rnn"]) < min(others), "those that look next door need the fewest"
    facts = {"wanted": 0.9, "best": lambda told: abs(told - counting_steps()) < 0.003}
    return due | {"says": facts | {"n_ahead": ahead, "n_sizes": 9} | words} | never


@lru_cache(maxsize=1)
def counting_steps():
    """What who counts steps up and down gets right, on 30,000 sentences."""
    drawn = texture_questions(np.random.default_rng(97), 30_000)
    steps = np.diff(drawn.ids, axis=1) % 6
    more = (steps == 1).sum(axis=1) - (steps == 5).sum(axis=1)
    return np.where(more == 0, 0.5, (more > 0) == (drawn.targets == 1)).mean()


def one_point(given):
    task = {"local": 0.0, "mixed": 0.5, "far": 1.0, "texture": "texture"}[given["point_task"]]
    name, size, seed = given["point_model"], given["point_examples"], given["point_seed"]
    settings = (task, name, size, seed)
    run = live_run.runs().peek(live_run.job_of(bias_and_cost_point.run, *settings))
    live, file = bool(run and run.seen), bias_and_cost_point.RECORDED.get(settings)
    seen = run.seen if live else recorded.load(file, PointSnapshot).seen if file else []
    told = {
        "task": given.words(f"one_point.tasks.{given['point_task']}"),
        "model": given.words(f"names.{name}"),
        "size": size,
        "own": f"{seen[-1].accuracy:.2f}" if seen else "–",
        "new": f"{seen[-1].test:.2f}" if seen else "–",
    }
    due = {"picture": told, "picture_alt": told}
    step = seen[-1].step if seen else 0
    kind = "trained" if live else "recorded" if seen else "untrained"
    due[f"stamp.{kind}"] = {"seed": seed, "step": step, "parameters": parameters(task, name)}
    if not seen:
        return due | {"says_none": {}}
    own, new = seen[-1].accuracy, seen[-1].test
    if step < seen[-1].end:
        told = {"model": told["model"], "size": size, "step": step, "end": seen[-1].end}
        return due | {"says_under_way": told | {"own": own, "new": new}}
    key = "says_not_learned" if own < 0.9 else "says_by_heart" if own - new > 0.1 else "says_carries_over"
    return due | {key: {"model": told["model"], "size": size, "step": step, "own": own, "new": new}}


# --- heads that turn local ---------------------------------------------------------------------

KINDS = {  # by task: f, and (model, row of the questions it is about) of both lines
    "local": (0.0, (("absolute", 0), ("relative", 0))),
    "far": (1.0, (("absolute", 1), ("relative", 1))),
    "mixed": (0.5, (("absolute", 0), ("absolute", 1))),
}
EVEN = np.mean([abs(q - other) for q in range(1, 12) for other in range(12)])


def turning_local(given):
    task, seed, size = given["turn_task"], given["turn_seed"], given["turn_examples"]
    far, lines = KINDS[task]
    names = ("relative", "absolute")
    run = live_run.runs().peek(live_run.job_of(bias_and_cost_data.sweep, far, names, tuple(SIZES), (seed,)))
    live = bool(run and run.seen)
    points = recorded_points(far)
    if live:
        points = {field: np.array([getattr(p, field) for p in run.seen]) for field in Point._fields}
    told, reaches = {"size": size, "even": EVEN}, []
    for which, (name, row) in zip(("first", "second"), lines, strict=True):
        rows = (points["model"] == MODELS.index(name)) & (points["size"] == size)
        weight, reach = points["on_target"][rows, row], points["reach"][rows, row]
        reaches.append(reach.mean() if rows.any() else np.nan)
        told[f"{which}_weight"] = written(weight.max(axis=-1).mean() if rows.any() else np.nan)
        told[f"{which}_reach"] = written(reach.mean() if rows.any() else np.nan)
    told |= {f"{name}_right": written(mean(points, name, "test", size)) for name in names}
    due = {f"{task}_{what}_picture{alt}": told for what in ("weight", "reach") for alt in ("", "_alt")}
    sizes = [parameters(far, name) for name in names]
    stamp = {"least": min(sizes), "most": max(sizes), "n": len(points["test"]) if live else 90}
    due["stamp.sweep_trained" if live else "stamp.sweep_recorded"] = stamp | {"seed": seed, "n_seeds": 5}
    due |= about_live(2, SIZES)
    if told["first_reach"] == "–":
        return due | {"says_not_there": {"size": size}}
    key = f"says_{task}"
    if (
        task == "local"
        and mean(points, "relative", "test", size) >= 0.95
        and float(told["second_weight"]) < 0.5
    ):
        key = "says_no_need"
    if task == "mixed" and reaches[1] - reaches[0] < 0.5:
        key = "says_alike"
    return due | {key: told}


WAYS = [
    {"far_share": 1.0, "examples": 4096, "point_model": "conv"},
    {"far_share": 0.5, "point_task": "far", "point_model": "conv", "point_examples": 512},
    {"far_share": 0.25, "point_task": "texture", "turn_task": "far"},
    {"turn_task": "mixed", "turn_examples": 64},
    {"turn_task": "mixed", "turn_examples": 4096},
    {"turn_examples": 64},
]


def train(given):
    """Sweeps ran here, with what recorded ones yielded; that of the heads has just begun."""
    heads = ("relative", "absolute")
    for task, names, sizes, n_sizes, key in (
        (0.75, MODELS, LIVE, 4, "data_seed"),
        ("texture", MODELS, LIVE, 4, "texture_seed"),
        (0.0, heads, tuple(SIZES), 1, "turn_seed"),
    ):
        job = live_run.job_of(bias_and_cost_data.sweep, task, names, sizes, (9,))
        run = live_run.Run(job)
        there = recorded.load(f"bias_and_cost_data_{FILES.get(task, 'mixed')}", Point).seen
        run.seen = [
            p._replace(seed=9)
            for p in there
            if p.seed == 1 and p.size in sizes[:n_sizes] and MODELS[p.model] in names
        ]
        run.state = live_run.DONE
        live_run.runs()._runs[job] = run
        given.at.session_state[f"bias_and_cost.{key}"] = 9
    settings = (0.0, "conv", 128, 9)  # and one training is half-way
    run = live_run.Run(live_run.job_of(bias_and_cost_point.run, *settings))
    run.seen = recorded.load(bias_and_cost_point.RECORDED[*settings[:3], 0], PointSnapshot).seen[:5]
    run.state = live_run.DONE
    live_run.runs()._runs[run.job] = run
    names = ("point_task", "point_model", "point_examples", "point_seed")
    for name, value in zip(names, ("local", *settings[1:]), strict=True):
        given.at.session_state[f"bias_and_cost.{name}"] = value
    given.at.session_state["bias_and_cost.far_share"] = 0.75
    given.at.session_state["bias_and_cost.turn_task"] = "local"
    given.at.session_state["bias_and_cost.turn_examples"] = 4096
