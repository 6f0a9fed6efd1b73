"""What a comment in the document asks for: `# retouch: use a set here`. Pure."""

import re
from dataclasses import dataclass

from lsp_server.reading.spans import Span
from protocol.limits import INSTRUCTION_LIMIT

_LEADER = r"(?P<leader>#+|//[/!]?|--+|;+|%+|/\*+|<!--|\*|\")"
_ASKS = re.compile(rf"[ \t]*{_LEADER}[ \t]*retouch:(?P<words>.*)", re.IGNORECASE)
_BLANK = " \t\r"
MOST_LINES = 400
"""Lines of a selection that are looked at."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An instruction and the whole lines of the comment that holds it."""

    instruction: str
    comment: Span


def asked(text: str, span: Span) -> Asked | None:
    """The first such comment in the lines of `span`, else one that ends directly above them.

    Comment lines directly below belong to it.
    """
    start = text.rfind("\n", 0, span.start) + 1
    lines = _lines(text, start, max(span.stop, start + 1))
    for number in range(len(lines)):
        if found := _comment(text, lines, number):
            return found
    above = _above(text, start)
    for number in reversed(range(len(above))):
        found = _comment(text, above, number)
        if found is not None:
            return found if found.comment.stop == start else None
    return None


def without(text: str, span: Span, comment: Span) -> str:
    """The text of `span` without the lines of a comment in it."""
    start, stop = max(span.start, comment.start), min(span.stop, comment.stop)
    if start >= stop:
        return text[span.start : span.stop]
    return text[span.start : start] + text[stop : span.stop]


def _lines(text: str, start: int, stop: int) -> list[Span]:
    """The lines, with their line feeds, that begin in [start, stop)."""
    lines: list[Span] = []
    while start < stop and start <= len(text) and len(lines) < MOST_LINES:
        end = text.find("\n", start)
        end = len(text) if end < 0 else end + 1
        lines.append(Span(start, end))
        start = max(end, start + 1)
    return lines


def _above(text: str, start: int, most: int = 12) -> list[Span]:
    """The last lines before the one at `start`."""
    lines: list[Span] = []
    while start > 0 and len(lines) < most:
        begin = text.rfind("\n", 0, start - 1) + 1
        lines.append(Span(begin, start))
        start = begin
    return lines[::-1]


def _comment(text: str, lines: list[Span], number: int) -> Asked | None:
    """The comment that begins in a line."""
    line = text[lines[number].start : lines[number].stop].rstrip("\n")
    match = _ASKS.fullmatch(line)
    if match is None:
        return None
    words, stop = [_unclosed(match["words"])], lines[number].stop
    leader = match["leader"]
    for below in lines[number + 1 :]:
        more = text[below.start : below.stop].rstrip("\n").lstrip(" \t")
        if not more.startswith(leader) or leader in ("<!--", "/*"):
            break
        words.append(more.removeprefix(leader).strip(_BLANK))
        stop = below.stop
    instruction = " ".join(word for word in words if word)[:INSTRUCTION_LIMIT]
    return Asked(instruction, Span(lines[number].start, stop)) if instruction else None


def _unclosed(words: str) -> str:
    """What a comment says, without the sign that ends it."""
    words = words.strip(_BLANK)
    for closer in ("*/", "-->"):
        if words.endswith(closer):
            return words.removesuffix(closer).rstrip(_BLANK)
    return words
