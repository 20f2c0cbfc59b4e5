"""Records the default runs of all sections: ``python -m core.experiments.record [name ...]``.

What is recorded is what a worker computes: the same generator, the same settings, one thread. Without names,
everything is recorded anew, which takes half an hour or more.
"""

import importlib
import os
import platform
import re
import subprocess
import sys
import time

import numpy as np

from core.experiments import (
    bias_and_cost_data,
    bias_and_cost_point,
    block_anatomy_ablations,
    local_conv_race,
    recorded,
)
from core.learning import worker

# name -> module, function, settings
RECORDINGS = {
    "order_told": ("core.experiments.word_order", "learn_order", (0, True)),
    "order_blind": ("core.experiments.word_order", "learn_order", (0, False)),
    "pronoun_link": ("core.experiments.pronoun_link", "train_link", (0, 2)),
    "pronoun_link_one_layer": ("core.experiments.pronoun_link", "train_link", (0, 1)),
    "pronoun_link_one_layer_2": ("core.experiments.pronoun_link", "train_link", (2, 1)),  # finds a way round
}
RECORDINGS |= {
    f"soft_lookup_trained_{name}_{n}": ("core.experiments.soft_lookup_trained", "run", (name, n, 0, 1))
    for n in (8, 16, 32)
    for name in ("attention", "gru", "rnn", "conv")
}
RECORDINGS |= {
    local_conv_race.recording(name, seed, rate): (
        "core.experiments.local_conv_race",
        "run",
        (name, seed, rate),
    )
    for rate in local_conv_race.RATES
    for seed in range(5)
    for name in local_conv_race.MIXERS
}
RECORDINGS |= {
    f"block_anatomy_gpt_{name}": ("core.experiments.block_anatomy_gpt", "run", (name, 0, "", False))
    for name in ("zh", "en")
}
RECORDINGS |= {
    f"block_anatomy_ablations_{name}_{seed}": (
        "core.experiments.block_anatomy_ablations",
        "run",
        (name, seed),
    )
    for seed in range(5)
    for name in block_anatomy_ablations.VARIANTS
}
RECORDINGS |= {
    f"block_anatomy_rescues_{name}_{seed}": (
        "core.experiments.block_anatomy_ablations",
        "run",
        (name, seed, *settings),
    )
    for seed in range(5)
    for name, settings in block_anatomy_ablations.RESCUES.items()
}
RECORDINGS |= {
    f"bias_and_cost_data_{name}": ("core.experiments.bias_and_cost_data", "sweep", settings)
    for name, settings in bias_and_cost_data.WHOLE_SWEEPS.items()
}
RECORDINGS |= {
    name: ("core.experiments.bias_and_cost_point", "run", settings)
    for settings, name in bias_and_cost_point.RECORDED.items()
}


def blas():
    """Name the library that multiplies matrices here, and its kernel where it tells when it is loaded."""
    library = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    loud = os.environ | {"OPENBLAS_VERBOSE": "2"}
    said = subprocess.run(
        [sys.executable, "-c", "import numpy"], env=loud, capture_output=True, encoding="utf-8"
    )
    kernel = re.search(r"Core: (\w+)", said.stdout + said.stderr)
    return " ".join([library["name"], library["version"], *(kernel.groups() if kernel else ())])


def record(name):
    """Run one job from its first to its last snapshot, and write it down."""
    job, start = worker.Job(*RECORDINGS[name]), time.perf_counter()
    process = worker.start()
    worker.send(job, process)
    *told, (ending, why) = worker.receive(process)
    process.communicate()
    if ending != worker.DONE:
        raise RuntimeError(f"{name} failed:\n{why}")
    seen = [snapshot for _, snapshot in told]
    meta = {
        "job": f"{job.module}.{job.function}",
        "settings": list(job.settings),
        "seconds": round(time.perf_counter() - start, 2),
        "numpy": np.__version__,
        "blas": blas(),
        "python": platform.python_version(),
    }
    module = importlib.import_module(job.module)
    meta["first_losses"] = module.first_losses(*job.settings)  # another machine sees that it does the same
    recorded.save(name, seen, meta)
    print(f"{name}: {len(seen)} snapshots, {meta['seconds']} s", flush=True)


def main(names):
    unknown = [name for name in names if name not in RECORDINGS]
    if unknown:
        sys.exit(f"no such recording: {', '.join(unknown)}; there are {', '.join(RECORDINGS)}")
    for name in names or RECORDINGS:
        record(name)


if __name__ == "__main__":
    main(sys.argv[1:])
