"""Results on disk: a JSONL file of finished work to resume from, and files replaced atomically."""

import os
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec


class Records:
    """Finished pieces of work by key; each is on disk before `add` returns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: dict[str, dict[str, Any]] = {}
        data = path.read_bytes() if path.is_file() else b""
        self._torn = bool(data) and not data.endswith(b"\n")
        for line in data.splitlines():
            try:
                record = msgspec.json.decode(line, type=dict[str, Any])
            except msgspec.DecodeError:
                continue  # the line that was being written when a run was killed
            self._found[record["key"]] = record

    def get(self, key: str) -> dict[str, Any] | None:
        """The record of `key`, if that work is done."""
        return self._found.get(key)

    def add(self, key: str, **fields: Any) -> dict[str, Any]:
        """Append a record."""
        record = {"key": key, **fields}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            file.write((b"\n" if self._torn else b"") + msgspec.json.encode(record) + b"\n")
        self._torn = False
        self._found[key] = record
        return record


class Stamped(Records):
    """Records whose keys name what was measured (see provenance.stamp): of anything else they
    know nothing."""

    def __init__(self, path: Path, stamp: Sequence[str]) -> None:
        super().__init__(path)
        self._stamp = tuple(stamp)

    def key(self, *parts: Any) -> str:
        """The key of a piece of work."""
        return key_of(self._stamp, *parts)


def key_of(*parts: Any) -> str:
    """A short key of any JSON-able parts; equal parts, equal key."""
    return sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()[:24]


def write_json(path: Path, value: Any) -> None:
    """Replace `path` by `value` as JSON, all or nothing."""
    write_bytes(path, msgspec.json.format(msgspec.json.encode(value), indent=1))


def read_json(path: Path) -> Any:
    """What `write_json` wrote; None if there is no such file."""
    return msgspec.json.decode(path.read_bytes()) if path.is_file() else None


def write_bytes(path: Path, data: bytes) -> None:
    """Replace `path` by `data`, all or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    Path(name).chmod(0o644)
    Path(name).replace(path)
