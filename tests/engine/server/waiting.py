"""Waiting for what a server does in its own time."""

import time
from collections.abc import Callable


def wait_until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Come back once `true` is; AssertionError if that takes longer than any machine needs."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)
