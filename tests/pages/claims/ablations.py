"""Page 4, take one away: figures read from the files of the runs, levels counted by trying."""

from functools import lru_cache

import numpy as np

from core.experiments import block_anatomy_ablations, recorded
from core.experiments.block_anatomy_ablations import AblationSnapshot
from pages.shared import live_run

NAMES = ("full", "no_positions", "no_mlp", "post_norm", "no_norm", "no_residual")
RESCUES = {"no_norm": (200, 0.5), "no_mlp": (800, 1.0), "post_norm": (1000, 1.0), "no_residual": (1000, 1.0)}
ATTENTION, MLP = 4 * (32 * 32 + 32), 32 * 64 + 64 + 64 * 32 + 32
LEAST = 5 * 32 + 8 * 32 + 6 * ATTENTION + 32 * 5 + 5  # without MLPs
MOST = LEAST + 6 * MLP


@lru_cache(maxsize=50)
def columns_of(family, name, seed):
    with np.load(recorded.FOLDER / f"block_anatomy_{family}_{name}_{seed}.npz") as found:
        return {key: found[key].astype(float) for key in AblationSnapshot._fields}


def live(*settings):
    run = live_run.runs().peek(live_run.job_of(block_anatomy_ablations.run, *settings))
    return run and {
        key: np.array([getattr(shot, key) for shot in run.seen]) for key in AblationSnapshot._fields
    }


NOTHING = {key: np.array([]) for key in AblationSnapshot._fields}


def runs_of(seed, rescue):
    """{tower: columns}, columns of the rescue or None, kind of stamp or None."""
    wanted = {name: (name, seed) for name in NAMES}
    if rescue != "none":
        wanted["rescue"] = (rescue, seed, *RESCUES[rescue])
    found, kind = {key: live(*settings) for key, settings in wanted.items()}, "stamp.ablations_live"
    if not any(found.values()):
        found = dict.fromkeys(wanted)
        kind = "stamp.ablations_recorded" if seed < 5 else None
        if kind:
            found = {name: columns_of("ablations", name, seed) for name in NAMES}
            if rescue != "none":
                found["rescue"] = columns_of("rescues", rescue, seed)
    found = {key: columns or NOTHING for key, columns in found.items()}
    return found, found.pop("rescue", None), kind if any(one["step"].size for one in found.values()) else None


@lru_cache(maxsize=1)
def order_blind():
    """Best share and least loss over all 5^8 sentences: own word and counts, and what stood before."""
    ids = np.arange(5**8)[:, None] // 5 ** np.arange(8) % 5
    before = np.concatenate([np.zeros((len(ids), 1), int), ids[:, :-1]], axis=1)
    counts = (9 ** np.arange(5))[ids].sum(axis=1)  # a digit to the base 9 for each word
    alike = counts[:, None] * 5 + ids  # who looks the same
    _, kind = np.unique(alike, return_inverse=True)
    table = np.bincount(kind.ravel() * 5 + before.ravel(), minlength=5 * (kind.max() + 1)).reshape(-1, 5)
    shares = table / table.sum(axis=1, keepdims=True)
    nats = -(table * np.log(np.where(table > 0, shares, 1))).sum()
    return table.max(axis=1).sum() / table.sum(), nats / table.sum()


def take_one_away(given):
    seed, rescue = given["ablation_seed"], given["rescue"]
    runs, rescued, stamp = runs_of(seed, rescue)
    longest = max(len(columns["step"]) for columns in runs.values())
    step = given["ablation_step"] if longest > 1 else 200
    places = {name: np.flatnonzero(columns["step"] == step) for name, columns in runs.items()}
    now = {
        name: {k: runs[name][k][i[0]] for k in ("loss", "accuracy")} for name, i in places.items() if i.size
    }
    best, least = order_blind()
    due = {"loss_about": {"top": 3.0}, "table": {"step": step}}
    levels = {
        "accuracy": {"chance": 0.2, "order_blind": best},
        "loss": {"even": np.log(5), "order_blind": least},
    }
    for figure, level in levels.items():
        told = {name: f"{now[name][figure]:.2f}" if name in now else "–" for name in NAMES}
        due[f"{figure}_picture"] = due[f"{figure}_picture_alt"] = {"step": step} | told | level
    if stamp:
        due[stamp] = {"seed": seed, "step": step, "least": LEAST, "most": MOST}
    if rescued:
        due |= rescue_told(given, rescue, runs[rescue], rescued, stamp)
    return due | sentence(now, seed, step, best) | notes()


