"""Page 3: a model is trained before the student's eyes; the run outlives clicks, other pages and a reload."""

import re

import pytest

from tests.browser.screen import Screen
from tests.browser.visit import path_of

SECTION = "self_attention.link"
SEED = "self_attention.link_seed"
STEP = "self_attention.link_step"


class Training:
    """The section with its buttons, its progress, its curve and its sentence."""

    def __init__(self, screen):
        self.screen = screen
        self.start = screen.input(f"{SECTION}.play").get_by_role("button")
        self.stop = screen.input(f"{SECTION}.pause").get_by_role("button")
        self.curve = screen.page.locator("[aria-label^='Line chart: at the chosen step the loss is']")

    def progress(self):
        """The step that is told while it runs, or None."""
        texts = self.screen.page.get_by_test_id("stProgress").all_inner_texts()
        found = [re.search(r"Step (\d+)", text) for text in texts]
        return max((int(match[1]) for match in found if match), default=None)

    def runs(self):
        return self.stop.is_visible()

    def said_step(self):
        """The step in the section's sentence."""
        found = [re.search(r"Step (\d+): “it” looks", text) for text in self.screen.sentences()]
        (step,) = [int(match[1]) for match in found if match]
        return step

    def points(self):
        """How many points the loss has been drawn through."""
        lines = "svg => [...svg.querySelectorAll('.mark-line path')].map(path => path.getAttribute('d'))"
        drawn = self.curve.first.evaluate(lines, timeout=5000) if self.curve.count() else []
        return max((len(re.findall("[ML]", line)) for line in drawn), default=0)

    def stamp(self):
        return self.screen.page.get_by_text(re.compile("^Source: .*seed 3,")).first.inner_text()


@pytest.fixture
def training(screen):
    screen.open(path_of("self_attention", "en", **{SEED: 3}))
    return Training(screen)


def test_a_run_grows_can_be_left_and_reloaded_and_is_scrubbed_when_it_is_there(training):
    screen = training.screen
    assert "not trained yet" in training.stamp() and training.said_step() == 0
    training.start.click()
    screen.until(lambda: (training.progress() or 0) >= 50, "the first 50 steps")
    screen.until(lambda: training.said_step() > 50, "the sentence to follow")
    points = training.points()
    screen.until(lambda: training.points() > max(points, 3), "the curve to grow")

    screen.page.reload()  # in the middle of the run; the address names it
    screen.until(lambda: training.runs() or "trained here" in training.stamp(), "the run after a reload")
    screen.go_to(4)
    screen.go_to(3)
    screen.until(lambda: not training.runs() and training.said_step() > 400, "the end of the run")
    screen.stands()
    assert "trained here" in training.stamp()

    last = training.said_step()
    screen.press(STEP, "Home")
    screen.until(lambda: training.said_step() == 0, "the beginning")
    screen.press(STEP, "ArrowRight", "ArrowRight")
    screen.until(lambda: training.said_step() == 100, "the second look")
    screen.press(STEP, "End")
    screen.until(lambda: training.said_step() == last, "the last step")
    assert screen.errors == []


def test_stop_ends_a_run_that_nobody_else_watches(screen, app, shared_context):
    screen.open(path_of("self_attention", "en", **{SEED: 4}))
    training = Training(screen)
    training.start.click()
    screen.until(lambda: (training.progress() or 0) >= 50, "the first 50 steps")
    training.stop.click()
    screen.until(training.start.is_visible, "the button to start again").stands()
    stopped = training.said_step()
    assert 0 < stopped < 700
    screen.page.wait_for_timeout(1500)
    with Screen(shared_context, app) as neighbour:  # finds what there is of it, and nothing that goes on
        neighbour.open(path_of("self_attention", "en", **{SEED: 4}))
        assert Training(neighbour).start.is_visible()
        assert Training(neighbour).said_step() == stopped
    assert screen.errors == []
