"""The measurement: what it reports, and that it needs nothing but NumPy. No test asks how long it took."""

import subprocess
import sys
from pathlib import Path

import numpy as np

from core import costs_measured
from core.costs_measured import best_seconds, layers, measurements, peak_bytes

ROOT = Path(__file__).parents[2]


def test_every_layer_at_every_size_and_then_the_machine():
    *records, last = measurements(sizes=(3, 5), d=7, k=3, rounds=1)
    assert [(r["layer"], r["n"]) for r in records] == [
        *(("attention", 3), ("rnn", 3), ("conv", 3)),
        *(("attention", 5), ("rnn", 5), ("conv", 5)),
    ]
    assert all(r["seconds"] > 0 and r["bytes"] > 0 for r in records)
    assert last["machine"]["numpy"] == np.__version__
    assert all(last["machine"].values())


def test_a_later_round_says_the_best_so_far(monkeypatch):
    times = iter([4.0, 2.0, 9.0, 3.0, 5.0, 1.0])  # attention, rnn, conv, twice
    monkeypatch.setattr(costs_measured, "best_seconds", lambda call: next(times))
    *records, _ = measurements(sizes=(3,), d=7, k=3, rounds=2)
    assert [r["seconds"] for r in records] == [4, 2, 9, 3, 2, 1]
    assert [r["bytes"] for r in records[:3]] == [r["bytes"] for r in records[3:]]


def test_peak_counts_the_arrays_that_lived_at_one_time():
    def call():
        x = np.ones(100_000)  # 800,000 bytes
        y = x + 1  # as many, while x is still there
        return y.sum()

    assert 1_600_000 <= peak_bytes(call) < 1_700_000
    assert 800_000 <= peak_bytes(lambda: np.ones(100_000)) < 900_000


def test_attention_holds_two_n_by_n_arrays_and_the_others_none():
    n, d = 512, 8  # in float32, scores and weights are 2 * 512 * 512 * 4 = 2,097,152 bytes
    made = layers(n, d, 3, np.random.default_rng(0))
    assert 2 * n * n * 4 <= peak_bytes(made["attention"]) < 2.2 * n * n * 4
    assert peak_bytes(made["rnn"]) < 8 * n * d * 4
    assert peak_bytes(made["conv"]) < 8 * n * d * 4


def set_clock(monkeypatch, clock):
    for name in ("process_time", "perf_counter"):
        monkeypatch.setattr(costs_measured.time, name, lambda: next(clock))


def test_the_shortest_of_the_runs_is_taken(monkeypatch):
    clock = iter([0.0, 5.0, 10.0, 12.0, 20.0, 23.0])  # three runs, of 5, 2 and 3 seconds
    set_clock(monkeypatch, clock)
    assert best_seconds(lambda: None, enough=1, fewest=3) == 2


def test_runs_go_on_until_enough_time_is_spent(monkeypatch):
    clock = iter([0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0])  # runs of 1 second; four of them make 4
    set_clock(monkeypatch, clock)
    calls = []
    best_seconds(lambda: calls.append(1), enough=4, fewest=2)
    assert len(calls) == 4


def test_the_child_needs_neither_the_screen_nor_the_charts():
    script = (
        "import sys, core.costs_measured\n"
        "print([m for m in ('streamlit', 'altair', 'pandas') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert (run.stdout.strip(), run.stderr) == ("[]", "")
