"""The real language server and engine, for the tests that are about all of it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protocol.runtime import FILE, parse_runtime
from tests.clients.nvim.editor import ROOT


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
def standing_still(folder: Path) -> Iterator[None]:
    """The model's process, stopped meanwhile: a person's next move is then never too late."""
    server = parse_runtime((folder / FILE).read_bytes())
    assert server is not None
    told = subprocess.run(["pgrep", "-P", str(server.pid)], capture_output=True, check=True)
    pids = [int(pid) for pid in told.stdout.split()]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def language_server(folder: Path) -> list[str]:
    """`retouch lsp`, for the engine of a folder."""
    return [sys.executable, "-m", "clients.cli", "lsp", "--runtime-dir", str(folder)]
