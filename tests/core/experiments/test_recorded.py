"""What is recorded tells how it came about, and begins as the same run does here.

How each of them ends is held by the tests of its experiment.
"""

import importlib
import json

import numpy as np
import pytest

from core.experiments import recorded, word_order
from core.experiments.record import RECORDINGS


def meta_of(name):
    with np.load(recorded.FOLDER / f"{name}.npz") as found:
        return json.loads(str(found["meta"]))


def test_what_is_there_is_what_can_be_made():
    assert {path.stem for path in recorded.FOLDER.iterdir()} == set(RECORDINGS)


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_tells_its_settings_and_begins_as_the_run_does_here(name):
    """Ten steps; later another kernel of the same library goes its own way."""
    module, function, settings = RECORDINGS[name]
    meta = meta_of(name)
    assert (meta["job"], meta["settings"]) == (f"{module}.{function}", json.loads(json.dumps(settings)))
    assert meta["seconds"] > 0 and meta["python"].startswith("3.") and meta["numpy"].startswith("2.")
    _, version, kernel = meta["blas"].split()
    assert "." in version and kernel
    here = importlib.import_module(module).first_losses(*settings)
    assert len(here) == 10
    np.testing.assert_allclose(meta["first_losses"], here, rtol=0, atol=1e-5)


@pytest.mark.parametrize(("name", "positions"), [("order_told", True), ("order_blind", False)])
def test_the_order_of_words_ends_as_it_was_recorded(name, positions):
    there, here = (
        recorded.load(name, word_order.OrderSnapshot).seen,
        list(word_order.learn_order(0, positions)),
    )
    assert [now.step for now in there] == [now.step for now in here]
    assert there[0].loss == pytest.approx(here[0].loss, abs=1e-5)
    assert there[-1].loss == pytest.approx(here[-1].loss, abs=0.02)
    assert there[-1].accuracy == pytest.approx(here[-1].accuracy, abs=0.02)
    np.testing.assert_allclose(there[-1].probe, here[-1].probe, atol=0.05)
