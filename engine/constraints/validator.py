"""Owns a person's own validator: a command that reads a text and says by its exit status."""

import subprocess
import sys
from collections.abc import Callable, Sequence

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
            done = subprocess.run(
                self._arguments,
                input=text,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=self._seconds,
                preexec_fn=_limiter(),
                start_new_session=sys.platform != "win32",
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise CheckerError(f"the validator {name} took over {self._seconds:g} s") from error
        except OSError as error:
            raise CheckerError(f"the validator {name} can't be run: {error}") from error
        if done.returncode not in (0, 1):
            raise CheckerError(f"the validator {name} ended with status {done.returncode}")
        if done.returncode == 0:
            return None
        return done.stderr[:300].decode(errors="replace").strip() or f"refused by {name}"


def _limiter() -> Callable[[], None] | None:
    """A cap on the child's memory, set between fork and exec where the system can."""
    if sys.platform == "win32":
        return None
    import resource

    size = _MEMORY_MB * 1024 * 1024

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))

    return limit
