"""Owns compiled constraints on disk: one file each, named by content, replaced atomically.

Files hold plain arrays (never pickles); one that can't be read, or is of another version, is
removed and compiled again.
"""

import hashlib
import io
import json
import os
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.spec import ConstraintSpec
from engine.constraints.token_dfa import TokenDFA

VERSION = 4  # of the file format and of everything that shapes a compiled automaton
MAX_CACHE_BYTES = 256 * 1024 * 1024
_ARRAYS = ("token_class", "pair_from", "pair_to", "pair_set", "set_starts", "set_classes")
_BYTE_ARRAYS = ("table", "byte_class", "final")


def cache_key(spec: ConstraintSpec, vocabulary_key: str) -> str:
    """SHA-256 over the version, the vocabulary and what of the spec shapes the automaton."""
    shape = msgspec.structs.replace(spec, best_effort=False)
    content = f"{VERSION}\n{vocabulary_key}\n".encode() + msgspec.json.encode(shape)
    return hashlib.sha256(content).hexdigest()


def packed(dfa: TokenDFA) -> bytes:
    """A compiled constraint as bytes."""
    head = json.dumps({"version": VERSION, "start": dfa.dfa.start, "notes": dfa.notes})
    arrays: dict[str, Any] = {name: getattr(dfa, name) for name in _ARRAYS}
    arrays |= {name: getattr(dfa.dfa, name) for name in _BYTE_ARRAYS}
    file = io.BytesIO()
    np.savez(file, head=np.frombuffer(head.encode(), np.uint8), **arrays)
    return file.getvalue()


def unpacked(content: bytes) -> TokenDFA:
    """The reverse of `packed`; raises ValueError for anything else."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            head = json.loads(file["head"].tobytes())
            if head["version"] != VERSION:
                raise ValueError("a compiled constraint of another version")
            inner = ByteDFA(**{name: file[name] for name in _BYTE_ARRAYS}, start=head["start"])
            arrays = {name: file[name] for name in _ARRAYS}
            found = TokenDFA(inner, **arrays, notes=tuple(head["notes"]))
    except (KeyError, OSError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise ValueError(f"no compiled constraint: {error}") from error
    if not _sound(found):
        raise ValueError("a compiled constraint with indices out of range")
    return found


def _sound(dfa: TokenDFA) -> bool:
    """Whether every index lies in range, so that a damaged file can't send a scan astray."""
    states, sets = dfa.states, len(dfa.set_starts) - 1
    checks = [
        dfa.dfa.table.ndim == 2 and dfa.dfa.byte_class.shape == (256,),
        dfa.dfa.final.shape == (states,) and 0 <= dfa.dfa.start < states,
        _within(dfa.dfa.table, states) and _within(dfa.dfa.byte_class, dfa.dfa.table.shape[-1]),
        _within(dfa.pair_from, states) and _within(dfa.pair_to, states),
        len(dfa.pair_from) == len(dfa.pair_to) == len(dfa.pair_set) > 0,
        sets > 0 and _within(dfa.pair_set, sets),
        bool((np.diff(dfa.set_starts) > 0).all()),
        int(dfa.set_starts[0]) == 0 and int(dfa.set_starts[-1]) == len(dfa.set_classes),
        _within(dfa.set_classes, max(1, dfa.classes)) and int(dfa.token_class.min(initial=0)) >= -1,
    ]
    return all(checks)


def _within(array: Any, size: int) -> bool:
    return bool(array.size == 0 or (array.min() >= 0 and array.max() < size))


class ConstraintCache:
    """A folder of compiled constraints, the least recently used removed past a size."""

    def __init__(self, folder: Path, most_bytes: int = MAX_CACHE_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes

    def load(self, key: str) -> TokenDFA | None:
        """A stored constraint, or None."""
        path = self._path(key)
        try:
            found = unpacked(path.read_bytes())
            os.utime(path)
        except ValueError:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            return None
        except OSError:
            return None
        return found

    def store(self, key: str, content: bytes) -> None:
        """Keep a packed constraint under its key; a folder that can't be written keeps nothing."""
        with suppress(OSError):
            self._store(key, content)

    def _store(self, key: str, content: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
            file.write(content)
        Path(file.name).replace(self._path(key))
        self._trim()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.npz"

    def _trim(self) -> None:
        files = [(path.stat(), path) for path in self._folder.glob("*.npz")]
        files.sort(key=lambda entry: entry[0].st_mtime, reverse=True)
        total = 0
        for stat, path in files:
            total += stat.st_size
            if total > self._most_bytes:
                path.unlink(missing_ok=True)
