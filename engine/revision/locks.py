"""Which characters of a text must not change: spans, matches of patterns, kinds of text; and
which are prose.

Patterns come from outside, so they run as automata: linear, bounded, no backtracking.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.errors import ConstraintError
from engine.constraints.limits import Bounds, Limits
from engine.constraints.regex import full_match
from engine.revision.kinds import Piece
from protocol.errors import ProtocolError
from protocol.messages import Lock
from protocol.revise import KeepName

PATTERN_LIMITS = Limits(nfa_states=20_000, dfa_states=2_000, seconds=2.0)
MATCH_STEPS = 2_000_000


def locked_characters(
    text: str, locks: Iterable[Lock], kinds: Iterable[KeepName], pieces: Sequence[Piece]
) -> list[bool]:
    """For each character, whether it is locked; ProtocolError if a lock makes no sense."""
    marks, budget = [False] * len(text), _Budget()
    for number, lock in enumerate(locks):
        for start, stop in _spans(text, lock, budget, f"locks[{number}]"):
            marks[start:stop] = [True] * (stop - start)
    wanted = set(kinds)
    for kind, start, stop in pieces:
        if kind in wanted:
            marks[start:stop] = [True] * (stop - start)
    return marks


def prose_characters(text: str, pieces: Sequence[Piece]) -> list[bool]:
    """For each character, whether it is part of a comment, or of a string of several words."""
    marks = [False] * len(text)
    for kind, start, stop in pieces:
        words = " " in text[start:stop].strip()
        if kind == "comments" or (kind == "literals" and words):
            marks[start:stop] = [True] * (stop - start)
    return marks


@dataclass(slots=True)
class _Budget:
    """What all patterns of a request may cost together: bytes to read, and seconds to compile."""

    steps: int = MATCH_STEPS
    seconds: float = PATTERN_LIMITS.seconds

    def compile(self, pattern: str) -> ByteDFA:
        """The automaton of `pattern`; ConstraintError if it is not one, or out of bounds."""
        since = time.monotonic()
        dfa = full_match(pattern, replace(PATTERN_LIMITS, seconds=self.seconds), Bounds()).dfa
        self.seconds = max(0.0, self.seconds - (time.monotonic() - since))
        return dfa


def _spans(text: str, lock: Lock, budget: _Budget, param: str) -> Iterator[tuple[int, int]]:
    if lock.pattern is not None and lock.start is None and lock.stop is None:
        yield from _matches(text, lock.pattern, budget, param)
    elif lock.pattern is None and lock.start is not None and lock.stop is not None:
        if not lock.start < lock.stop <= len(text):
            raise ProtocolError("invalid_message", "A lock must lie inside the text.", param)
        yield lock.start, lock.stop
    else:
        raise ProtocolError(
            "invalid_message", "A lock is either a span of the text or a pattern.", param
        )


def _matches(text: str, pattern: str, budget: _Budget, param: str) -> Iterator[tuple[int, int]]:
    """Leftmost longest matches that do not overlap; empty ones lock nothing."""
    try:
        dfa = budget.compile(pattern)
    except ConstraintError as error:
        raise ProtocolError("invalid_message", f"The pattern can't be used: {error}.", param) from (
            error
        )
    at = 0
    while at < len(text):
        length, steps = _longest(dfa, text, at, budget.steps)
        budget.steps -= steps
        if budget.steps <= 0:
            message = "The patterns need too many steps on this text; make them narrower."
            raise ProtocolError("too_large", message, param)
        if length:
            yield at, at + length
        at += max(1, length)


def _longest(dfa: ByteDFA, text: str, at: int, most: int) -> tuple[int, int]:
    """Characters of the longest match that begins at `at`, and the bytes that were read."""
    state, longest, steps = dfa.start, 0, 0
    for place in range(at, len(text)):
        data = text[place].encode("utf-8", "replace")
        state = dfa.run(data, state)
        steps += len(data)
        if not state or steps > most:
            break
        if dfa.final[state]:
            longest = place + 1 - at
    return longest, steps
