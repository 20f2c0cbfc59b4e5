"""What sections that train share: the buttons, how far the run is, and where the snapshots come from.

The default run of a section is recorded and there at once; "train it now" computes the same again, live.
"""

import math
import time
from functools import partial
from typing import NamedTuple

import streamlit as st

from core.experiments import recorded
from pages.shared import live_run

ELSEWHERE = object()  # a recording that the section itself knows how to show
DECLINED = "_declined."  # in the session, and the section: the jobs that it has stopped watching
SETTLES = 1.0  # seconds
PAUSE, PAUSE_EACH = 0.4, 0.06  # seconds between two looks: at least, and for each reader of the same run


class Watched(NamedTuple):
    """What there is to see of a training run."""

    seen: list  # snapshots so far; empty before anything was trained
    source: str  # "live", "recorded" or "none"
    running: float  # more is to come: seconds until it is worth looking again; 0 when the run is over
    meta: dict | None = None  # of a recording: settings, versions, seconds


def watch(s, function, *settings, recording=None, snapshot=None):
    """Look at the run of a generator function of core with these settings; draw the buttons that rule it.

    The section ends with ``s.tick_while(watched.running)``, so that it looks again while more is to come.

    Parameters
    ----------
    s : Section
    function : generator function of core
        Its snapshots tell `step` and `end`; `loss` and `accuracy` are shown beside them if they exist.
    *settings
        What it is called with: function and settings are the name of the run.
    recording : str or ELSEWHERE, optional
        Name of the recorded run, shown until somebody trains; only where it has these settings.
    snapshot : NamedTuple class, optional
        What the recording is made of.

    Returns
    -------
    Watched
    """
    return watch_all(s, [(function, *settings)], [recording], snapshot)[0]


def watch_all(s, calls, recordings=None, snapshot=None):
    """Look at several runs that start and stop together, such as those of a race; see `watch`.

    What is trained here never stands beside what is recorded: while one of them is, the others are "none".

    Parameters
    ----------
    s : Section
    calls : list of tuples
        (function, *settings) of each run.
    recordings : list of str or None, optional
        One for each run.
    snapshot : NamedTuple class, optional

    Returns
    -------
    list of Watched
    """
    pool, reader, jobs = live_run.runs(), live_run.reader(), [live_run.job_of(*call) for call in calls]
    declined = st.session_state.get(_declined(s)) == jobs
    runs = [pool.peek(job) if declined else pool.look(job, reader) for job in jobs]
    going_on = not declined and any(run is not None and not run.is_over for run in runs)
    _button(s, jobs, runs, going_on)
    _how_far(s, runs, going_on, pool)
    recordings, pause = recordings or [None] * len(runs), _pause(runs) if going_on else 0.0
    if not declined and not going_on and all(recordings) and _were_stopped(runs):
        runs = [None] * len(runs)  # what somebody stopped half-way is for who stopped it
    watched = [_watched(run, name, snapshot, pause) for run, name in zip(runs, recordings, strict=True)]
    return watched if len(watched) == 1 else _of_one_source(watched)


