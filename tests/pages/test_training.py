"""What sections that train say of their run: recorded, in the queue, running, over, broken off."""

import re
from types import SimpleNamespace

import pytest

from core.experiments import pronoun_link, recorded, word_order
from core.experiments.pronoun_link import LinkSnapshot
from pages.shared import live_run, training
from pages.shared.live_run import DONE, FAILED, LOST, RUNNING, STOPPED, WAITING
from tests.pages import app

SECTION = "self_attention.order_trained"
PLAY, PAUSE = f"{SECTION}.play", f"{SECTION}.pause"
SNAPSHOTS = tuple(word_order.learn_order(0, True))


class Pool:
    """Runs whose state the test decides; it remembers what was asked of it."""

    def __init__(self):
        self.runs, self.started, self.left, self.room = {}, [], [], 24

    def put(self, state, n_seen=0, jobs=None):
        for job in jobs or [live_run.job_of(word_order.learn_order, 0, with_) for with_ in (True, False)]:
            run = self.runs[job] = live_run.Run(job)
            run.state, run.seen, run.started = state, list(SNAPSHOTS[:n_seen]), 0.0

    def look(self, job, reader):
        return self.runs.get(job)

    def peek(self, job):
        return self.runs.get(job)

    def place(self, run):
        return 3 if run.state == WAITING else 0

    def start(self, job, reader):
        if len(self.runs) >= self.room:
            return None
        self.started.append(job.settings)
        self.put(WAITING, jobs=[job])
        return self.runs[job]

    def leave(self, job, reader):
        self.left.append(job.settings)
        if job in self.runs and job.settings in self.started:
            self.runs[job].state = STOPPED


@pytest.fixture
def pool(monkeypatch):
    pool = Pool()
    monkeypatch.setattr(live_run, "runs", lambda: pool)
    monkeypatch.setattr(training.live_run, "runs", lambda: pool)
    return pool


@pytest.fixture
def page(pool):
    return app.open_app("self_attention", "en")


def buttons(at):
    return {one.key for one in at.button} & {PLAY, PAUSE}


def progress(at):
    return [node.proto.text for node in app.nodes(at) if getattr(node, "type", "") == "progress"]


def captions(at):
    return " ".join(caption.value for caption in at.caption)


def test_before_anybody_trains_the_recorded_run_is_there(page):
    assert buttons(page) == {PLAY}
    assert "recorded beforehand, seed 0, step 200, 2,602 parameters" in captions(page)
    page.slider("self_attention.order_seed").set_value(5)
    assert "not trained yet, seed 5, step 0" in captions(page.run())


def test_pressing_starts_all_runs_of_the_section(pool, page):
    page.button(PLAY).click()
    page.run()
    assert pool.started == [(0, True), (0, False)]
    assert buttons(page) == {PAUSE}
    assert progress(page) == ["In the queue, place 3"]


def test_a_run_that_goes_on_tells_how_far_it_is(pool, page):
    pool.put(RUNNING, n_seen=11)
    page.run()
    (text,) = progress(page)
    assert text.startswith("run 1 of 2 · Step 50 (at most 200) · loss ")
    assert text.endswith("s left for this one")
    assert "trained here, seed 0, step 50" in captions(page)
    pool.put(RUNNING)
    page.run()
    assert progress(page) == ["Starting…"]


def test_what_is_trained_here_does_not_stand_beside_what_is_recorded(pool, page):
    told, blind = (live_run.job_of(word_order.learn_order, 0, with_) for with_ in (True, False))
    pool.put(RUNNING, n_seen=11, jobs=[told])
    pool.put(WAITING, jobs=[blind])
    page.run()
    assert "trained here, seed 0, step 50" in captions(page)
    assert any("Not trained yet (seed 0)" in one.value for one in page.info)  # as far as both have come
    pool.put(DONE, n_seen=len(SNAPSHOTS), jobs=[told])
    pool.put(RUNNING, n_seen=3, jobs=[blind])
    page.run()
    assert any("Seed 0, step 10." in one.value for one in page.info)


def test_a_run_that_is_there_is_shown_without_pressing(pool, page):
    pool.put(DONE, n_seen=len(SNAPSHOTS))
    page.run()
    assert buttons(page) == set() and progress(page) == []
    assert "Trained here, just now" in captions(page)
    assert "trained here, seed 0, step 200" in captions(page)


@pytest.mark.parametrize(
    ("state", "kind", "words"),
    [
        (FAILED, "error", "failed half-way"),
        (LOST, "warning", "broke off"),
        (STOPPED, None, None),
    ],
)
def test_what_went_wrong_is_said_and_can_be_begun_again(pool, page, state, kind, words):
    pool.put(state, n_seen=5)
    page.run()
    told = {"error": page.error, "warning": page.warning}
    assert (
        [any(words in one.value for one in told[kind])] == [True]
        if kind
        else not (page.error or page.warning)
    )
    # What there was is still shown; but what somebody else has stopped is not, the recording is.
    shown = "recorded beforehand, seed 0, step 200" if state == STOPPED else "trained here, seed 0, step 20"
    assert shown in captions(page)
    page.button(PLAY).click()
    page.run()
    assert pool.started == [(0, True), (0, False)]


@pytest.mark.parametrize("room", [0, 1])
def test_a_queue_without_room_for_all_says_so_once(pool, page, room):
    pool.room = room
    page.button(PLAY).click()
    page.run()
    (warning,) = page.warning
    assert f"{live_run.MOST_WAITING} runs are waiting" in warning.value
    assert buttons(page) == {PLAY}
    assert set(pool.started) <= set(pool.left)  # half a comparison is none
    assert not page.run().warning


