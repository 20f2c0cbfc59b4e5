"""Six towers of page 4, five of them without a part, several seeds each, one thread, beside a prototype's.

`python -m tests.benchmarks.ablations [--seeds 5] [--more]`

All figures are means over the seeds: the share of right answers on sentences that were not trained on, the
loss there, and the mean loss of the last twenty batches. Wanted is a share within .1 of what a prototype in
other code reached with the same settings. `--more` adds the rescues, and towers with one head; the bound is
the same.
"""

import argparse
import json
import statistics
import sys
import time

from tests.benchmarks import begin

NEAR = 0.1
PROTOTYPE = {  # name -> share right, mean loss of the last twenty batches
    "full": (0.998, 0.026),
    "no_residual": (0.239, 1.599),
    "no_norm": (0.213, 4.33),
    "post_norm": (0.696, 0.754),
    "no_mlp": (0.577, 1.031),
    "no_positions": (0.391, 1.339),
}
MORE = {
    "no_norm, final norm kept": (0.228, 1.60),
    "one head": (1.000, 0.012),
    "one head, no scale": (0.707, 0.797),
    "no_norm, rescued": (1.00, None),
    "no_mlp, rescued": (1.00, None),
    "post_norm, rescued": (1.00, None),
    "no_residual, rescued": (0.23, None),  # .20 to .26
}
LAST = 20  # batches


def settings_of(name):
    """Tell what the core is called with. -> variant, number of steps, gain, switches of the tower"""
    from core.experiments.block_anatomy_ablations import N_STEPS, RESCUES

    if name.endswith(", rescued"):
        variant = name.removesuffix(", rescued")
        return variant, *RESCUES[variant], {}
    switches = {
        "no_norm, final norm kept": {"norm": "off"},
        "one head": {"n_heads": 1},
        "one head, no scale": {"n_heads": 1, "scale": False},
    }
    return ("full" if name in switches else name), N_STEPS, 1.0, switches.get(name, {})


def train(name, seed):
    """Train one tower. -> share right, loss, mean loss of the last batches, seconds of CPU"""
    from core.experiments import block_anatomy_ablations as core

    variant, n_steps, gain, switches = settings_of(name)
    model, start = core.model_of(variant, gain), time.process_time()
    model = model._replace(mixer=model.mixer._replace(**switches))
    losses = []
    for step in core.train_tower(model, seed, n_steps):
        losses.append(step.loss)
    seconds = time.process_time() - start
    task = core.sum_task(core.rng_for("sentences", seed), core.N_TRAIN, core.N_TEST)
    loss, right = core.look(step.params, model, task.test)
    return {"right": right, "loss": loss, "last": statistics.fmean(losses[-LAST:]), "seconds": seconds}


def missed(found):
    """Name the towers whose share is not the prototype's."""
    return [name for name, rows in found.items() if not abs(mean(rows, "right") - both()[name][0]) <= NEAR]


def both():
    return PROTOTYPE | MORE


def mean(rows, figure):
    return statistics.fmean(row[figure] for row in rows)


def spread(rows, figure):
    return statistics.stdev(row[figure] for row in rows) if len(rows) > 1 else 0.0


def table(found):
    """One line a tower, means over the seeds."""
    names = f"{'right':>15}{'prototype':>11}{'off':>7}{'last 20':>9}{'prototype':>11}{'test loss':>11}"
    yield f"{'':26}{names}{'CPU s':>7}"
    for name, rows in found.items():
        share, last = both()[name]
        right = mean(rows, "right")
        cells = f"{right:8.3f} ± {spread(rows, 'right'):.3f}{share:11.3f}{right - share:+7.3f}"
        cells += f"{mean(rows, 'last'):9.3f}{'–' if last is None else format(last, '.3f'):>11}"
        yield f"{name:26}{cells}{mean(rows, 'loss'):11.3f}{mean(rows, 'seconds'):7.1f}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument("--more", action="store_true", help="rescues and towers with one head too")
    given = options.parse_args()
    kernel = begin()
    print(f"Seeds 0 to {given.seeds - 1}.")
    names = both() if given.more else PROTOTYPE
    found = {name: [train(name, seed) for seed in range(given.seeds)] for name in names}
    print("\n".join(table(found)))
    from core.learning.sums import order_blind

    best = order_blind()
    print(f"At most without the order: {best.accuracy:.3f} right, a loss of at least {best.loss:.3f}.")
    wrong = missed(found)
    print(f"Within {NEAR} of the prototype: {'no: ' + ', '.join(wrong) if wrong else 'yes, all'}")
    result = {"benchmark": "ablations", "blas": kernel, "seeds": given.seeds}
    print(json.dumps(result | {"bound": NEAR, "missed": wrong, "runs": found}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