def scrub(s, name, seen, running=False):
    """Draw a slider over the snapshots of a run and a button that plays them.

    Parameters
    ----------
    s : Section
    name : str
        Of the slider; it counts steps. Beyond the last snapshot it shows the last one, until more are there.
    seen : list of snapshots
    running : bool or float
        Whether more are to come.

    Returns
    -------
    index : int
        Which snapshot is to be shown.
    playing : bool
        Whether the section is to look again for its own sake.
    """
    if len(seen) < 2:
        return len(seen) - 1, False
    every, last = seen[1].step - seen[0].step, len(seen) - 1
    # While a run is on its way the slider reaches to the end that is known, where it means the newest there
    # is: a slider that is moved, or whose ends are, slips from the hand or the keyboard that holds it.
    end = max(last, math.ceil(seen[-1].end / every)) if running else last
    key, playing = f"{s.page.name}.{name}", s.wanted
    if playing:
        at = min(st.session_state.get(key, 0) + every, every * last)
        move(key, at)
        playing = s.wanted = at < every * last
    else:
        settle(key)
    value = s.ask.place(name, 0, every * end, every * end, step=every)
    action = "replay_pause" if playing else "replay"
    st.button(
        s.words(action),
        key=f"{s.key}.{action}",
        icon=":material/pause:" if playing else ":material/replay:",
        on_click=s.want,
        args=(not playing, partial(*((rest, key) if playing else (_rewind_at_the_end, key, every * last)))),
    )
    return min(value // every, last), playing


def move(key, place):
    """Move a slider on; the browser hears of it later, and until then tells an older place."""
    st.session_state[key] = st.session_state[f"_reached.{key}"] = place


def rest(key):
    """Let a slider rest where it has come to, not where the browser last saw it."""
    move(key, st.session_state.get(f"_reached.{key}", 0))
    st.session_state[f"_rested.{key}"] = time.monotonic()


def settle(key):
    """Hold a slider that has just come to rest: what is under way from the browser tells older places."""
    held, reached = st.session_state.get(key, 0), st.session_state.get(f"_reached.{key}", 0)
    just_now = time.monotonic() - st.session_state.get(f"_rested.{key}", -math.inf) < SETTLES
    if just_now and 0 < held < reached:  # a reset or "from the start" go to 0 and mean it
        move(key, reached)


def _rewind_at_the_end(key, last):
    if st.session_state.get(key, last) >= last:
        st.session_state[key] = 0


def stamp(s, watched, **values):
    """Say where a picture of the run comes from; `values` are seed, step and parameters."""
    s.stamp({"recorded": "recorded", "live": "trained", "none": "untrained"}[watched.source], **values)


def _declined(s):
    return f"{DECLINED}{s.key}"


def _start(s, jobs):
    """Have all jobs done, for this reader among others; none if there is no room for all."""
    for key in [key for key in st.session_state if str(key).startswith(DECLINED)]:
        if set(st.session_state[key]) & set(jobs):  # another section may have stopped the same run before
            del st.session_state[key]
    pool, reader = live_run.runs(), live_run.reader()
    is_full = None in [pool.start(job, reader) for job in jobs]
    st.session_state[f"_full.{s.key}"] = is_full
    for job in jobs if is_full else []:
        pool.leave(job, reader)


def _stop(s, jobs):
    """Stop watching: what nobody else watches, stops."""
    st.session_state[_declined(s)] = jobs
    for job in jobs:
        live_run.runs().leave(job, live_run.reader())


def _button(s, jobs, runs, going_on):
    done = all(run is not None and run.state == live_run.DONE for run in runs)
    if done:
        st.caption(s.words("run_done"))
        return
    action, do = ("pause", _stop) if going_on else ("play", _start)
    st.button(
        s.words(f"run_{action}"),
        key=f"{s.key}.{action}",
        on_click=partial(do, s, jobs),
        type="primary",
        icon=":material/stop:" if going_on else ":material/play_arrow:",
    )


def _how_far(s, runs, going_on, pool):
    """Progress of what runs; what went wrong; whether there was room."""
    states = {run.state for run in runs if run is not None}
    if live_run.FAILED in states:
        st.error(s.words("run_failed"))
    elif live_run.LOST in states:
        st.warning(s.words("run_lost"))
    elif not going_on and st.session_state.pop(f"_full.{s.key}", False):
        st.warning(s.words("run_full", most=live_run.MOST_WAITING))
    if not going_on:
        return
    begun = [run for run in runs if run is not None and run.seen]
    if not begun:
        waiting = min((pool.place(run) for run in runs if run is not None), default=0)  # of one's own first
        st.progress(0.0, text=s.words("run_waits", place=waiting) if waiting else s.words("run_begins"))
        return
    shares = [run.seen[-1].step / max(run.seen[-1].end, 1) for run in begun]
    wanted = sum(run is not None for run in runs)
    st.progress(min(1.0, sum(shares) / wanted), text=_in_words(s, runs, begun))


def _in_words(s, runs, begun):
    """Step, loss, accuracy and time left of the run that is at work."""
    run = next((run for run in begun if not run.is_over), begun[-1])
    now = run.seen[-1]
    unit = "run_training" if hasattr(now, "n_steps") else "run_step"  # a sweep counts trainings
    parts = [s.words(unit, step=now.step, end=now.end)]
    wanted = sum(run is not None for run in runs)
    if wanted > 1:
        parts.insert(0, s.words("run_of", number=sum(r.is_over for r in begun) + 1, all=wanted))
    for figure in ("loss", "accuracy"):
        if now.step and hasattr(now, figure):
            parts.append(s.words(f"run_{figure}", value=getattr(now, figure)))
    if now.step:
        left = "run_left" if len(runs) == 1 else "run_left_of_one"
        parts.append(s.words(left, seconds=(now.end - now.step) * run.seconds / now.step))
    return " · ".join(parts)


def _pause(runs):
    """With a whole class watching, each looks less often: all looks together cost the server the same."""
    readers = max((len(run.readers) for run in runs if run is not None), default=0)
    return max(PAUSE, PAUSE_EACH * readers)


def _of_one_source(watched):
    wanted = "live" if any(one.source == "live" or one.running for one in watched) else "recorded"
    return [one if one.source == wanted else one._replace(seen=[], source="none") for one in watched]


def _were_stopped(runs):
    return any(run is not None and run.state == live_run.STOPPED for run in runs)


def _watched(run, recording, snapshot, pause):
    if run is not None and run.seen:
        return Watched(list(run.seen), "live", pause)
    if recording and recording is not ELSEWHERE:
        seen, meta = recorded.load(recording, snapshot)
        return Watched(seen, "recorded", pause, meta)
    return Watched([], "none", pause)