def rescue_told(given, rescue, before, rescued, stamp):
    """Title and stamp of the last picture, and what the title is made of."""
    end, gain = RESCUES[rescue]
    key, values = ("smaller", {"gain": gain}) if gain < 1 else ("longer", {"end": end})
    told = {"seed": given["ablation_seed"], "variant": given.words(f"take_one_away.variants.{rescue}")}
    told["how"] = given.words(f"take_one_away.{key}", **values)
    if not rescued["step"].size:
        return {key: values, "rescue_none_picture": told, "rescue_none_picture_alt": told}
    last = {"step": int(rescued["step"][-1]), "right": rescued["accuracy"][-1]}
    told |= last | {"before": f"{before['accuracy'][-1]:.2f}" if before["step"].size else "–"}
    kind = {"stamp.ablations_live": "stamp.trained", "stamp.ablations_recorded": "stamp.recorded"}[stamp]
    parameters = LEAST if rescue == "no_mlp" else MOST
    made = {"seed": told["seed"], "step": last["step"], "parameters": parameters}
    return {key: values, "rescue_picture": told, "rescue_picture_alt": told, kind: made}


def sentence(now, seed, step, best):
    if not now:
        return {"says_none": {"seed": seed, "n": 5}}
    if len(now) < 6:
        return {"says_part": {"seed": seed, "n": len(now), "step": step}}
    right = {name: one["accuracy"] for name, one in now.items()}
    levels = {"blind": best, "even": np.log(5), "loss": now["no_residual"]["loss"]}
    return {"says": {"seed": seed, "step": step} | right | levels}


def notes():
    """All recorded seeds of each rescue, and what the note makes of them."""
    due = {}
    for name, (end, gain) in RESCUES.items():
        right = [columns_of("rescues", name, seed)["accuracy"][-1] for seed in range(5)]
        plain = [columns_of("ablations", name, seed)["accuracy"][-1] for seed in range(5)]
        least = np.floor(min(right) * 1000) / 1000  # never rounded up
        due[f"note_{name}"] = {"end": end, "gain": gain, "n": 5, "least": least, "most": max(right)}
        if name == "no_residual":
            assert max(right) < 0.35, "does not rescue it"
        else:
            assert min(right) > 0.97 > max(plain), "rescued"
    firsts = [columns_of("ablations", "no_norm", seed)["loss"][0] for seed in range(5)]
    assert min(firsts) > 3, "starts at the upper edge"
    return due


WAYS = [
    {"ablation_seed": 7, "rescue": "no_mlp"},
    {"ablation_seed": 1, "ablation_step": 60, "rescue": "no_norm"},
    {"ablation_step": 0, "rescue": "post_norm"},
    {"ablation_seed": 4, "rescue": "no_residual"},
]


def train(given):
    """Two of the six towers have run here: what they yielded is that of recorded ones."""
    for name in ("full", "no_norm"):
        job = live_run.job_of(block_anatomy_ablations.run, name, 9)
        run = live_run.Run(job)
        run.seen = list(recorded.load(f"block_anatomy_ablations_{name}_1", AblationSnapshot).seen)
        run.state = live_run.DONE
        live_run.runs()._runs[job] = run
    state = given.at.session_state
    state["block_anatomy.ablation_seed"], state["block_anatomy.ablation_step"] = 9, 100
    state["block_anatomy.rescue"] = "none"
