"""Owns the caps of compiling: states, arcs, seconds, depth; only numbers and a clock."""

import time
from dataclasses import dataclass, replace

from engine.constraints.errors import TooLargeError


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps on one compilation. Counts are of states and arcs; `seconds` is wall-clock time."""

    nfa_states: int = 600_000
    dfa_states: int = 30_000
    token_arcs: int = 60_000_000
    class_arcs: int = 1_500_000
    seconds: float = 10.0
    memory_mb: int = 1536
    rules: int = 20_000
    source_bytes: int = 1_048_576
    nesting: int = 200


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a language is cut down so that it becomes regular and small; each cut is reported.

    `depth` nested recursive calls, `repeat` copies in {m,n}, `any_depth` nesting of JSON values
    of any kind, `unlisted` whether keys that a schema does not list may appear (never; explicit:
    where additionalProperties or patternProperties says so; always),
    `optional_depth` nesting below which optional keys are left out, `ascii` whether strings with a
    length and the named classes of Python's patterns keep to ASCII, `any_order` the number of keys
    up to which their order is free.
    """

    depth: int = 3
    repeat: int = 256
    any_depth: int = 2
    unlisted: str = "explicit"
    optional_depth: int = 64
    ascii: bool = False
    any_order: int = 0


class Clock:
    """A deadline that long loops ask now and then."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise TooLargeError once the time is over."""
        if time.monotonic() > self._end:
            raise TooLargeError(f"compiling the constraint took longer than {self._seconds:g} s")

    def left(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self._end - time.monotonic())


def tighter(bounds: Bounds) -> list[Bounds]:
    """The ladder of bounds to try in turn until the automaton fits the caps."""
    less = replace(bounds, depth=min(bounds.depth, 2), any_depth=1)
    tight = Bounds(depth=1, repeat=32, any_depth=1, unlisted="never")
    tighter_still = replace(tight, any_depth=0, optional_depth=4, ascii=True)
    return [
        bounds,
        replace(less, repeat=min(bounds.repeat, 64), any_order=min(bounds.any_order, 3)),
        tight,
        tighter_still,
        replace(tighter_still, repeat=16, optional_depth=2),
    ]


def deeper(bounds: Bounds) -> list[Bounds]:
    """The ladder for grammars, whose recursion is worth more than anything else."""
    return [replace(bounds, depth=depth) for depth in (8, 6, 4, 3, 2, 1)]
