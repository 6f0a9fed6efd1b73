"""Runs untrusted generated Python: time, memory and process limits, no network, no lasting file.

Owns the processes it starts. What fences a program in is `isolation`: `namespaces` (the kernel:
no network, read-only files, own process space, a user id of its own) where they can be had, else
`python` (an audit hook inside the interpreter, which a hostile program could get around).
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Isolation = Literal["namespaces", "python"]
GUARD = Path(__file__).with_name("guard.py")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may use: seconds of processor and of waiting, bytes of memory, processes.

    The processor's seconds decide, so that a busy machine fails no program that is right.
    """

    seconds: int = 5
    patience: float = 30.0
    memory: int = 512 << 20
    processes: int = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a program; `detail` is "passed", "timeout" (waited too long),
    "killed" (mostly: out of processor time) or its error."""

    passed: bool
    detail: str


def run_program(
    source: str, limits: Limits = Limits(), isolation: Isolation | None = None
) -> Outcome:
    """Run `source` to its end or the limit; passed means that its last line was reached.

    An early `exit(0)` does not pass. Standard input is empty, output is dropped.
    """
    with tempfile.TemporaryDirectory(prefix="box-") as box:
        program = Path(box, "program.py")
        program.write_text(source, "utf-8", "surrogatepass")
        return _supervise(program, limits, isolation or available_isolation())


def run_programs(
    sources: Iterable[str], limits: Limits = Limits(), workers: int | None = None
) -> list[Outcome]:
    """Outcomes in the order of `sources`, several running at a time."""
    with ThreadPoolExecutor(workers or max(1, (os.cpu_count() or 1))) as pool:
        return list(pool.map(lambda source: run_program(source, limits), sources))


@cache
def available_isolation() -> Isolation:
    """The strongest fence this machine gives, found out by trying."""
    with tempfile.TemporaryDirectory(prefix="box-") as box:
        program = Path(box, "program.py")
        program.write_text("import json", "utf-8")
        if sys.platform == "linux" and _supervise(program, Limits(), "namespaces").passed:
            return "namespaces"
    return "python"


def _supervise(program: Path, limits: Limits, isolation: Isolation) -> Outcome:
    receive, send = os.pipe()
    numbers = send, limits.memory, limits.seconds, limits.processes
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(GUARD), str(program), isolation, *map(str, numbers)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"LC_ALL": "C.UTF-8"},
        cwd=program.parent,
        start_new_session=True,
        pass_fds=(send,),
    )
    os.close(send)
    try:
        process.wait(limits.patience)
    except subprocess.TimeoutExpired:
        return Outcome(False, "timeout")
    finally:
        _kill_group(process)
        with os.fdopen(receive, "rb") as report:
            os.set_blocking(receive, False)
            detail = (report.read() or b"").decode("utf-8", "replace")
    return Outcome(detail == "passed", detail or "killed")


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    """End whatever is left of the program's process group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
