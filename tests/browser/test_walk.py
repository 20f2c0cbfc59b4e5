"""Page 2, "why can a soft dictionary learn": the walk downhill runs before the student's eyes."""

import re

from tests.browser.visit import path_of

KEY = "soft_lookup.walked"
LONGEST = 200


class Walk:
    """The section with its two buttons, its slider and its curve."""

    def __init__(self, screen):
        self.screen = screen
        self.start = screen.input("soft_lookup.it_can_learn.play").get_by_role("button")
        self.stop = screen.input("soft_lookup.it_can_learn.pause").get_by_role("button")
        self.again = screen.input("soft_lookup.it_can_learn.again").get_by_role("button")
        self.curve = screen.page.locator("[aria-label^='Line chart: the soft dictionary']")

    def steps(self):
        return self.screen.value(KEY)

    def rests(self):
        """Whether nothing moves for longer than three looks take."""
        before = self.steps()
        self.screen.page.wait_for_timeout(700)
        return self.steps() == before

    def losses(self):
        """First and last loss, as the curve's description tells them."""
        told = re.search(r"went from ([\d.]+) to ([\d.]+);", self.curve.get_attribute("aria-label"))
        return tuple(map(float, told.groups()))


def test_the_walk_grows_stops_and_ends_by_itself(screen):
    screen.open(path_of("soft_lookup", "en"))
    walk = Walk(screen)
    assert walk.steps() == 0
    entries = screen.page.evaluate("history.length")
    walk.start.click()
    screen.until(lambda: 0 < walk.steps() < LONGEST, "the first steps")
    early, (first, _) = walk.steps(), walk.losses()
    screen.until(lambda: walk.steps() > early + 8, "further steps")

    walk.stop.click()
    screen.until(walk.start.is_visible, "the walk to stop").stands()
    screen.until(walk.rests, "a rest")  # a look that was under way may still arrive
    assert walk.steps() < LONGEST
    assert walk.losses()[1] < first
    assert screen.page.evaluate("history.length") == entries  # nothing to go back through
    assert screen.query() == {"lang": "en"}
    walk.again.click()
    screen.until(lambda: walk.steps() == 0, "the beginning").stands()

    screen.press(KEY, "End", *["ArrowLeft"] * 12)
    screen.until(lambda: walk.steps() == LONGEST - 12, "a walk that is nearly over").stands()
    walk.start.click()
    screen.until(lambda: walk.steps() == LONGEST, "the last step")
    screen.until(walk.start.is_visible, "the walk to end").stands()
    first, last = walk.losses()
    assert last < 0.1 * first
    assert screen.errors == []


def test_a_link_to_a_place_on_the_walk_shows_it(screen):
    screen.open(path_of("soft_lookup", "en", **{KEY: 24}))
    walk = Walk(screen)
    assert walk.steps() == 24
    walk.start.click()
    screen.until(lambda: walk.steps() > 24, "further steps")
    walk.stop.click()
    screen.until(walk.start.is_visible, "the walk to stop").stands()
    screen.until(walk.rests, "a rest")
    assert screen.link(holding=f"{KEY}={walk.steps():.0f}").endswith(f"?lang=en&{KEY}={walk.steps():.0f}")
    screen.input("_reset.soft_lookup").get_by_role("button").click()
    screen.until(lambda: walk.steps() == 0, "the beginning").stands()
    assert screen.query() == {"lang": "en"}
    assert screen.errors == []
