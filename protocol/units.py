"""Offsets as a client counts them -> characters (Unicode code points), as everything here counts.

A connection agrees on the unit in hello and welcome.
"""

from msgspec.structs import replace

from protocol.errors import ProtocolError
from protocol.requests import ReviseText, Task
from protocol.values import Encoding, Lock

CODECS: dict[Encoding, tuple[str, int]] = {
    "utf-8": ("utf-8", 1),
    "utf-16": ("utf-16-le", 2),
    "utf-32": ("utf-32-le", 4),
}
"""Python's name of each encoding, and the bytes of one unit."""


def length(text: str, encoding: Encoding) -> int:
    """Units of a text."""
    codec, size = CODECS[encoding]
    return len(text.encode(codec, "surrogatepass")) // size


def characters(text: str, units: int, encoding: Encoding) -> int | None:
    """How many of the first characters make up so many units.

    None if that ends inside a character, or the text is shorter.
    """
    if encoding == "utf-32":
        return units if units <= len(text) else None
    codec, size = CODECS[encoding]
    data = text[:units].encode(codec, "surrogatepass")[: units * size]
    if len(data) < units * size:
        return None
    try:
        return len(data.decode(codec))
    except UnicodeDecodeError:
        return None


def in_characters(task: Task, encoding: Encoding) -> Task:
    """The task with its offsets as characters; ProtocolError if one is inside a character."""
    if encoding == "utf-32" or not isinstance(task, ReviseText):
        return task
    locks = tuple(
        _lock(lock, task.text, encoding, f"locks[{number}]")
        for number, lock in enumerate(task.locks)
    )
    return replace(task, locks=locks)


def _lock(lock: Lock, text: str, encoding: Encoding, param: str) -> Lock:
    ends = []
    for units in (lock.start, lock.stop):
        end = None if units is None else characters(text, units, encoding)
        if end is None and units is not None:
            message = f"Offset {units} is inside a character or behind the text ({encoding})."
            raise ProtocolError("invalid_message", message, param)
        ends.append(end)
    return replace(lock, start=ends[0], stop=ends[1])
