"""Reruns one fragment of a page in AppTest, as the browser does; AppTest alone reruns the whole page."""

import contextlib
import dataclasses

from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import app_test, local_script_runner


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


@contextlib.contextmanager
def runner_in_place():
    """Let every AppTest run through `Runner`."""
    usual = app_test.LocalScriptRunner
    app_test.LocalScriptRunner = Runner
    try:
        yield Runner
    finally:
        app_test.LocalScriptRunner = usual


@contextlib.contextmanager
def only(fragment):
    """What runs inside reruns this fragment; the tree of a page holds its elements alone afterwards."""
    Runner.fragment = fragment
    try:
        yield
    finally:
        Runner.fragment = None


def drawn_by(widgets):
    """{key: fragment id} of {key: widget}, as the last full run drew them; "" is the page itself."""
    return {key: Runner.drawn.get(widget.id, "") for key, widget in widgets.items()}
