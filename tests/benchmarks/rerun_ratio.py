"""Server time of one input change, page by page, against a page with one slider and one heat map.

`python -m tests.benchmarks.rerun_ratio [--rounds 15]`

Everything runs in one process through AppTest, the pages and the yardstick in turn, with compiled scripts
kept as a server keeps them. Processor time of that process is counted: what one change costs, whatever else
the machine is doing. The yardstick is what a plain Streamlit page does: a slider and a 16 x 16 heat map
drawn by `st.altair_chart`. AppTest always reruns the whole script; a fragment rerun is asked for by naming
the fragment, as the browser does. Figures are ratios of medians; bounds: 3 for a full run, 1.5 for a
fragment.
"""

import argparse
import dataclasses
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, local_script_runner

from pages.shared.frame import PAGES

ROOT = Path(__file__).parents[2]
FULL_BOUND, FRAGMENT_BOUND = 3.0, 1.5
YARDSTICK = """
import altair as alt, numpy as np, pandas as pd, streamlit as st
n = st.slider("n", 1, 16, 8)
i, j = np.divmod(np.arange(256), 16)
table = pd.DataFrame({"row": i, "column": j, "value": np.sin(n * i + j)})
st.altair_chart(alt.Chart(table).mark_rect().encode(x="column:O", y="row:O", color="value:Q"))
"""


class Runner(local_script_runner.LocalScriptRunner):
    """AppTest's runner, told to rerun one fragment, and keeping which fragment drew which element."""

    compiled = ScriptCache()  # a server compiles a page once
    fragment = None
    drawn = {}  # noqa: RUF012  element id -> fragment id, of the last full run

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self._script_cache = self._pages_manager._script_cache = Runner.compiled

    def request_rerun(self, rerun_data):
        if Runner.fragment:
            self._requests = type(self._requests)()  # else it is merged into the full run asked for first
            rerun_data = dataclasses.replace(rerun_data, fragment_id=Runner.fragment)
        return super().request_rerun(rerun_data)

    def run(self, *args, **options):
        tree = super().run(*args, **options)
        if not Runner.fragment:
            Runner.drawn = dict(_elements(self.forward_msgs()))
        return tree


def _elements(messages):
    for message in messages:
        if message.WhichOneof("type") == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            kind = element.WhichOneof("type")
            yield getattr(getattr(element, kind), "id", ""), message.delta.fragment_id


def open_page(name):
    """A page after home, as a reader comes to it."""
    app = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=60).run()
    if name != "home":
        app.switch_page(PAGES[name]).run()
    for _ in range(60):  # what is measured or trained while the page is open has to be over
        app.run()
        state = app.session_state._state.filtered_state
        if not any(value for key, value in state.items() if key.startswith("_running.")):
            break
        time.sleep(0.2)
    return app


def widgets(app):
    """The inputs of a page with two values to move between."""
    for slider in app.slider:
        yield slider, (slider.min, slider.max)
    for slider in app.select_slider:
        yield slider, (slider.options[0], slider.options[-1])
    for toggle in app.toggle:
        yield toggle, (True, False)


def seconds(app, find, value, fragment):
    Runner.fragment = fragment
    try:
        widget = find(app)
        start = time.process_time()
        widget.set_value(value).run()
        return time.process_time() - start
    finally:
        Runner.fragment = None


def measure(rounds):
    """Medians of milliseconds: [(page, input, kind, page ms, yardstick ms, ratio)]."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.py"
        plain.write_text(YARDSTICK, encoding="utf-8")
        yardstick = AppTest.from_file(plain, default_timeout=60).run()
        for name in PAGES:
            app = open_page(name)
            drawn = dict(Runner.drawn)
            for widget, values in list(widgets(app)):
                app.run()  # a fragment rerun leaves only its own elements to be found
                yield name, widget.key, *compare(app, yardstick, widget, values, drawn.get(widget.id), rounds)


def compare(app, yardstick, widget, values, fragment, rounds):
    kind, key = type(widget).__name__, widget.key
    attribute = {"Slider": "slider", "SelectSlider": "select_slider", "Toggle": "toggle"}[kind]

    def find(app):
        return getattr(app, attribute)(key=key)

    def find_plain(app):
        return app.slider[0]

    page, plain = [], []
    for i in range(rounds + 2):  # the first two fill the caches
        page.append(seconds(app, find, values[i % 2], fragment))
        plain.append(seconds(yardstick, find_plain, 1 + i % 16, None))
    ours, theirs = statistics.median(page[2:]) * 1e3, statistics.median(plain[2:]) * 1e3
    return "fragment" if fragment else "full", ours, theirs, ours / theirs


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=9)
    rounds = options.parse_args().rounds
    local_script_runner.LocalScriptRunner = Runner
    st.testing.v1.app_test.LocalScriptRunner = Runner
    print(f"{'page':16} {'input':32} {'rerun':9} {'ms':>7} {'plain':>7} {'ratio':>6}  bound")
    worst = {"full": 0.0, "fragment": 0.0}
    rows = []
    for name, key, kind, ours, theirs, ratio in measure(rounds):
        bound = FULL_BOUND if kind == "full" else FRAGMENT_BOUND
        mark = "" if ratio <= bound else "  above"
        print(
            f"{name:16} {key:32} {kind:9} {ours:7.1f} {theirs:7.1f} {ratio:6.2f}  {bound}{mark}", flush=True
        )
        worst[kind] = max(worst[kind], ratio)
        rows.append(
            {"page": name, "input": key, "rerun": kind, "ms": round(ours, 2), "ratio": round(ratio, 3)}
        )
    within = worst["full"] <= FULL_BOUND and worst["fragment"] <= FRAGMENT_BOUND
    print(
        json.dumps(
            {"benchmark": "rerun_ratio", "rounds": rounds, "worst": worst, "within": within, "rows": rows}
        )
    )
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
