"""Takes the README's pictures anew: `python -m tests.browser.pictures` (needs Chromium)."""

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from pages.shared.frame import PAGES
from tests.browser.conftest import FLAGS, NAMES
from tests.browser.screen import Screen
from tests.browser.server import ROOT, running_app
from tests.browser.visit import path_of

FOLDER = ROOT / ".github" / "pictures"
SIZE = {"width": 1280, "height": 1000}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = next(filter(None, map(shutil.which, NAMES)))
    with (
        tempfile.TemporaryDirectory() as scratch,
        running_app(Path(scratch) / "log.txt") as address,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=path, args=FLAGS) as browser,
        browser.new_context(viewport=SIZE) as context,
        Screen(context, address) as screen,
    ):
        for name in PAGES:
            for language in ("zh", "en"):
                take(screen, name, language)


def take(screen, name, language):
    screen.open(path_of(name, language))
    screen.page.wait_for_timeout(1500)  # tables appear a moment after the charts
    screen.page.get_by_test_id("stStatusWidget").wait_for(state="hidden")
    picture = Image.open(io.BytesIO(screen.page.screenshot())).convert("RGB")
    target = FOLDER / f"{name}.{language}.png"
    picture.quantize(128).save(target, optimize=True)
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
