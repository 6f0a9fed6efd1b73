"""Which characters of a text must not change: spans, matches of patterns, kinds of text; and
which are prose.

Patterns come from outside, so they run as automata: linear, bounded, no backtracking.
"""

import keyword
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.errors import ConstraintError
from engine.constraints.limits import Bounds, Limits
from engine.constraints.regex import full_match
from protocol.errors import ProtocolError
from protocol.messages import Lock
from protocol.revise import KeepName

PATTERN_LIMITS = Limits(nfa_states=20_000, dfa_states=2_000, seconds=2.0)
MATCH_STEPS = 2_000_000

_LONG = r"""'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\"|`[^`]*`"""
_SHORT = r"""(?<!\\)(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")"""
"""None begins behind a backslash: a row of those would be read from each of them to its end."""
_STRING = f"{_LONG}|{_SHORT}"
_NUMBER = r"(?<!\w)\d[\w.]*"
_NAME = r"[^\W\d]\w*"
_LINE_COMMENTS = {"#": r"\#[^\n]*", "//": r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)", "--": r"--[^\n]*"}
_SLASHES = re.compile(
    r"\.(c|cc|cpp|cs|cxx|dart|go|hh?|hpp|java|[cm]?[jt]sx?|kt|m|php|rs|scala|swift)"
)
_DASHES = re.compile(r"\.(elm|hs|lua|sql)")


def locked_characters(
    text: str, locks: Iterable[Lock], kinds: Iterable[KeepName], path: str | None
) -> list[bool]:
    """For each character, whether it is locked; ProtocolError if a lock makes no sense."""
    marks, budget = [False] * len(text), _Budget()
    for number, lock in enumerate(locks):
        for start, stop in _spans(text, lock, budget, f"locks[{number}]"):
            marks[start:stop] = [True] * (stop - start)
    wanted = set(kinds)
    for kind, start, stop in _pieces(text, path) if wanted else ():
        if kind in wanted:
            marks[start:stop] = [True] * (stop - start)
    return marks


def prose_characters(text: str, path: str | None) -> list[bool]:
    """For each character, whether it is part of a comment, or of a string of several words."""
    marks = [False] * len(text)
    for kind, start, stop in _pieces(text, path):
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


def _pieces(text: str, path: str | None) -> Iterator[tuple[KeepName, int, int]]:
    """(kind, start, stop) of comments, literals and names, by a scan that knows few languages."""
    comment = _LINE_COMMENTS[_comment_sign(path)]
    scanner = re.compile(f"(?P<c>{comment})|(?P<l>{_STRING}|{_NUMBER})|(?P<i>{_NAME})")
    kinds: dict[str, KeepName] = {"c": "comments", "l": "literals", "i": "identifiers"}
    for found in scanner.finditer(text):
        name = found.lastgroup or ""
        if name != "i" or not keyword.iskeyword(found.group()):
            yield kinds[name], found.start(), found.end()


def _comment_sign(path: str | None) -> str:
    ending = PurePath(path or "").suffix.lower()
    if _SLASHES.fullmatch(ending):
        return "//"
    return "--" if _DASHES.fullmatch(ending) else "#"
