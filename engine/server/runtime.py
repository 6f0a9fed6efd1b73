"""The runtime file: how programs of one user find the one server that runs.

Who holds the lock beside the file is the server; a file without a holder is stale, whatever its
pid says. The operating system lets go of the lock when the holder dies.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import platformdirs
from filelock import FileLock, Timeout

from engine.errors import EngineError
from protocol.runtime import FILE, LOCK, MOST_BYTES, TOKEN, RuntimeInfo, parse_runtime

LOCK_SECONDS = 2.0
__all__ = ["FILE", "TOKEN", "RuntimeFile", "RuntimeInfo", "default_folder", "find_server"]


def default_folder() -> Path:
    """The user's own folder for the runtime file and the token."""
    return platformdirs.user_state_path("retouch", appauthor=False)


def constraint_cache() -> Path:
    """The user's own folder for compiled constraints."""
    return platformdirs.user_cache_path("retouch", appauthor=False) / "constraints"


class RuntimeFile:
    """The server's side: held from start to end."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._lock = FileLock(folder / LOCK, mode=0o600)

    def acquire(self) -> None:
        """Become the server; EngineError if another one is, or the folder can't be used."""
        with self._usable():
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                self._lock.acquire(timeout=LOCK_SECONDS)
            except Timeout:
                text = "A server is running already (`retouch status` shows it)."
                raise EngineError(text) from None
            self._path.unlink(missing_ok=True)  # what a dead server left

    def publish(self, info: RuntimeInfo) -> None:
        """Write the file, in one move; EngineError if the folder can't be used."""
        with self._usable():
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=FILE)
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(info)))
            Path(name).replace(self._path)

    def release(self) -> None:
        """Take the file away and let go of the lock."""
        self._path.unlink(missing_ok=True)
        self._lock.release()

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """EngineError if the system keeps from us what is done in the folder."""
        try:
            yield
        except OSError as error:
            text = f"The folder {self._path.parent} can't be used: {error.strerror}."
            raise EngineError(text) from error


def find_server(folder: Path) -> RuntimeInfo | None:
    """The server that runs; None if there is none, or only the file of a dead one.

    EngineError if the lock can't be used, so that nobody knows.
    """
    path = folder / FILE
    try:
        with path.open("rb") as file:
            info = parse_runtime(file.read(MOST_BYTES + 1))
    except OSError:
        return None
    return info if info is not None and _is_held(folder / LOCK) else None


def _is_held(path: Path) -> bool:
    """Whether a living process holds the lock; EngineError if the system keeps it from us."""
    try:
        if not path.exists():
            return False
        lock = FileLock(path, mode=0o600)
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError as error:
        text = f"The lock {path} can't be used ({error}); see whose it is, or remove it."
        raise EngineError(text) from error
    lock.release()
    return False
