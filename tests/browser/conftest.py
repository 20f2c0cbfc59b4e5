"""One server and one Chromium for all browser tests; each test opens contexts of its own."""

import os
import shutil
from pathlib import Path

import pytest

from tests.browser.screen import Screen
from tests.browser.server import running_app

HERE = Path(__file__).parent
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
FLAGS = [
    "--no-sandbox",  # root in a container has no other way
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # The browser itself cannot leave the machine either: what is asked for elsewhere fails, and is seen.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="package")
def chromium():
    """The browser of this machine; LECTURE_BROWSER names another one."""
    path = os.environ.get("LECTURE_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        no_browser = pytest.fail if os.environ.get("LECTURE_NEED_BROWSER") else pytest.skip
        no_browser("no Chromium or Chrome on this machine; LECTURE_BROWSER may name one")
    playwright_api = pytest.importorskip("playwright.sync_api")
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=60_000)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def app(chromium, tmp_path_factory):
    """The address of a running app; asked for after the browser, so that nothing starts in vain."""
    with running_app(tmp_path_factory.mktemp("app") / "log.txt") as address:
        yield address


@pytest.fixture(scope="package")
def shared_context(chromium):
    """A context with a warm cache, for tests that only look: each page in it is a session of its own."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, locale="zh-CN")
    yield context
    context.close()


@pytest.fixture
def screen(app, shared_context):
    """A page of the app in a session of its own."""
    with Screen(shared_context, app) as screen:
        yield screen
