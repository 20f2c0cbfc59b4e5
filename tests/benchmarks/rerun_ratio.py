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
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.shared.frame import PAGES
from tests.fragments import Runner, only, runner_in_place

ROOT = Path(__file__).parents[2]
FULL_BOUND, FRAGMENT_BOUND = 3.0, 1.5
YARDSTICK = """
import altair as alt, numpy as np, pandas as pd, streamlit as st
n = st.slider("n", 1, 16, 8)
i, j = np.divmod(np.arange(256), 16)
table = pd.DataFrame({"row": i, "column": j, "value": np.sin(n * i + j)})
st.altair_chart(alt.Chart(table).mark_rect().encode(x="column:O", y="row:O", color="value:Q"))
"""


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
    with only(fragment):
        widget = find(app)
        start = time.process_time()
        widget.set_value(value).run()
        return time.process_time() - start


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
    with runner_in_place():
        sys.exit(main())
