"""The price in data of page 5: five ways of linking words, how many examples each needs, one thread.

`python -m tests.benchmarks.ask_sweep [--seeds 5]`

Wanted, for each seed: with local questions .90 of the new ones are right from 64 examples on with conv, 256
with relative attention, 1,024 with absolute attention, and not before 2,048 with the MLP, in that order; with
far questions conv never passes its ceiling by more than .03.
"""

import argparse
import json
import sys
import time

from tests.benchmarks import begin

NEEDS = {"conv": ("at most", 64), "relative": ("at most", 256), "absolute": ("at most", 1024)}
NEEDS |= {"mlp": ("at least", 2048)}
OVER_THE_CEILING = 0.03
NEVER = 8192  # stands for "more than 4,096"


def sweep(task, seeds):
    """Train everything. -> {model: {seed: {size: share of new questions right}}}, seconds of CPU"""
    from core.experiments import bias_and_cost_data as core

    names, start = tuple(core.MIXERS), time.process_time()
    found = {name: {seed: {} for seed in seeds} for name in names}
    for point in core.sweep(task, names, core.SIZES, seeds, thorough=True):
        found[names[point.model]][point.seed][point.size] = point.test
    return found, time.process_time() - start


def needed(shares, wanted=0.9):
    """Find the smallest number of examples with which so many new questions are answered right."""
    return next((size for size, share in sorted(shares.items()) if share >= wanted), NEVER)


def missed_locally(needs):
    """Name what is out of bounds: a model that needs too many or too few, and an order turned round."""
    wrong = []
    for name, (side, bound) in NEEDS.items():
        for seed, size in needs[name].items():
            if size > bound if side == "at most" else size < bound:
                wrong.append(f"{name}, seed {seed}: {size}")
    order = list(NEEDS)
    for seed in needs["conv"]:
        sizes = [needs[name][seed] for name in order]
        if sizes != sorted(sizes):
            wrong.append(f"order, seed {seed}: {sizes}")
    return wrong


def missed_afar(conv, ceiling):
    """Name the points at which conv knows more than it can."""
    return [
        f"conv, seed {seed}, {size} examples: {share:.3f}"
        for seed, shares in conv.items()
        for size, share in shares.items()
        if share > ceiling + OVER_THE_CEILING
    ]


def table(title, found):
    """One line a model: mean over the seeds at each size, and what each seed needed."""
    sizes = sorted(next(iter(found["conv"].values())))
    yield f"{title:12}" + "".join(f"{size:>7}" for size in sizes) + "   needed by each seed"
    for name, of_seeds in found.items():
        means = [sum(shares[size] for shares in of_seeds.values()) / len(of_seeds) for size in sizes]
        needs = ", ".join(str(needed(shares)) for shares in of_seeds.values()).replace(str(NEVER), "never")
        yield f"{name:12}" + "".join(f"{mean:7.3f}" for mean in means) + f"   {needs}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seeds", type=int, default=5)
    seeds = tuple(range(options.parse_args().seeds))
    kernel = begin()
    from core.experiments.bias_and_cost_data import ceiling

    print(f"Seeds 0 to {seeds[-1]}.")
    (near, near_seconds), (far, far_seconds) = (sweep(task, seeds) for task in (0.0, 1.0))
    print("\n".join([*table("local", near), *table("far", far)]))
    needs = {name: {seed: needed(shares) for seed, shares in rows.items()} for name, rows in near.items()}
    missed = missed_locally(needs) + missed_afar(far["conv"], ceiling(1.0))
    print(f"ceiling of conv {ceiling(1.0):.4f}; CPU {near_seconds:.0f} s and {far_seconds:.0f} s")
    print("missed: " + ("; ".join(missed) or "nothing"))
    facts = {
        "needed": needs,
        "ceiling": ceiling(1.0),
        "missed": missed,
        "seconds": [near_seconds, far_seconds],
    }
    result = {"benchmark": "ask_sweep", "blas": kernel, "seeds": len(seeds)}
    print(json.dumps(result | facts | {"local": near, "far": far}))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
