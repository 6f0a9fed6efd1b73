"""Merges an update snippet into a file by its anchors, line by line; no model, no guessing.

A snippet is pieces of new text with markers (`... existing code ...`) for what stays. Each piece
replaces the region of the file that begins where its first lines are found and ends where its last
lines are found. Whatever is found twice, or not at all, is refused.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

MARKER = re.compile(r"^\s*(?://|#|--|/\*|<!--|;|%|\"|\{/\*)?\s*\.{3}\s*existing code\s*\.{3}.*$")


class Unclear(Exception):
    """The snippet does not say beyond doubt what to replace."""


@dataclass(frozen=True, slots=True)
class Piece:
    """New lines, and whether the file goes on unchanged before and behind them."""

    lines: list[str]
    after_gap: bool
    before_gap: bool


def merge(original: str, snippet: str) -> str:
    """The file with the snippet in it; Unclear if it can't be told where."""
    lines, out, at = original.splitlines(keepends=True), "", 0
    bare = [line.rstrip() for line in lines]
    newline = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    for piece in pieces_of(snippet):
        start = _start(bare, at, piece)
        stop = _stop(bare, start, piece)
        out += "".join(lines[at:start]) + "".join(line + newline for line in piece.lines)
        at = stop
    out += "".join(lines[at:])
    return out if original.endswith("\n") or at < len(lines) else out.removesuffix(newline)


def pieces_of(snippet: str) -> list[Piece]:
    """The snippet cut at its markers; without any it is a piece in the middle of the file."""
    rows = snippet.strip("\n").split("\n")
    marks = [n for n, row in enumerate(rows) if MARKER.match(row)]
    edges = [-1, *marks, len(rows)]
    pieces = []
    for number, (left, right) in enumerate(pairwise(edges)):
        lines = [row.rstrip() for row in rows[left + 1 : right]]
        if any(lines):
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
    for size in range(1, len(piece.lines) + 1):
        head = piece.lines[:size]
        found = _places(bare, at, head)
        if len(found) == 1 and any(head):
            return found[0]
        if not found:
            break
    raise Unclear(f"It is unclear where this begins in the file: {piece.lines[0].strip()!r}")


def _stop(bare: list[str], start: int, piece: Piece) -> int:
    """The line behind the piece's region."""
    if not piece.before_gap:
        return len(bare)
    for size in range(1, len(piece.lines) + 1):
        tail = piece.lines[-size:]
        found = _places(bare, start, tail)
        if len(found) == 1 and any(tail):
            return found[0] + size
        if not found:
            break
    raise Unclear(f"It is unclear where this ends in the file: {piece.lines[-1].strip()!r}")


def _places(bare: list[str], at: int, block: list[str]) -> list[int]:
    """Where these lines stand one below the other."""
    last = len(bare) - len(block)
    return [n for n in range(at, last + 1) if bare[n : n + len(block)] == block]
