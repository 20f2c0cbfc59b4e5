"""What the pictures of the six towers draw: the line of one run, the band of all recorded ones, levels."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.experiments import recorded
from core.experiments.block_anatomy_ablations import AblationSnapshot
from pages.sections.block_anatomy.ablation_pictures import LOOKS, curves_picture, rescue_picture
from pages.sections.block_anatomy.ablation_runs import latest
from tests.pages import specs

SECTION = SimpleNamespace(words=lambda key, **values: key)  # a name for each text


def shares_of(family, name, figure="accuracy"):
    """(n_seeds, n_snapshots), read from the files."""
    files = [recorded.FOLDER / f"block_anatomy_{family}_{name}_{seed}.npz" for seed in range(5)]
    return np.array([np.load(file)[figure] for file in files], float)


def run_of(family, name, n=21):
    seen = recorded.load(f"block_anatomy_{family}_{name}_0", AblationSnapshot).seen[:n]
    return SimpleNamespace(seen=seen)


def drawn(picture, name):
    return picture.data[picture.data["name"] == name]


@pytest.mark.parametrize("figure", ["accuracy", "loss"])
def test_each_tower_has_its_line_and_the_band_of_all_seeds(figure):
    watched = {name: run_of("ablations", name, n) for n, name in enumerate(LOOKS, start=16)}
    picture = curves_picture(SECTION, watched, figure, 100)
    for n, name in enumerate(LOOKS, start=16):
        rows, found = drawn(picture, f"variants.{name}"), shares_of("ablations", name, figure)
        np.testing.assert_array_equal(rows["x"], np.arange(0, 201, 10))
        np.testing.assert_allclose(rows["low"], found.min(axis=0), rtol=1e-6)
        np.testing.assert_allclose(rows["high"], found.max(axis=0), rtol=1e-6)
        np.testing.assert_allclose(rows["value"][:n], found[0, :n], rtol=1e-6)
        assert rows["value"][n:].isna().all()  # has not come so far
    assert specs.broken_rules(picture.spec, picture.data) == {}


def test_levels_are_those_of_guessing():
    picture = curves_picture(SECTION, {name: run_of("ablations", name) for name in LOOKS}, "accuracy", 0)
    assert set(drawn(picture, "levels.chance")["value"]) == {0.2}
    assert drawn(picture, "levels.order_blind")["value"].to_numpy() == pytest.approx([0.397, 0.397], abs=5e-4)
    picture = curves_picture(SECTION, {name: run_of("ablations", name) for name in LOOKS}, "loss", 0)
    assert drawn(picture, "levels.even")["value"].to_numpy() == pytest.approx(np.log(5))


@pytest.mark.parametrize(("name", "end"), [("no_norm", 200), ("no_mlp", 800), ("post_norm", 1000)])
def test_a_rescue_is_drawn_over_its_own_steps_beside_what_it_rescues(name, end):
    picture = rescue_picture(SECTION, name, run_of("ablations", name), run_of("rescues", name))
    after, before = drawn(picture, "rescued"), drawn(picture, "as_before")
    assert (after["x"].max(), before["x"].max()) == (end, 200)
    np.testing.assert_allclose(after["value"], shares_of("rescues", name)[0], rtol=1e-6)
    np.testing.assert_allclose(before["value"], shares_of("ablations", name)[0], rtol=1e-6)


def test_a_tower_that_has_not_come_so_far_has_no_figures():
    run = run_of("ablations", "full", 5)
    assert latest(run, 40).step == 40 and latest(run, 50) is None
