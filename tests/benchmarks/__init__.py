"""Measurements, run by hand: `python -m tests.benchmarks.<name>`. Each ends with one JSON object."""
