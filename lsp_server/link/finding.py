"""Where the engine's server is: in the runtime file of the user, or where the settings say."""

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from protocol.runtime import FILE, LOCK, MOST_BYTES, TOKEN, RuntimeInfo, parse_runtime

TOKEN_BYTES = 4096


class LinkError(Exception):
    """The engine can't be reached; the message says why and what to do, for a person."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to connect, and the token to show."""

    url: str
    token: str | None


def default_folder() -> Path:
    """The user's own folder for the runtime file and the token."""
    return platformdirs.user_state_path("retouch", appauthor=False)


def find_endpoint(folder: Path) -> Endpoint | None:
    """The server that runs; None if there is none. LinkError if it doesn't let us in."""
    info = _running(folder)
    if info is None:
        return None
    token = read_token(Path(info.token_file)) if info.token_file is not None else None
    return Endpoint(f"ws{info.url.removeprefix('http')}/v1/infill", token)


def fixed_endpoint(folder: Path, host: str, port: int) -> Endpoint:
    """The server at a place that the settings name, with the user's token if there is one."""
    path = folder / TOKEN
    host = f"[{host}]" if ":" in host else host
    try:
        token = read_token(path) if path.exists() else None
    except OSError as error:
        raise unusable(folder, error) from error
    return Endpoint(f"ws://{host}:{port}/v1/infill", token)


def read_token(path: Path) -> str:
    """The token in a file; LinkError if others can read it or it holds none."""
    try:
        facts = path.stat()
        data = path.read_bytes() if facts.st_size <= TOKEN_BYTES else b""
    except OSError as error:
        raise LinkError(f"The token file {path} can't be read: {error.strerror}.") from error
    if os.name == "posix" and facts.st_mode & 0o077:
        raise LinkError(f"Others can read {path}; run `chmod 600` on it.")
    token = data.decode("utf-8", "replace").strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise LinkError(f"{path} holds no token; delete it and start the server again.")
    return token


def is_claimed(folder: Path) -> bool:
    """Whether a server runs or is starting: somebody holds the lock. LinkError."""
    path = folder / LOCK
    try:
        if not path.exists():
            return False
        lock = FileLock(path, mode=0o600)
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError as error:
        raise unusable(folder, error) from error
    lock.release()
    return False


def unusable(folder: Path, error: OSError) -> LinkError:
    """What to say of a folder that the system keeps from us."""
    return LinkError(f"The folder {folder} can't be used: {error}.")


def _running(folder: Path) -> RuntimeInfo | None:
    try:
        with (folder / FILE).open("rb") as file:
            info = parse_runtime(file.read(MOST_BYTES + 1))
    except OSError:
        return None
    return info if info is not None and is_claimed(folder) else None
