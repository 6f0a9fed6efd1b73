"""The unified diff of edits: as text that `patch` takes, and as rows for a person."""

import difflib
import re
from collections.abc import Iterator, Sequence

from clients.cli.document import Edit
from clients.cli.errors import BadInput
from clients.cli.rows import Row, Style, row
from clients.cli.text_file import Source

BOM = "\ufeff"
_CONTEXT = 3
_HEAD = 2
"""Lines that name the files, before the first hunk."""
_HUNK = re.compile(r"@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_LONE_CR = re.compile(r"\r(?!\n)")


def refuse_unpatchable(source: Source) -> None:
    """BadInput for a file of which no diff can be made that `patch` takes."""
    kind = None
    if source.encoding != "utf-8":
        kind = "is UTF-16, and a diff is UTF-8"
    elif _LONE_CR.search(source.text):
        kind = "has lines that end with CR alone, which `patch` doesn't know"
    if kind:
        raise BadInput(f"--diff: {source.name} {kind}; leave it out, or use --in-place")


def of_source(source: Source, edits: Sequence[Edit]) -> list[str]:
    """The diff of a file as it is, so with its byte order mark."""
    mark = BOM if source.bom and source.encoding == "utf-8" else ""
    moved = [Edit(e.start + len(mark), e.end + len(mark), e.text) for e in edits]
    return unified(mark + source.text, moved, source.name)


def unified(raw: str, edits: Sequence[Edit], name: str) -> list[str]:
    """Lines of the diff, each with its line end; none if nothing changes.

    Only the lines around the edits are compared, so the cost doesn't grow with the file.
    """
    title = name + "\t" if " " in name else name  # else `patch` takes it up to the blank
    lines: list[str] = []
    grown = 0  # lines that the edits so far have added
    for start, stop, group in _groups(raw, edits):
        first = len(_LINE.findall(raw[:start]))
        old, new = _LINE.findall(raw[start:stop]), _LINE.findall(_applied(raw, start, stop, group))
        found = list(difflib.unified_diff(old, new, title, title, n=_CONTEXT))
        for text in found[_HEAD:] if lines else found:
            lines += _finished(_shifted(text, first, first + grown))
        grown += len(new) - len(old)
    return lines


def _groups(raw: str, edits: Sequence[Edit]) -> list[tuple[int, int, list[Edit]]]:
    """(start, stop, edits) of stretches of `raw` that hold edits and their context."""
    groups: list[tuple[int, int, list[Edit]]] = []
    for edit in edits:
        start, stop = _context_start(raw, edit.start), _context_stop(raw, edit.end)
        if groups and start <= groups[-1][1]:
            first, end, group = groups.pop()
            groups.append((first, max(end, stop), [*group, edit]))
        else:
            groups.append((start, stop, [edit]))
    return groups


def _applied(raw: str, start: int, stop: int, edits: Sequence[Edit]) -> str:
    """`raw[start:stop]` after the edits in it."""
    parts = []
    for edit in edits:
        parts += [raw[start : edit.start], edit.text]
        start = edit.end
    return "".join([*parts, raw[start:stop]])


def rows(lines: list[str]) -> Iterator[Row]:
    """The diff for a person: one styled row a line, nothing in it that drives the terminal."""
    for index, line in enumerate(lines):
        yield row(line.rstrip("\r\n"), _style(line, header=index < 2))


def _style(line: str, header: bool) -> Style:
    if header:
        return "title"
    styles: dict[str, Style] = {"+": "added", "-": "removed", "@": "place", "\\": "dim"}
    return styles.get(line[:1], "plain")


def _context_start(raw: str, start: int) -> int:
    """Where the compared text begins: some lines before the edit's first one."""
    lines = _LINE.findall(raw[:start])
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines.pop()
    return sum(map(len, lines[: max(0, len(lines) - _CONTEXT)]))


def _context_stop(raw: str, end: int) -> int:
    """Where the compared text ends: behind the edit's last line and the context."""
    stop = end
    for _ in range(_CONTEXT + 1):
        found = _LINE.match(raw, stop)
        if not found:
            break
        stop = found.end()
    return stop


def _shifted(line: str, before: int, after: int) -> str:
    """A hunk's head with its line numbers counted from the top of the file."""
    found = _HUNK.match(line)
    if not found:
        return line
    old, new = int(found[1]) + before, int(found[3]) + after
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
