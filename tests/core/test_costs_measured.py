"""The measurement: what it reports, and that it needs nothing but NumPy. No test asks how long it took."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from core import costs_measured, costs_saved
from core.costs_measured import (
    as_a_chain,
    as_one_product,
    chain_and_product,
    everything,
    layers,
    measurements,
)
from core.timing import peak_bytes

ROOT = Path(__file__).parents[2]


def test_every_layer_at_every_size():
    records = list(measurements(sizes=(3, 5), d=7, k=3, rounds=1))
    assert [(r["layer"], r["n"]) for r in records] == [
        *(("attention", 3), ("rnn", 3), ("conv", 3)),
        *(("attention", 5), ("rnn", 5), ("conv", 5)),
    ]
    assert all(r["seconds"] > 0 and r["bytes"] > 0 for r in records)


def test_a_later_round_says_the_best_so_far(monkeypatch):
    times = iter([4.0, 2.0, 9.0, 3.0, 5.0, 1.0])  # attention, rnn, conv, twice
    monkeypatch.setattr(costs_measured, "best_seconds", lambda call: next(times))
    records = list(measurements(sizes=(3,), d=7, k=3, rounds=2))
    assert [r["seconds"] for r in records] == [4, 2, 9, 3, 2, 1]
    assert [r["bytes"] for r in records[:3]] == [r["bytes"] for r in records[3:]]


def test_attention_holds_two_n_by_n_arrays_and_the_others_none():
    n, d = 512, 8  # in float32, scores and weights are 2 * 512 * 512 * 4 = 2,097,152 bytes
    made = layers(n, d, 3, np.random.default_rng(0))
    assert 2 * n * n * 4 <= peak_bytes(made["attention"]) < 2.2 * n * n * 4
    assert peak_bytes(made["rnn"]) < 8 * n * d * 4
    assert peak_bytes(made["conv"]) < 8 * n * d * 4


def test_a_chain_is_a_power_of_the_matrix_and_one_product_is_its_first_link():
    rng = np.random.default_rng(0)
    h, w = rng.standard_normal((1, 5)), rng.standard_normal((5, 5))
    np.testing.assert_allclose(as_a_chain(h, w, 3), h @ np.linalg.matrix_power(w, 3), rtol=1e-12)
    x = rng.standard_normal((7, 5))
    np.testing.assert_allclose(as_one_product(x, w)[2], as_a_chain(x[2], w, 1), rtol=1e-12)


def test_both_orders_of_the_same_multiplications_are_timed():
    records = list(chain_and_product(widths=(3, 5), n=7))
    assert [(r["kind"], r["d"], r["n"]) for r in records] == [("chain", 3, 7), ("chain", 5, 7)]
    assert all(r["chain"] > 0 and r["product"] > 0 for r in records)


def test_the_machine_comes_first_then_the_layers_and_the_longest_input_last(monkeypatch):
    for module, names in (
        (costs_measured, ("measurements", "chain_and_product")),
        (costs_saved, ("in_blocks", "skipping", "one_more_token", "long_input")),
    ):
        for name in names:
            monkeypatch.setattr(module, name, lambda name=name: iter([name]))
    first, *others = everything()
    assert first["machine"]["numpy"] == np.__version__
    assert others[0] == "measurements"
    assert others[-1] == "long_input"
    assert sorted(others[1:-1]) == ["chain_and_product", "in_blocks", "one_more_token", "skipping"]


def test_the_child_needs_neither_the_screen_nor_the_charts():
    script = (
        "import sys, core.costs_measured\n"
        "print([m for m in ('streamlit', 'altair', 'pandas') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert (run.stdout.strip(), run.stderr) == ("[]", "")
