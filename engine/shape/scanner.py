"""Owns the light lexer: brackets, strings and comments told in one pass from left to right.

Everything it says of a text stays true when more text follows, so that stopping can rely on it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as Choice
from typing import NamedTuple

from engine.shape.lexis import Lexis, Literal

DEPTH_LIMIT = 100
VOID_ELEMENTS = re.compile(
    "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr", re.IGNORECASE
)
MarkKind = Choice["open", "close", "stray", "newline", "enter", "leave", "broken", "pending"]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """An open bracket, word or element, and what stands open below it.

    `resume` is the literal to go back to when it closes (code inside a string).
    """

    closer: str
    below: "Frame | None"
    depth: int
    resume: Literal | None = None


class State(NamedTuple):
    """Where a text stands: the innermost open frame and the open literal."""

    frame: Frame | None = None
    literal: Literal | None = None

    @property
    def depth(self) -> int:
        return self.frame.depth if self.frame else 0


class Mark(NamedTuple):
    """Something found at `start:stop`; `state` is the state after it, `frame` what it closed.

    `stray` is a closer that closes nothing; `broken` the end of a literal that lacks its closer.
    """

    kind: MarkKind
    start: int
    stop: int
    state: State
    frame: Frame | None = None


def scan(
    lexis: Lexis, text: str, state: State, begin: int = 0, growing: bool = False
) -> Iterator[Mark]:
    """Every mark of `text` from `begin`, where `state` holds.

    With `growing`, it ends with a `pending` mark before whatever more text could change.
    """
    code = lexis.growing if growing else lexis.code
    at = begin
    while True:
        found = (state.literal.pattern if state.literal else lexis.begins).search(text, at)
        match = found if state.literal or not found else code.match(text, found.start())
        if not found:
            return
        if match and match.lastgroup == "pending":
            yield Mark("pending", match.start(), match.start(), state)
            return
        if match is None:
            at = found.end()
            continue
        mark = _in_literal(match, state) if state.literal else _in_code(lexis, match, state)
        at = match.end()
        if mark is not None:
            yield mark
            at, state = mark.stop, mark.state


def _in_literal(match: re.Match[str], state: State) -> Mark | None:
    start, stop, literal = match.start(), match.end(), state.literal
    assert literal is not None
    code = State(state.frame)
    match match.lastgroup:
        case "newline" if not literal.quote.lines:  # the line end is code again
            return Mark("leave" if literal.close == "\n" else "broken", start, start, code)
        case "leave":
            return Mark("leave", start, start if literal.close[0] == "\n" else stop, code)
        case "inner":
            assert literal.quote.inner is not None
            return Mark("open", start, stop, _push(state, literal.quote.inner[1], literal))
        case _ if match.string[stop - 1] == "\n":
            return Mark("newline", stop - 1, stop, state)
        case _:
            return None


def _in_code(lexis: Lexis, match: re.Match[str], state: State) -> Mark | None:
    start, stop, found = match.start(), match.end(), match.group()
    kind, index = match.lastgroup or "", match.lastindex or 0
    if kind == "newline":
        return Mark("newline", start, stop, state)
    if kind.startswith("quote"):
        quote = lexis.quotes[int(kind[5:])]
        inner = [group for group in match.groups()[index:] if group is not None]
        literal = Literal(quote, quote.close.format(*inner, ""))
        return Mark("enter", start, stop, State(state.frame, literal))
    if kind == "element":
        return Mark("open", start, stop, _push(state, element_closer(match[index + 1])))
    if kind == "open":
        return Mark("open", start, stop, _push(state, lexis.closers[found]))
    closer = f"</{match[index + 1]}>" if kind == "ended" else found
    frame = state.frame if kind == "tagend" else _find(state.frame, closer)
    if kind == "tagend" and frame is not None and found == ">" != frame.closer:
        return None
    if frame:
        return Mark("close", start, stop, State(frame.below, frame.resume), frame)
    return None if kind == "tagend" or closer in lexis.loose else Mark("stray", start, stop, state)


def element_closer(name: str) -> str:
    """What closes an element, or the tag of one that has nothing inside."""
    return ">" if VOID_ELEMENTS.fullmatch(name) else f"</{name}>"


def _push(state: State, closer: str, resume: Literal | None = None) -> State:
    """With one more frame; a text of nothing but brackets must not cost memory without end."""
    if state.depth >= DEPTH_LIMIT:
        return State(state.frame)
    return State(Frame(closer, state.frame, state.depth + 1, resume))


def _find(frame: Frame | None, closer: str) -> Frame | None:
    """The innermost frame that `closer` closes; those above it were left open."""
    while frame is not None and frame.closer != closer:
        frame = frame.below
    return frame
