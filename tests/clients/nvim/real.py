"""The real language server and engine, for the tests that are about all of it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from protocol.runtime import FILE, parse_runtime
from tests.clients.nvim.editor import ROOT

SLICE = 0.04
"""Seconds."""


@contextmanager
def running_engine(folder: Path) -> Iterator[None]:
    """An engine on one thread, which language servers find by the folder."""
    command = [sys.executable, "-m", "engine", "--folder", str(folder), "--threads", "1"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert json.loads(process.stdout.readline())["pid"]
        yield
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


@contextmanager
def standing_still(folder: Path, seen: Callable[[], Any], patience: float) -> Iterator[None]:
    """The model's process, stopped once something is seen: the next move is then never too late.

    Until then the process runs in slices of about a pass, so that it can't end between two looks.
    """
    pids, limit = _children(folder), time.monotonic() + patience
    _send(pids, signal.SIGSTOP)
    try:
        while not seen():
            assert time.monotonic() < limit, "it was never seen"
            _send(pids, signal.SIGCONT)
            time.sleep(SLICE)
            _send(pids, signal.SIGSTOP)
            time.sleep(SLICE)  # what was sent is on its way to the editor
        yield
    finally:
        _send(pids, signal.SIGCONT)


def _children(folder: Path) -> list[int]:
    """Processes of the server of a folder."""
    server = parse_runtime((folder / FILE).read_bytes())
    assert server is not None
    told = subprocess.run(["pgrep", "-P", str(server.pid)], capture_output=True, check=True)
    return [int(pid) for pid in told.stdout.split()]


def _send(pids: list[int], what: signal.Signals) -> None:
    for pid in pids:
        os.kill(pid, what)


def language_server(folder: Path) -> list[str]:
    """`retouch lsp`, for the engine of a folder."""
    return [sys.executable, "-m", "clients.cli", "lsp", "--runtime-dir", str(folder)]
