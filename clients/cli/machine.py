"""Facts about this machine that decide how fast a model runs: processor, memory, load.

Read from what the system offers; a fact that isn't offered is None, never guessed.
"""

import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

FEATURES = (
    "avx2",
    "avx512f",
    "avx512_vnni",
    "avx_vnni",
    "avx512_bf16",
    "amx_bf16",
    "amx_int8",
    "asimd",
    "bf16",
    "i8mm",
    "sve",
)
"""Processor features that change which number format is fast, as Linux names them."""


class Machine(Struct, frozen=True):
    """Processor and memory; `load` is the 1-minute average, sizes are bytes."""

    system: str
    architecture: str
    processor: str | None
    logical_cores: int
    physical_cores: int | None
    load: float | None
    features: tuple[str, ...]
    memory: int | None
    memory_free: int | None

    @property
    def usable_cores(self) -> int:
        """Cores that this process may run on."""
        return min(self.physical_cores or self.logical_cores, self.logical_cores)

    @property
    def free_cores(self) -> int:
        """Cores that nothing else keeps busy now, at least one."""
        usable = self.usable_cores
        return max(1, min(usable, round(usable - (self.load or 0.0))))


def machine() -> Machine:
    """The machine as it is now."""
    cpuinfo = _read("/proc/cpuinfo")
    memory = _fields(_read("/proc/meminfo").splitlines())
    return Machine(
        system=f"{platform.system()} {platform.release()}",
        architecture=platform.machine(),
        processor=_processor(cpuinfo),
        logical_cores=_usable_cores(),
        physical_cores=physical_cores(cpuinfo) or _sysctl_number("hw.physicalcpu"),
        load=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        features=features(cpuinfo),
        memory=_kibibytes(memory.get("MemTotal")) or _sysctl_number("hw.memsize"),
        memory_free=_kibibytes(memory.get("MemAvailable")),
    )


def features(cpuinfo: str) -> tuple[str, ...]:
    """Those of FEATURES that the first processor of a Linux cpuinfo text has."""
    fields = _fields(cpuinfo.splitlines())
    flags = (fields.get("flags") or fields.get("Features") or "").split()
    if not flags and sys.platform == "darwin":
        names = {"bf16": "hw.optional.arm.FEAT_BF16", "i8mm": "hw.optional.arm.FEAT_I8MM"}
        return tuple(name for name, key in names.items() if _sysctl_number(key))
    return tuple(name for name in FEATURES if name in flags)


def physical_cores(cpuinfo: str) -> int | None:
    """Distinct (socket, core) pairs of a Linux cpuinfo text; None where it names none."""
    pairs = set()
    for block in cpuinfo.split("\n\n"):
        fields = _fields(block.splitlines())
        if "core id" in fields:
            pairs.add((fields.get("physical id"), fields["core id"]))
    return len(pairs) or None


def _processor(cpuinfo: str) -> str | None:
    named = _fields(cpuinfo.splitlines()).get("model name") or platform.processor()
    return named or _sysctl("machdep.cpu.brand_string") or None


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _fields(lines: Iterable[str]) -> dict[str, str]:
    """`name: value` lines; the first of a name counts."""
    found: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            found.setdefault(name.strip(), value.strip())
    return found


def _kibibytes(text: str | None) -> int | None:
    return int(text.split()[0]) * 1024 if text else None


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return ""


def _sysctl(name: str) -> str:
    """A macOS system value, "" where there is none."""
    if sys.platform != "darwin":
        return ""
    command = ["/usr/sbin/sysctl", "-n", name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    return done.stdout.strip()


def _sysctl_number(name: str) -> int | None:
    text = _sysctl(name)
    return int(text) if text.isdigit() else None
