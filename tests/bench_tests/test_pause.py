"""Other work stands still inside `paused` and goes on afterwards, whatever happened."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.common.pause import paused, process_groups

Process = subprocess.Popen[bytes]


@pytest.fixture
def other() -> Iterator[Process]:
    command = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"]
    process = subprocess.Popen(command, start_new_session=True)
    yield process
    process.kill()
    process.wait()


def state(process: Process) -> str:
    """The kernel's letter for what the process does: T is stopped."""
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]


def becomes(process: Process, stopped: bool) -> bool:
    for _ in range(500):
        if (state(process) == "T") == stopped:
            return True
        time.sleep(0.01)
    return False


def test_stops_and_continues(other: Process) -> None:
    with paused(str(other.pid)):
        assert becomes(other, stopped=True)
    assert becomes(other, stopped=False)


def test_continues_after_a_failure(other: Process, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    pids.write_text(f"{other.pid}\n")
    with pytest.raises(RuntimeError), paused(str(pids)):
        assert becomes(other, stopped=True)
        raise RuntimeError
    assert becomes(other, stopped=False)


def test_continues_after_the_bench_was_killed(other: Process) -> None:
    code = (
        "import sys, time\nfrom tests.bench.common.pause import paused\n"
        f"with paused('{other.pid}'):\n    time.sleep(60)"
    )
    bench = subprocess.Popen([sys.executable, "-c", code])
    assert becomes(other, stopped=True)
    bench.send_signal(signal.SIGKILL)
    bench.wait()
    assert becomes(other, stopped=False)


def test_nothing_is_paused_without_a_target() -> None:
    with paused(None):
        pass


@pytest.mark.parametrize("target", ["no-such-file", "999999999", str(os.getpid())])
def test_what_cannot_be_paused_is_refused(target: str) -> None:
    with pytest.raises(ValueError):
        process_groups(target)
