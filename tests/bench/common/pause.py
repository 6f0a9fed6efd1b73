"""Stops other work of this machine while something is measured, and lets it go on afterwards."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# A process of its own waits for the end of its input and continues the groups: that end comes
# however the bench dies, by SIGKILL too.
RESUMER = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.stdin.buffer.read()
for group in map(int, sys.argv[1:]):
    try:
        os.killpg(group, signal.SIGCONT)
    except ProcessLookupError:
        pass
"""


@contextlib.contextmanager
def paused(target: str | None) -> Iterator[None]:
    """Hold the process groups of `target` stopped: a pid, or a file with pids; None holds nothing.

    ValueError if `target` is neither, names no live process, or this process' own group.
    """
    groups = process_groups(target) if target else []
    if not groups:
        yield
        return
    resumer = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", RESUMER, *map(str, groups)],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        for group in groups:
            os.killpg(group, signal.SIGSTOP)
        yield
    finally:
        assert resumer.stdin is not None
        resumer.stdin.close()
        resumer.wait()


def process_groups(target: str) -> list[int]:
    """The process groups of the pids in `target`, each once."""
    text = target if target.isdigit() else _read(target)
    groups = set()
    for word in text.split():
        if not word.isdigit():
            raise ValueError(f"{word!r} in {target} is no process id")
        try:
            groups.add(os.getpgid(int(word)))
        except ProcessLookupError as error:
            raise ValueError(f"there is no process {word} to pause") from error
    if os.getpgrp() in groups:
        raise ValueError(f"{target} belongs to this process group; it can't be paused")
    return sorted(groups)


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise ValueError(f"{path} is neither a process id nor a file of them") from error
