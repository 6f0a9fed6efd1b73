"""Places in a text that wait to be filled: `...`, TODO, `___` and `<fill>`. Pure.

- `<fill>` is one anywhere but in strings of code.
- `___` (three or more) is one where it stands alone in code.
- `...` is one as a statement: alone on its line, or what a Python header line ends with. Not in
  stubs and not under `@overload` or `@abstractmethod`, where it says what it means.
- TODO or FIXME is one as a statement or as all that is assigned or returned; a comment with it is
  one where it is all that a block holds (it stays, the block's text comes below it).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lsp_server.reading.lexing import Reading, read
from protocol.values import ShapeName

DATA = frozenset({"json", "jsonc", "yaml", "toml", "html", "xml", "markdown", "plaintext", "css"})
"""Languages whose strings are the text, and where TODO is a word like any other."""
_HEADER = re.compile(
    r"[ \t]*(?:(?:async|def|class|if|elif|else|for|while|with|try|except|finally|match|case)\b|\))"
)
_MARKS = re.compile(r"<fill>|(?<!\w)_{3,}(?!\w)")
_DOTS = re.compile(
    r"^(?P<white>[ \t]*)(?P<hole>\.\.\.[ \t]*(?:#[^\r\n]*)?)(?=\r?$)"
    r"|^(?P<head>[^\r\n]*:[ \t]*)(?P<tail>\.\.\.)(?=[ \t]*(?:#[^\r\n]*)?\r?$)",
    re.M,
)
_WORD = re.compile(
    r"^(?P<before>[ \t]*|[^\r\n]*(?:=>?|->|\breturn|\byield)[ \t]*)"
    r"(?P<hole>(?:TODO|FIXME)(?:\(\))?|(?:todo|unimplemented)!\([^()\r\n]*\)|pass[ \t]*#[ \t]*"
    r"(?:TODO|FIXME)\b[^\r\n]*)(?P<after>[ \t]*;?[ \t]*)(?=\r?$)",
    re.M,
)
_COMMENT = re.compile(
    r"(?:^[ \t]*(?:#|//|--)[ \t]*(?:TODO|FIXME)\b[^\r\n]*(?:\r?\n[ \t]*(?:#|//|--)[^\r\n]*)*)", re.M
)
_OPENS = re.compile(r"(?:[:{]|\b(?:then|do|else))[ \t]*$")
_DECORATED = re.compile(r"[ \t]*@(?:\w+\.)*(?:overload|abstractmethod)\b")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Characters [start, stop) that an answer of this shape replaces.

    Attributes:
        lead: text that belongs before the answer, such as the start of a line of its own.
    """

    start: int
    stop: int
    shape: ShapeName
    lead: str = ""


def placeholders(
    text: str, language: str, start: int, stop: int, stub: bool = False
) -> list[Placeholder]:
    """The placeholders that lie in characters [start, stop) of a text, from the left.

    `stub`: the text is a Python stub, where `...` is no placeholder. Holes with nothing between
    them are one.
    """
    reading = read(text, language)
    found = [*_marks(text, language, reading)]
    if language not in DATA:
        found += _words(text, reading)
        found += _comments(text, reading)
        found += [] if stub else _dots(text, language, reading)
    inside = [hole for hole in found if start <= hole.start and hole.stop <= stop]
    return _apart(sorted(inside, key=lambda hole: (hole.start, hole.stop)))


def _marks(text: str, language: str, reading: Reading) -> Iterator[Placeholder]:
    for mark in _MARKS.finditer(text):
        kind = reading.kind(mark.start())
        if mark[0] == "<fill>":
            wanted = language in DATA or kind != "string"
        else:
            wanted = kind == "code" and language not in ("markdown", "plaintext")
        if wanted:
            yield Placeholder(mark.start(), mark.end(), _shape(text, mark.start(), mark.end()))


def _dots(text: str, language: str, reading: Reading) -> Iterator[Placeholder]:
    for mark in _DOTS.finditer(text):
        alone = mark["hole"] is not None
        start, stop = mark.span("hole" if alone else "tail")
        if reading.kind(start) != "code" or reading.depth(start):
            continue
        if language == "python" and _means_it(text, mark.start(), alone):
            continue
        if alone:
            yield Placeholder(start, stop, "block")
        elif language == "python" and _HEADER.match(mark["head"]):
            yield Placeholder(start, stop, "line")


def _means_it(text: str, start: int, alone: bool) -> bool:
    """Whether the definition whose `...` lies in the line at `start` is declared to have none."""
    lines = text[max(0, start - 2048) : start].split("\n")[:-1]
    if alone and lines:
        lines.pop()  # the header
    while lines and lines[-1].lstrip().startswith("@"):
        if _DECORATED.match(lines.pop()):
            return True
    return False


def _words(text: str, reading: Reading) -> Iterator[Placeholder]:
    for mark in _WORD.finditer(text):
        start, stop = mark.span("hole")
        if reading.kind(start) == "code" and not reading.depth(start):
            alone = not mark["before"].strip() and not mark["after"].strip()
            yield Placeholder(start, stop, "block" if alone else _shape(text, start, stop))


def _comments(text: str, reading: Reading) -> Iterator[Placeholder]:
    """TODO comments that are all of a block; the hole is a new line below."""
    for mark in _COMMENT.finditer(text):
        white = re.match(r"[ \t]*", mark[0])
        assert white is not None
        if reading.kind(mark.start() + white.end()) != "comment" or not white[0]:
            continue
        before = text[: mark.start()].rstrip()
        after = re.compile(r"\s*?^([ \t]*)(\S)", re.M).search(text, mark.end())
        closed = after is None or after[2] == "}" or len(after[1]) < len(white[0])
        if _OPENS.search(before[-80:]) and closed:
            lead = ("\r\n" if "\r\n" in text else "\n") + white[0]
            yield Placeholder(mark.end(), mark.end(), "block", lead)


def _shape(text: str, start: int, stop: int) -> ShapeName:
    """A block where it is alone on its line, else the rest of the line, else a part of it."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    end = text.find("\n", stop)
    rest = text[stop : end if end >= 0 else len(text)]
    if rest.strip():
        return "span"
    return "line" if line.strip() else "block"


def _apart(holes: list[Placeholder]) -> list[Placeholder]:
    """Holes with text between them; what touches is one."""
    kept: list[Placeholder] = []
    for hole in holes:
        if kept and hole.start <= kept[-1].stop:
            last = kept.pop()
            shape = last.shape if last.shape == hole.shape else "span"
            hole = Placeholder(last.start, max(last.stop, hole.stop), shape, last.lead)
        kept.append(hole)
    return kept
