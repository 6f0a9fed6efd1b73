"""Merges an update snippet into a file by its anchors, line by line; no model, no guessing.

A snippet is pieces of new text with markers (`... existing code ...`) for what stays. Each piece
replaces the region of the file that begins where its first lines are found and ends where its last
lines are found. Whatever is found twice, or not at all, is refused.
"""

import re
from dataclasses import dataclass
from heapq import nlargest
from itertools import pairwise

MARKER = re.compile(r"(?://|#|--|/\*|<!--|;|%|\"|\{/\*)?\s*\.{3}\s*existing code\s*\.{3}")
"""How a marker begins, behind the blanks of its row."""
MOST_WORK = 4_000_000
"""Lines of the file times pieces of the snippet: each piece is looked for in the whole file."""


class Unclear(Exception):
    """The snippet does not say beyond doubt what to replace."""


class TooMuch(Exception):
    """File and snippet are too large together."""


@dataclass(frozen=True, slots=True)
class Piece:
    """New lines, and whether the file goes on unchanged before and behind them."""

    lines: list[str]
    after_gap: bool
    before_gap: bool

    @property
    def bare(self) -> list[str]:
        """The lines as they are compared: blanks at the end of a line make no difference."""
        return [line.rstrip() for line in self.lines]


def merge(original: str, snippet: str) -> str:
    """The file with the snippet in it; Unclear if it can't be told where, TooMuch."""
    lines, out, at = original.splitlines(keepends=True), list[str](), 0
    bare = [line.rstrip() for line in lines]
    newline = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    pieces = pieces_of(snippet)
    if len(pieces) * len(lines) > MOST_WORK:
        raise TooMuch(f"{len(pieces)} pieces are too many for a file of {len(lines)} lines.")
    for piece in pieces:
        start = _start(bare, at, piece)
        stop = _stop(bare, start, piece)
        out += [*lines[at:start], *(line + newline for line in piece.lines)]
        at = stop
    text = "".join([*out, *lines[at:]])
    return text if original.endswith("\n") or at < len(lines) else text.removesuffix(newline)


def pieces_of(snippet: str) -> list[Piece]:
    """The snippet cut at its markers; without any it is a piece in the middle of the file."""
    rows = snippet.strip("\n").split("\n")
    marks = [n for n, row in enumerate(rows) if MARKER.match(row.lstrip())]
    edges = [-1, *marks, len(rows)]
    pieces = []
    for number, (left, right) in enumerate(pairwise(edges)):
        lines = [row.removesuffix("\r") for row in rows[left + 1 : right]]
        if any(line.strip() for line in lines):
            after = number > 0 or not marks
            before = number < len(edges) - 2 or not marks
            pieces.append(Piece(lines, after, before))
    if not pieces:
        raise Unclear("The snippet has no new lines.")
    return pieces


def _start(bare: list[str], at: int, piece: Piece) -> int:
    """The line of the file where the piece's region begins."""
    if not piece.after_gap:
        return 0
    place = _only_place(piece.bare, bare[at:])
    if place is None:
        raise Unclear(f"It is unclear where this begins in the file: {piece.lines[0].strip()!r}")
    return at + place


def _stop(bare: list[str], start: int, piece: Piece) -> int:
    """The line behind the piece's region."""
    if not piece.before_gap:
        return len(bare)
    place = _only_place(piece.bare[::-1], bare[start:][::-1])
    if place is None:
        raise Unclear(f"It is unclear where this ends in the file: {piece.lines[-1].strip()!r}")
    return len(bare) - place


def _only_place(block: list[str], lines: list[str]) -> int | None:
    """Where alone the first lines of a block stand: as few as will do, but not just blank ones."""
    sizes = _matches(block, lines)
    longest, second = nlargest(2, [*sizes, 0, 0])
    blank = next(n for n, line in enumerate(block) if line)
    return sizes.index(longest) if max(second, blank) < longest else None


def _matches(block: list[str], lines: list[str]) -> list[int]:
    """How many of the first lines of a block stand at each place (the Z algorithm: linear)."""
    both = [*block, None, *lines]
    sizes, left, right = [0] * len(both), 0, 0
    for n in range(1, len(both)):
        size = min(sizes[n - left], right - n) if n < right else 0
        while n + size < len(both) and both[size] == both[n + size]:
            size += 1
        sizes[n] = size
        if n + size > right:
            left, right = n, n + size
    return sizes[len(block) + 1 :]
