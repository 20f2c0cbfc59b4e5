"""What holds for all tests: a worker of pytest-xdist watches as strictly as the Python that starts it."""

import os
import sys

import pytest

from core.one_thread import ONE_THREAD

# One thread for the products of matrices, as in the workers of the app: several would wait for each other
# where two tests share two cores. It is read when NumPy is imported.
for name, number in ONE_THREAD.items():
    os.environ.setdefault(name, number)

WATCHED = ("PYTHONWARNDEFAULTENCODING", "PYTHONWARNINGS")  # -X warn_default_encoding and -W, as variables


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes():
    """Hand on the options of the command line: workers are started without them."""
    if sys.flags.warn_default_encoding:
        os.environ["PYTHONWARNDEFAULTENCODING"] = "1"
    if sys.warnoptions:
        os.environ["PYTHONWARNINGS"] = ",".join(sys.warnoptions)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    node.workerinput["strict"] = (sys.flags.warn_default_encoding, sys.warnoptions)


def pytest_configure(config):
    """Hold that it arrived, and keep it from what a test starts itself, a server or a script."""
    if hasattr(config, "workerinput"):
        here = (sys.flags.warn_default_encoding, sys.warnoptions)
        assert here == tuple(config.workerinput["strict"]), f"{here} in a worker"
        for name in WATCHED:
            os.environ.pop(name, None)
