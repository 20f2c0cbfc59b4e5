"""The app as the README starts it, on a free port of this machine only."""

import contextlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOST = "127.0.0.1"
START = 30  # seconds to wait for the server


@contextlib.contextmanager
def running_app(log):
    """Start the app, yield its address, and end it; what it says goes to the file `log`."""
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py"]
    command += ["--server.fileWatcherType", "none", "--server.headless", "true"]
    command += ["--server.address", HOST, "--server.port", str(port)]
    with log.open("w", encoding="utf-8") as out:
        server = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        _wait_until_healthy(server, f"http://{HOST}:{port}/_stcore/health", log)
        yield f"http://{HOST}:{port}"
    finally:
        _end(server)


def _free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def _wait_until_healthy(server, address, log):
    end = time.monotonic() + START
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(address, timeout=2):
            return
        time.sleep(0.1)
    raise RuntimeError(f"the app did not start:\n{log.read_text(encoding='utf-8')[-3000:]}")


def _end(server):
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait(10)
