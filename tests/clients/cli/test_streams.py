"""Standard streams that are closed or that nobody reads, and colours that are asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.cli.harness import Cli

RUN = (sys.executable, "-m", "tests.clients.cli.interruptible", "0")


@pytest.fixture
def unread() -> int:
    """The writing end of a pipe whose reader has gone."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def test_nobody_reads_the_progress(tmp_path: Path, unread: int) -> None:
    path = tmp_path / "code.py"
    path.write_bytes(b"x\ny\n")
    command = (*RUN, "rewrite", str(path), "--lines", "1")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=unread, check=False)
    assert done.returncode == 141, "1 would mean that nothing changed"


def test_nobody_reads_the_diff(tmp_path: Path, unread: int) -> None:
    path = tmp_path / "code.py"
    path.write_bytes(b"x\ny\n")
    command = (*RUN, "rewrite", str(path), "--lines", "1", "--diff", "--color", "always")
    done = subprocess.run(command, stdout=unread, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 141 and b"Traceback" not in done.stderr


def test_nobody_reads_an_error(tmp_path: Path, unread: int) -> None:
    command = (*RUN, "fill", str(tmp_path / "none.py"), "--at", "1:1", "--json")
    done = subprocess.run(command, stdout=unread, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr and b"none.py" in done.stderr
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=unread, check=False)
    assert done.returncode == 2 and b"none.py" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device stands for a full disk")
@pytest.mark.parametrize(
    "arguments",
    [
        ("fill", "none.py", "--at", "1:1", "--json"),
        ("rewrite", "code.py", "--lines", "1", "--diff"),
        ("rewrite", "code.py", "--lines", "1", "--color", "always"),
        ("score", "code.py", "--no-such", "--json"),
        ("config",),
        ("config", "--json"),
        ("--help",),
        ("fill", "--help"),
        ("--version",),
        ("--show-completion", "bash"),
    ],
)
def test_a_full_disk_is_no_traceback_and_not_no_change(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "code.py").write_bytes(b"x\ny\n")
    environ = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            (*RUN, *arguments),
            cwd=tmp_path,
            env=environ,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert b"standard output can't be written" in done.stderr
    assert b"Traceback" not in done.stderr and b"internal error" not in done.stderr


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_nobody_reads_the_help(unread: int, flag: str) -> None:
    done = subprocess.run((*RUN, flag), stdout=unread, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 141 and not done.stderr


def test_nobody_reads_what_was_wrong_with_the_arguments(unread: int) -> None:
    done = subprocess.run((*RUN, "--no-such"), stderr=unread, check=False)
    assert done.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device stands for a full disk")
@pytest.mark.parametrize("arguments", [("fill", "none.py", "--at", "1:1"), ("fill", "--no-such")])
def test_an_error_that_can_not_be_told_keeps_its_exit_code(arguments: tuple[str, ...]) -> None:
    command = (*RUN, *arguments)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=full, check=False)
    assert done.returncode == 2


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_is_an_empty_one(tmp_path: Path, closed: str) -> None:
    command = f"{sys.executable} -m clients.cli config {closed}"
    environ = {**os.environ, "RETOUCH_CONFIG": str(tmp_path / "config.toml")}
    (tmp_path / "config.toml").touch()
    done = subprocess.run(
        ["bash", "-c", command], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert ("policy" in done.stdout) is (">&-" not in closed.split())


def test_a_colour_that_is_asked_for_beats_no_color(cli: Cli) -> None:
    cli.environ["NO_COLOR"] = "1"
    assert cli.run("fill", str(cli.file(b"x\n")), "--lines", "1", "--color", "always") == 0
    assert b"\x1b[" in cli.out
    assert cli.run("fill", str(cli.file(b"x\n")), "--lines", "1") == 0
    assert b"\x1b[" not in cli.out
