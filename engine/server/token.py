"""The token file: made once, readable by its owner alone, read again when it is replaced."""

import hmac
import os
import secrets
from pathlib import Path

from engine.errors import EngineError

MOST_BYTES = 4096


class TokenFile:
    """The secret that clients must show; a new file takes effect at the next request."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._token = b""

    def accepts(self, shown: str) -> bool:
        """Whether `shown` is the token, told in constant time; no token is ever empty."""
        self._refresh()
        same = hmac.compare_digest(shown.encode("utf-8", "surrogateescape"), self._token)
        return bool(self._token) and same

    def _refresh(self) -> None:
        try:
            facts = self._path.stat()
            seen = (facts.st_ino, facts.st_mtime_ns, facts.st_size)
            if seen != self._seen:
                self._token = read_token(self._path).encode()
                self._seen = seen
        except (OSError, EngineError):
            self._seen, self._token = None, b""


def read_token(path: Path) -> str:
    """The token in a file; EngineError if others than its owner can read it, or it holds none."""
    facts = path.stat()
    if os.name == "posix" and facts.st_mode & 0o077:
        raise EngineError(f"Others can read {path}; run `chmod 600` on it.")
    if facts.st_size > MOST_BYTES:
        raise EngineError(f"{path} is too long for a token.")
    token = path.read_bytes().decode("utf-8", "replace").strip()
    if not token or not token.isascii() or not token.isprintable():  # no header carries it
        raise EngineError(f"{path} holds no token; delete it and a new one is made.")
    return token


def ensure_token(path: Path) -> None:
    """Make a token file unless there is one; EngineError if that can't be, or it holds none."""
    try:
        _ensure(path)
    except OSError as error:
        text = f"The token file {path} can't be used: {error.strerror}."
        raise EngineError(text) from error


def _ensure(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        read_token(path)
        return
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
