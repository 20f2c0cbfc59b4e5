"""What only a process of its own can tell: which modules come late, and what twenty sessions weigh."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SESSIONS = 20
MOST_MB = 400

WALK = """
import json, logging, sys
from pathlib import Path
from types import SimpleNamespace
from streamlit.testing.v1 import AppTest
from tests.pages import app
from pages.shared import frame, live_run

def walk(pages):
    for page, lang in zip(pages, ("zh", "en") * 3):
        at = app.look_at(app.open_app(page, lang), page)
        for widget in app.inputs(at).values():
            ends = app.extremes(widget)
            if ends:
                widget.set_value(ends[-1])
        for fold in at.expander:
            if fold.key:
                at.session_state[fold.key] = True
        app.look_at(at.run(), page)

def reader(page):
    at = AppTest.from_file(frame.PAGES["home"], default_timeout=60)
    if page != "home":
        at.switch_page(frame.PAGES[page])
    return at.run()

def most_mb():
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else ()
    return next((int(line.split()[1]) / 1024 for line in lines if "VmHWM" in line), None)

at = app.open_app()
before = set(sys.modules)
walk(app.PAGES)
late = sorted(set(sys.modules) - before)

logging.disable(logging.CRITICAL)
measured = SimpleNamespace(seen=[], is_over=True, has_failed=True)
live_run.common_run = lambda function: measured  # the child has a memory of its own
pages = [*frame.PAGES, *["home"] * ({sessions} - len(frame.PAGES))]
everybody = [reader(page) for page in pages]
assert not any(at.exception for at in everybody)
print(json.dumps({{"late": late, "sessions": len(everybody), "most_mb": most_mb()}}))
"""


@pytest.fixture(scope="module")
def found():
    """Walk through all pages in a fresh process, then let a class come in."""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", WALK.format(sessions=SESSIONS)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_walking_the_pages_imports_nothing_that_home_did_not(found):
    """A module that is imported late stalls every open session once (Streamlit's file watcher)."""
    assert found["late"] == []


def test_twenty_sessions_fit_into_a_small_machine(found):
    """Fault 79: free hosts end an app at about 1 GB, without a word."""
    if found["most_mb"] is None:
        pytest.skip("the memory of a process is read from /proc")
    assert found["sessions"] == SESSIONS
    assert 50 < found["most_mb"] < MOST_MB
