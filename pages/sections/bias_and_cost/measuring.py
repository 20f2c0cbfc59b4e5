"""The one measurement that all sections read, as far as it has come."""

from typing import NamedTuple

import pandas as pd
import streamlit as st

from core import costs_measured
from core.experiments import bias_and_cost
from pages.shared import live_run


class Run(NamedTuple):
    """All records so far, and how many there are of one kind, of how many."""

    records: list
    found: dict  # by layer
    machine: dict | None
    count: int
    whole: int
    done: bool
    failed: bool

    @property
    def is_complete(self):
        """Whether all records of this kind are there."""
        return self.count == self.whole


def measuring(kind, whole):
    """Look at the run, which the first reader starts; the records of the layers have no kind."""
    run = live_run.common_run(costs_measured.everything)
    done, records = run.is_over, list(run.seen)  # in this order: once it is done, all records are there
    found, machine = bias_and_cost.collect(records)
    count = sum(record.get("kind") == kind and "machine" not in record for record in records)
    return Run(records, found, machine, count, whole, done, run.has_failed)


def how_far(s, run):
    """Say how far the measurement is, while there is something to say about it."""
    values = {"count": run.count, "whole": run.whole}
    if not run.is_complete and run.failed:
        st.warning(s.words("failed", **values))
    elif not run.is_complete and not run.done:
        st.progress(run.count / run.whole, text=s.words("progress", **values))


def wait_for(s, run):
    """Say what stands beside a picture that comes later in the same run."""
    if run.done or run.is_complete:
        how_far(s, run)
    else:
        st.caption(s.words("waiting"))


def stamp(s, run):
    """Say where the numbers come from, or that they are on their way."""
    if run.machine and (run.is_complete or run.done):
        s.stamp("measured", **run.machine)
    elif not run.done:
        s.stamp("measuring")


def so_far(name, places, measured):
    """Make a table of what is measured, one row a place; what is not measured yet stays open."""
    found = pd.DataFrame(measured._asdict()).astype({name: int})
    return pd.DataFrame({name: places}).merge(found, on=name, how="left")
