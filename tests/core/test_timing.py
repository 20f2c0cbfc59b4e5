"""The stopwatch and the scales: what they count, on clocks that are set by hand."""

import numpy as np

from core import timing
from core.timing import best_seconds, machine, peak_bytes


def test_peak_counts_the_arrays_that_lived_at_one_time():
    def call():
        x = np.ones(100_000)  # 800,000 bytes
        y = x + 1  # as many, while x is still there
        return y.sum()

    assert 1_600_000 <= peak_bytes(call) < 1_700_000
    assert 800_000 <= peak_bytes(lambda: np.ones(100_000)) < 900_000


def set_clock(monkeypatch, clock):
    for name in ("process_time", "perf_counter"):
        monkeypatch.setattr(timing.time, name, lambda: next(clock))


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


def test_the_machine_has_a_name():
    assert machine()["numpy"] == np.__version__
    assert all(machine().values())
