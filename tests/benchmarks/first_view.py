"""First view of each page after a cold start: seconds until everything stands, and how long it takes again.

`python -m tests.benchmarks.first_view [--rounds 3]`

Every round and page has a process of its own, in which nothing is imported and no cache is filled. It imports
the app, as a server does once at its start, and opens the page; then a second reader opens it too. Page 5
counts until everything that needs no measuring is there: what it measures runs in a child process beside it.
Wall-clock time, the least of all rounds, and beside it the processor time of the first view.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from pages.shared.frame import PAGES

ROOT = Path(__file__).parents[2]
ONE_PAGE = """
import json, logging, sys, time
logging.disable(logging.CRITICAL)
start = time.perf_counter()
from pages.shared import frame
from streamlit.testing.v1 import AppTest
imported = time.perf_counter()

def view(page):
    at = AppTest.from_file(frame.PAGES["home"], default_timeout=120)
    at.query_params["lang"] = "en"
    at.switch_page(frame.PAGES[page]) if page != "home" else None
    before, busy = time.perf_counter(), time.process_time()
    at.run()
    assert frame.Words("en", page)("title") == at.title[0].value and not at.exception and not at.error
    return time.perf_counter() - before, time.process_time() - busy

first, second = view(sys.argv[1]), view(sys.argv[1])
print(json.dumps({"start": imported - start, "first": first[0], "busy": first[1], "again": second[0]}))
"""


def measure(page):
    """Seconds of one process: the start, the first view and its processor time, the second view."""
    done = subprocess.run(
        [sys.executable, "-c", ONE_PAGE, page],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return json.loads(done.stdout)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=3)
    rounds = options.parse_args().rounds
    print(f"{'page':16} {'start s':>8} {'first s':>8} {'busy s':>8} {'again s':>8}")
    rows = []
    for page in PAGES:
        runs = [measure(page) for _ in range(rounds)]
        row = {part: round(min(run[part] for run in runs), 3) for part in runs[0]}
        print(f"{page:16} {' '.join(f'{seconds:8.2f}' for seconds in row.values())}", flush=True)
        rows.append({"page": page, **row})
    print(json.dumps({"benchmark": "first_view", "rounds": rounds, "rows": rows}))


if __name__ == "__main__":
    main()
