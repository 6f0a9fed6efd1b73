"""Resident memory of a process that holds an engine, by number type.

Run as a program it is that process: `python -m tests.bench.fill.memory DTYPE` prints one JSON line.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from tests.bench.common.provenance import ROOT

DTYPES = ("bfloat16", "float32")


def resident(dtype: str, model: Path | None) -> dict[str, Any]:
    """MiB of a fresh process: with torch imported, with the engine, after a fill, at its peak."""
    command = [sys.executable, "-m", "tests.bench.fill.memory", dtype, str(model or "")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        return {"dtype": dtype, "error": (done.stderr.strip().splitlines() or ["?"])[-1]}
    found: dict[str, Any] = msgspec.json.decode(done.stdout.splitlines()[-1])
    return found


def probe(dtype: str, model: Path | None) -> dict[str, Any]:
    """Measure this process while it opens an engine and fills one hole behind 2,000 tokens."""
    import torch  # noqa: F401 - its own size is the base line

    imported = _status("VmRSS")
    from protocol.messages import Fill
    from tests.bench.fill.drive import fill_one
    from tests.bench.fill.engines import open_bench

    bench = open_bench(model, dtype, 1)
    engine = bench.engine()
    opened = _status("VmRSS")
    fill_one(engine, Fill(id="1", prefix="value = value + 1\n" * 330, suffix="print(value)\n"))
    return {
        "dtype": dtype,
        "imports_mib": imported,
        "engine_mib": opened,
        "after_fill_mib": _status("VmRSS"),
        "peak_mib": _status("VmHWM"),
    }


def _status(field: str) -> float:
    """A size of this process in MiB, from the kernel; 0 where it does not tell."""
    path = Path(f"/proc/{os.getpid()}/status")
    for line in path.read_text().splitlines() if path.is_file() else ():
        if line.startswith(f"{field}:"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0


if __name__ == "__main__":
    print(
        msgspec.json.encode(probe(sys.argv[1], Path(sys.argv[2]) if sys.argv[2] else None)).decode()
    )
