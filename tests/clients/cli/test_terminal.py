"""On a real (pseudo) terminal: Ctrl-C, and the terminal as it was before."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="needs a POSIX terminal")
termios = pytest.importorskip("termios", reason="needs a POSIX terminal")

HIDE, SHOW = b"\x1b[?25l", b"\x1b[?25h"
CODE = b"def f():\n    x\n"
LIMIT = 60.0


class Terminal:
    """A program on a terminal of its own, and what it wrote."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.master, slave = pty.openpty()
        self.before = termios.tcgetattr(slave)
        self._slave = slave
        config = folder / "config.toml"
        config.touch()
        environ = {**os.environ, "TERM": "xterm-256color", "RETOUCH_CONFIG": str(config)}
        environ.pop("NO_COLOR", None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.clients.cli.interruptible", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environ,
            cwd=Path(__file__).parents[3],
            preexec_fn=self._take_terminal,
        )
        self.output = b""

    def _take_terminal(self) -> None:
        """Make the terminal the controlling one, so that its Ctrl-C is a signal."""
        import fcntl

        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background job is started without it
        os.setsid()
        fcntl.ioctl(self._slave, termios.TIOCSCTTY, 0)

    def read_until(self, text: bytes) -> None:
        """Read until the program has written `text`."""
        end = time.monotonic() + LIMIT
        while text not in self.output:
            assert time.monotonic() < end, self.output[-500:]
            self._read()

    def finish(self) -> int:
        """The exit code, with all output read."""
        end = time.monotonic() + LIMIT
        while self.process.poll() is None:
            assert time.monotonic() < end, self.output[-500:]
            self._read()
        while self._read():
            pass
        self.after = termios.tcgetattr(self._slave)
        os.close(self._slave)
        os.close(self.master)
        return self.process.returncode

    def _read(self) -> bool:
        if not select.select([self.master], [], [], 0.1)[0]:
            return False
        self.output += os.read(self.master, 65536)
        return True


def test_ctrl_c_gives_the_terminal_back_and_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_bytes(CODE)
    terminal = Terminal(tmp_path, "0.05", "fill", str(path), "--lines", "2", "-i")
    terminal.read_until(b"revealed 3/")
    os.write(terminal.master, b"\x03")
    assert terminal.finish() == 130
    assert terminal.output.rfind(SHOW) > terminal.output.rfind(HIDE) >= 0
    assert terminal.after == terminal.before
    assert path.read_bytes() == CODE
    assert [item.name for item in tmp_path.iterdir() if item.name.startswith(".")] == []
    assert b"interrupted" in terminal.output


def test_a_whole_run_gives_the_terminal_back(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_bytes(CODE)
    terminal = Terminal(tmp_path, "0.0", "fill", str(path), "--lines", "2", "-i")
    assert terminal.finish() == 0
    assert terminal.output.count(SHOW) == terminal.output.count(HIDE) == 1
    assert terminal.after == terminal.before
    assert path.read_bytes() == b"def f():\na b c d e f g h i j k l m n o p\n"


def test_a_termination_signal_ends_the_program(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_bytes(CODE)
    terminal = Terminal(tmp_path, "0.05", "fill", str(path), "--lines", "2", "-i")
    terminal.read_until(b"revealed 3/")
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.finish() == 128 + signal.SIGTERM
    assert terminal.output.rfind(SHOW) > terminal.output.rfind(HIDE)
    assert path.read_bytes() == CODE
