"""Whether a model folder is whole: its files, their sizes, and shards as long as their headers say.

Reads headers only; nothing is loaded.
"""

import json
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from clients.cli.glyphs import readable, safe

_HEADER_LIMIT = 16 * 2**20
_JSON_LIMIT = 64 * 2**20
_NEEDED = ("config.json", "tokenizer.json")


class ModelFile(Struct, frozen=True):
    """One file of the folder; `problem` says what is wrong with it."""

    name: str
    size: int | None
    problem: str | None = None


class ModelFolder(Struct, frozen=True):
    """The folder and every file it has or should have."""

    folder: str
    files: tuple[ModelFile, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """One line for every file that is missing or damaged."""
        found = [f"{file.name}: {file.problem}" for file in self.files if file.problem]
        if not any(file.name.endswith(".safetensors") for file in self.files):
            found.append("no .safetensors file")
        return tuple(found)


def inspect_model(folder: Path) -> ModelFolder:
    """What stands in a model folder, and what its indexes say should."""
    names = set(_NEEDED)
    problems: dict[str, str] = {}
    with suppress(OSError):  # no such folder, or none that can be read: what it needs is missing
        names |= {path.name for path in folder.iterdir() if path.is_file()}
    for index in sorted(name for name in names if name.endswith(".index.json")):
        try:
            names |= _shards(folder / index)
        except (OSError, ValueError) as error:
            problems[index] = f"unreadable ({safe(str(error))})"
    files = tuple(_inspect(folder, name, problems.get(name)) for name in sorted(names))
    return ModelFolder(readable(str(folder)), files)


def _inspect(folder: Path, name: str, problem: str | None) -> ModelFile:
    path = folder / name
    try:
        size = path.stat().st_size
        if name.endswith(".safetensors"):
            problem = _shard_problem(path, size)
    except OSError:
        return ModelFile(readable(name), None, "missing")
    return ModelFile(readable(name), size, problem)


def _shards(index: Path) -> set[str]:
    """The file names an index mentions; only names inside the folder count."""
    weights = _object(_bounded(index, _JSON_LIMIT)).get("weight_map")
    if not isinstance(weights, dict):
        raise ValueError("no weight_map")
    return {name for name in weights.values() if isinstance(name, str) and Path(name).name == name}


def _shard_problem(path: Path, size: int) -> str | None:
    """Compare a safetensors file's length with the end of its last tensor."""
    with path.open("rb") as file:
        head = file.read(8)
        length = struct.unpack("<Q", head)[0] if len(head) == 8 else -1
        if not 2 <= length <= min(_HEADER_LIMIT, size - 8):
            return "no safetensors header; fetch the file again"
        try:
            entries = _object(file.read(length))
            ends = [entry["data_offsets"][1] for key, entry in entries.items() if key[:2] != "__"]
            expected = 8 + length + max(ends, default=0)
        except (ValueError, KeyError, TypeError, IndexError):
            return "damaged safetensors header; fetch the file again"
    if size != expected:
        return f"is {size} bytes long instead of {expected}; fetch the file again"
    return None


def _bounded(path: Path, limit: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError("too large")
    return data


def _object(data: bytes) -> dict[str, Any]:
    value = json.loads(data)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value
