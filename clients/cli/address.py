"""Where the hole is: addresses as a person writes them, to offsets into the document.

Lines and columns count from 1; a column is a character (code point), and a tab is one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from clients.cli import newlines
from clients.cli.document import Document
from clients.cli.errors import BadInput
from clients.cli.glyphs import safe
from protocol.limits import HOLES_LIMIT

_POINT = re.compile(r"(\d{1,9}):(\d{1,9})")
_LINES = re.compile(r"(\d{1,9})(?::(\d{1,9}))?")
_RANGE = re.compile(r"(\d{1,9}):(\d{1,9})-(\d{1,9}):(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Span:
    """The hole as offsets [start, end) into `Document.text`."""

    start: int
    end: int
    lines: int | None = None
    """How many whole lines it is, line ends included; None if it isn't whole lines."""


def at(document: Document, address: str) -> Span:
    """The empty span at `L:C`, before the character there."""
    found = _POINT.fullmatch(address)
    if not found:
        raise BadInput(f"--at {safe(address)}: write it as LINE:COLUMN, such as 12:5")
    offset = _offset(document, int(found[1]), int(found[2]), f"--at {address}")
    return Span(offset, offset)


def lines(document: Document, address: str) -> Span:
    """The whole lines `A:B`, both included, or the one line `A`."""
    found = _LINES.fullmatch(address)
    if not found:
        raise BadInput(f"--lines {safe(address)}: write it as FIRST:LAST, such as 12:18")
    first, last = int(found[1]), int(found[2] or found[1])
    if first > last:
        raise BadInput(f"--lines {address}: the first line is behind the last one")
    if first < 1 or last > document.line_count:
        raise BadInput(f"--lines {address}: outside the file, {_size(document)}")
    stop = document.line_starts[last] if last < len(document.line_starts) else len(document.text)
    return Span(document.line_starts[first - 1], stop, last - first + 1)


def apart(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans from the left; BadInput if two of them touch or there are too many."""
    ordered = sorted(spans, key=lambda span: span.start)
    if len(ordered) > HOLES_LIMIT:
        raise BadInput(f"at most {HOLES_LIMIT} spans are worked on at once")
    if any(right.start <= left.end for left, right in pairwise(ordered)):
        raise BadInput("two of the spans overlap or touch; make them one")
    return tuple(ordered)


def between(document: Document, address: str) -> Span:
    """The span from `L1:C1` up to, not including, the character at `L2:C2`."""
    found = _RANGE.fullmatch(address)
    if not found:
        hint = "write it as LINE:COLUMN-LINE:COLUMN, such as 12:5-14:1"
        raise BadInput(f"--range {safe(address)}: {hint}")
    numbers = [int(number) for number in found.groups()]
    start = _offset(document, numbers[0], numbers[1], f"--range {address}")
    end = _offset(document, numbers[2], numbers[3], f"--range {address}")
    if start > end:
        raise BadInput(f"--range {address}: it ends before it starts")
    return Span(start, end, _whole_lines(document.text, start, end))


def marked(document: Document, marker: str) -> tuple[Span, ...]:
    """The places where `marker` stands, from the left; each is a hole."""
    marker, shown = newlines.normalise(marker), safe(marker)
    spans: list[Span] = []
    start = document.text.find(marker)
    while start >= 0:
        spans.append(Span(start, start + len(marker)))
        start = document.text.find(marker, spans[-1].end)
    if not spans:
        raise BadInput(
            f"nothing says where to fill: there is no {shown} in the text; put one there, or use "
            "--at LINE:COLUMN, --lines FIRST:LAST or --range"
        )
    if len(spans) > HOLES_LIMIT:
        raise BadInput(
            f"{shown} stands in the text {len(spans)} times, and at most {HOLES_LIMIT} holes are "
            "filled at once; choose another with --marker, or use --at LINE:COLUMN"
        )
    for before, behind in pairwise(spans):
        if before.end == behind.start:
            line = document.position(behind.start)[0]
            raise BadInput(f"{shown} stands twice in a row in line {line}; once is enough")
    return tuple(spans)


def _offset(document: Document, line: int, column: int, address: str) -> int:
    """Offset of a 1-based position; the place behind the last character of a line is one."""
    if not 1 <= line <= len(document.line_starts):
        raise BadInput(f"{address}: outside the file, {_size(document)}")
    start = document.line_starts[line - 1]
    length = document.line_end(line) - start
    if not 1 <= column <= length + 1:
        raise BadInput(
            f"{address}: outside the file, line {line} has {length} characters, so its columns "
            f"are 1 to {length + 1}"
        )
    return start + column - 1


def _size(document: Document) -> str:
    count = document.line_count
    if not count:
        return "which is empty"
    return f"which has {count} line{'s' if count > 1 else ''}"


def _whole_lines(text: str, start: int, end: int) -> int | None:
    """How many lines [start, end) is when it starts a line and ends with one's line end."""
    starts_line = start == 0 or text[start - 1] == "\n"
    ends_line = end > start and text[end - 1] == "\n"
    return text.count("\n", start, end) if starts_line and ends_line else None
