"""The unified diff of one edit: as text that `patch` takes, and as rows for a person."""

import difflib
import re
from collections.abc import Iterator

from clients.cli.document import Edit
from clients.cli.rows import Row, Style, row

_CONTEXT = 3
_HUNK = re.compile(r"@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def unified(raw: str, edit: Edit, name: str) -> list[str]:
    """Lines of the diff, each with its line end; none if nothing changes.

    Only the lines around the edit are compared, so the cost doesn't grow with the file.
    """
    start, first = _context_start(raw, edit.start)
    stop = _context_stop(raw, edit.end)
    old = raw[start:stop]
    new = raw[start : edit.start] + edit.text + raw[edit.end : stop]
    found = difflib.unified_diff(_LINE.findall(old), _LINE.findall(new), name, name, n=_CONTEXT)
    return [line for text in found for line in _finished(_shifted(text, first))]


def rows(lines: list[str]) -> Iterator[Row]:
    """The diff for a person: one styled row a line, nothing in it that drives the terminal."""
    for index, line in enumerate(lines):
        yield row(line.rstrip("\r\n"), _style(line, header=index < 2))


def _style(line: str, header: bool) -> Style:
    if header:
        return "title"
    styles: dict[str, Style] = {"+": "added", "-": "removed", "@": "place", "\\": "dim"}
    return styles.get(line[:1], "plain")


def _context_start(raw: str, start: int) -> tuple[int, int]:
    """Where the compared text begins, and how many lines stand before it."""
    lines = _LINE.findall(raw[:start])
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines.pop()
    before = lines[: max(0, len(lines) - _CONTEXT)]
    return sum(map(len, before)), len(before)


def _context_stop(raw: str, end: int) -> int:
    """Where the compared text ends: behind the edit's last line and the context."""
    stop = end
    for _ in range(_CONTEXT + 1):
        found = _LINE.match(raw, stop)
        if not found:
            break
        stop = found.end()
    return stop


def _shifted(line: str, by: int) -> str:
    """A hunk's head with its line numbers counted from the top of the file."""
    found = _HUNK.match(line)
    if not found:
        return line
    old, new = int(found[1]) + by, int(found[3]) + by
    return f"@@ -{old}{found[2]} +{new}{found[4]} @@{line[found.end() :]}"


def _finished(line: str) -> Iterator[str]:
    """The line with a line end; a lone CR becomes LF, and a missing one is said as diff does."""
    if line.endswith("\n"):
        yield line
    elif line.endswith("\r"):
        yield line[:-1] + "\n"
    else:
        yield line + "\n"
        yield "\\ No newline at end of file\n"
