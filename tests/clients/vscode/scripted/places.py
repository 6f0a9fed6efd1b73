"""Spans of documents; columns are characters, which is enough for the script's own files."""

from collections.abc import Sequence
from typing import Any

from lsprotocol import types


def span_of(line: int, start: int, last: int, stop: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(last, stop))


def text_in(lines: Sequence[str], span: types.Range) -> str:
    """The text of a span."""
    chosen = list(lines[span.start.line : span.end.line + 1])
    if not chosen:
        return ""
    chosen[-1] = chosen[-1][: span.end.character]
    chosen[0] = chosen[0][span.start.character :]
    return "".join(chosen).replace("\r\n", "\n")


def moved(span: types.Range, change: Any) -> types.Range | None:
    """`span` after a change of the document; None if it was touched. Counts whole lines only."""
    where = change.range
    lines = change.text.count("\n") - (where.end.line - where.start.line)
    if (where.start.line, where.start.character) >= (span.end.line, span.end.character):
        return span
    if (where.end.line, where.end.character) > (span.start.line, span.start.character):
        return None
    if where.end.line == span.start.line:
        return None
    start = types.Position(span.start.line + lines, span.start.character)
    return types.Range(start, types.Position(span.end.line + lines, span.end.character))