def test_who_stopped_is_not_drawn_in_again(pool, page):
    pool.put(RUNNING, n_seen=5)
    page.run()
    page.button(PAUSE).click()
    page.run()
    assert pool.left == [(0, True), (0, False)]
    assert buttons(page) == {PLAY} and progress(page) == []  # others may go on watching
    page.button(PLAY).click()
    page.run()
    assert pool.started == [(0, True), (0, False)]


def test_a_replay_runs_to_the_end_and_begins_anew(pool, page):
    """The recorded link: about twenty snapshots, 50 steps apart."""
    slider, replay = "self_attention.link_step", "self_attention.link.replay"
    last = page.slider(slider).max
    assert page.slider(slider).value == last > 500
    page.button(replay).click()
    page.run()
    assert page.slider(slider).value < last
    looks = 0
    while "self_attention.link.replay_pause" in {one.key for one in page.button}:
        page.run()
        looks += 1
        assert looks < 60, "it plays and plays"
    assert page.slider(slider).value == last and looks >= 10
    page.slider(slider).set_value(100)
    page.run()
    page.button(replay).click()
    assert page.run().slider(slider).value > 100  # from where it stood


def test_a_link_may_name_a_step_that_is_still_to_come(pool):
    """As a link from somebody whose run has come further: the run is shown as it is, and the slider waits."""
    job = live_run.job_of(pronoun_link.train_link, 5, 2)
    seen = recorded.load("pronoun_link", LinkSnapshot).seen
    slider = "self_attention.link_step"
    at = app.open_app("self_attention", "en", {"self_attention.link_seed": "5", slider: "300"})
    for n_seen, shown in ((2, 50), (4, 150), (6, 250)):
        pool.put(RUNNING, jobs=[job])
        pool.runs[job].seen = seen[:n_seen]
        at.run()
        assert at.slider(slider).value == 300
        assert any(f"step {shown}," in one.value for one in at.caption)
    assert not at.warning


def test_the_slider_of_a_run_stays_as_it_is(pool):
    """Moved, or with other ends, it would slip from the hand that holds it. Its end shows the newest."""
    job = live_run.job_of(pronoun_link.train_link, 5, 2)
    seen = [shot._replace(end=2500) for shot in recorded.load("pronoun_link", LinkSnapshot).seen]
    slider = "self_attention.link_step"
    at = app.open_app("self_attention", "en", {"self_attention.link_seed": "5"})

    def look(n_seen):
        pool.put(RUNNING, jobs=[job])
        pool.runs[job].seen = seen[:n_seen]
        at.run()
        (step,) = [
            re.search(r"step (\d+), 18,698", one.value)[1] for one in at.caption if ", 18,698" in one.value
        ][:1]
        return at.slider(slider).value, at.slider(slider).max, int(step)

    assert [look(n_seen) for n_seen in (2, 5, 8)] == [(2500, 2500, 50), (2500, 2500, 200), (2500, 2500, 350)]
    at.slider(slider).set_value(300)  # one step back, of the last snapshot but one
    assert [look(n_seen) for n_seen in (8, 9, 10)] == [(300, 2500, 300)] * 3


def test_the_slider_of_a_stopped_run_ends_where_the_run_does(pool):
    job = live_run.job_of(pronoun_link.train_link, 5, 2)
    seen = [shot._replace(end=2500) for shot in recorded.load("pronoun_link", LinkSnapshot).seen]
    slider = "self_attention.link_step"
    at = app.open_app("self_attention", "en", {"self_attention.link_seed": "5"})
    for state, end in ((RUNNING, 2500), (STOPPED, 250)):
        pool.put(state, jobs=[job])
        pool.runs[job].seen = seen[:6]
        at.run()
        assert (at.slider(slider).value, at.slider(slider).max) == (end, end)


def test_a_run_that_is_begun_again_elsewhere_is_followed_where_it_was_stopped(pool):
    """Page 3: the same model in two sections."""
    job = live_run.job_of(pronoun_link.train_link, 5, 2)
    seeds = {f"self_attention.{name}_seed": "5" for name in ("link", "flip")}
    at = app.open_app("self_attention", "en", seeds)
    pool.put(RUNNING, jobs=[job])
    pool.runs[job].seen = recorded.load("pronoun_link", LinkSnapshot).seen[:6]
    at.run()
    at.button("self_attention.link.pause").click()
    at.run()
    assert at.button("self_attention.link.play") and at.button("self_attention.flip.pause")
    at.button("self_attention.flip.pause").click()
    at.run()
    at.button("self_attention.flip.play").click()
    at.run()
    assert at.button("self_attention.link.pause") and at.button("self_attention.flip.pause")


def test_a_stamp_names_its_source():
    told = []
    section = SimpleNamespace(stamp=lambda kind, **values: told.append((kind, values)))
    for source in ("recorded", "live", "none"):
        training.stamp(section, training.Watched([], source, False), seed=3)
    assert told == [(kind, {"seed": 3}) for kind in ("recorded", "trained", "untrained")]


@pytest.mark.parametrize(("readers", "seconds"), [(1, 0.4), (6, 0.4), (10, 0.6), (60, 3.6)])
def test_a_whole_class_looks_less_often(readers, seconds):
    """Each look costs the server about 10 ms: sixty readers at 3.6 s are as cheap as ten at 0.6 s."""
    run = live_run.Run(None)
    run.readers = dict.fromkeys(range(readers), 0.0)
    assert training._pause([run, None]) == pytest.approx(seconds)
    assert training._pause([None]) == 0.4
