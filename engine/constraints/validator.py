"""Owns a person's own validator: a command that reads a text and says by its exit status."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from engine.constraints.errors import CheckerError

MAX_SECONDS = 10.0
_MEMORY_MB = 2048


class CommandValidator:
    """Runs `arguments` with the text on standard input; status 0 accepts, 1 refuses it.

    Any other status, a signal, or no answer within `seconds` is a CheckerError: neither verdict.
    """

    def __init__(self, arguments: Sequence[str], seconds: float = 2.0) -> None:
        if not arguments or not 0 < seconds <= MAX_SECONDS:
            raise ValueError(f"a validator needs a command and at most {MAX_SECONDS:g} seconds")
        self._arguments = list(arguments)
        self._seconds = seconds

    def __call__(self, text: bytes) -> str | None:
        """None if the text is accepted, else why not."""
        name = self._arguments[0]
        try:
            child = subprocess.Popen(
                self._arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise CheckerError(f"the validator {name} can't be run: {error}") from error
        with child:
            reasons = self._ask(child, text)
        if child.returncode == 0:
            return None
        if child.returncode != 1:
            raise CheckerError(f"the validator {name} ended with status {child.returncode}")
        return reasons[:300].decode(errors="replace").strip() or f"refused by {name}"

    def _ask(self, child: "subprocess.Popen[bytes]", text: bytes) -> bytes:
        _limit_memory(child.pid)
        try:
            return child.communicate(text, timeout=self._seconds)[1]
        except subprocess.TimeoutExpired as error:
            _kill_all(child)
            name = self._arguments[0]
            raise CheckerError(f"the validator {name} took over {self._seconds:g} s") from error


def _limit_memory(process: int) -> None:
    """Cap the command's address space where the system lets another process do so."""
    if sys.platform != "linux":
        return
    import resource

    size = _MEMORY_MB * 1024 * 1024
    # It may be gone already, or run as someone else.
    with suppress(ProcessLookupError, PermissionError):
        resource.prlimit(process, resource.RLIMIT_AS, (size, size))


def _kill_all(child: "subprocess.Popen[bytes]") -> None:
    """End the command and what it started."""
    if sys.platform == "win32":
        child.kill()
    else:
        os.killpg(child.pid, signal.SIGKILL)
    child.communicate()
