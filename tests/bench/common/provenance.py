"""Where and when numbers were made: commit, machine, threads, load. Reads, never changes."""

import os
import platform
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from models.checkpoint import fingerprint
from models.loader import Model

ROOT = Path(__file__).resolve().parents[3]
ANSWERS = ("engine", "models", "protocol", "tests/bench", ":!models/training", ":!*.md")
"""What answers come from: the code that asks and the code that answers."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a reader must know to repeat or doubt a number."""

    commit: str
    date: str
    processor: str
    cores: int
    threads: int
    load_before: tuple[float, float, float]
    load_after: tuple[float, float, float] | None
    packages: dict[str, str]


def provenance(threads: int) -> dict[str, Any]:
    """The record for a run that begins now; the caller adds `load_after` at its end."""
    names = ("torch", "transformers", "xllamacpp", "numpy")
    record = Provenance(
        commit=commit(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        processor=processor(),
        cores=os.cpu_count() or 1,
        threads=threads,
        load_before=load(),
        load_after=None,
        packages={name: found for name in names if (found := package_version(name))},
    )
    return asdict(record)


def commit() -> str:
    """The checked-out commit; with a fingerprint of what answers come from, if that was changed."""
    head = _git("rev-parse", "--short=12", "HEAD").decode().strip() or "unknown"
    changes = _git("diff", "HEAD", "--", *ANSWERS) + b"".join(_added())
    return f"{head}+{sha256(changes).hexdigest()[:8]}" if changes else head


def _added() -> Iterator[bytes]:
    """Name and digest of each file that git does not know yet: no diff tells of these."""
    names = _git("ls-files", "-z", "--others", "--exclude-standard", "--", *ANSWERS).split(b"\0")
    for name in filter(None, names):
        path = ROOT / os.fsdecode(name)
        yield name + sha256(path.read_bytes() if path.is_file() else b"").digest()


def stamp(model: Model) -> tuple[str, str, str]:
    """What a measured answer depends on besides the question: code, weights, number type."""
    dtype = str(model.transformer.dtype).removeprefix("torch.")
    return commit(), fingerprint(model.folder), dtype


def load() -> tuple[float, float, float]:
    """The load averages over 1, 5 and 15 minutes."""
    one, five, fifteen = os.getloadavg()
    return round(one, 2), round(five, 2), round(fifteen, 2)


def processor() -> str:
    """The processor's name as the kernel tells it."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def package_version(name: str) -> str | None:
    """The installed version of a package."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True).stdout
