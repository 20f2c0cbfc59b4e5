"""Settings that all tests of the screen share."""

import logging

import pytest
from streamlit import config

from tests.fragments import runner_in_place

SESSIONLESS = "streamlit.runtime.scriptrunner_utils.script_run_context"  # says that a test is no browser


@pytest.fixture(autouse=True, scope="session")
def readable_reports():
    """Let an exception of a page be read in the test's report; the app itself never shows one."""
    config.set_option("client.showErrorDetails", "full")
    logging.getLogger(SESSIONLESS).setLevel(logging.ERROR)


@pytest.fixture(autouse=True, scope="session")
def as_a_server_runs_pages():
    """Compile a page once, and rerun one fragment where a test asks for it."""
    with runner_in_place():
        yield
