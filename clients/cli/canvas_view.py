"""A picture of the canvas in its context, as styled rows that fit a given width and height.

Pure: cells and text in, rows out. Masks are known by state, never by a glyph in the text.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from clients.cli.address import Span
from clients.cli.canvas import Canvas
from clients.cli.document import Document
from clients.cli.glyphs import units
from clients.cli.request import Job
from clients.cli.rows import Piece, Row, Style, merged, row

MASK, THROWN = "\u2592", "\u2591"
_GUTTER = "\u2502"
_LEAST = 3
"""Rows for which another hole is shown too."""
_MARGIN = 1
"""Columns left free at the right, for terminals that wrap early or disagree on a width."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What stands around the hole: some lines before, some behind, and the first line's number.

    With several holes `rest` has the scenes of the others; numbers are the file's as it was read.
    """

    before: str
    after: str
    first_line: int
    whole_lines: bool
    rest: tuple["Scene", ...] = ()


@dataclass(frozen=True, slots=True)
class Size:
    """Room for the picture, in terminal cells."""

    width: int
    height: int


def scene(job: Job, context: int) -> Scene:
    """The scenes of a job with `context` whole lines on either side of each hole."""
    first, *rest = (_around(job.document, span, context) for span in job.canvases)
    return replace(first, rest=tuple(rest))


def _around(document: Document, span: Span, context: int) -> Scene:
    text = document.text
    line = document.position(span.start)[0]
    first = max(1, line - context)
    before = text[document.line_starts[first - 1] : span.start]
    after = text[span.end :].split("\n", context + 1)[: context + (0 if span.lines else 1)]
    while after and not after[-1] and span.lines:
        after.pop()
    return Scene(before, "\n".join(after), first, bool(span.lines))


def compose(view: Scene, canvas: Canvas, size: Size, since: int = 0) -> list[Row]:
    """The rows of one frame: the hole in its context, the hole first where room is short.

    Slots that changed after update `since` are marked as news. Several holes stand one below the
    other, each in its own context.
    """
    if not view.rest:
        return _picture(view, canvas, size, since)
    scenes = list(zip([view, *view.rest], canvas.all, strict=True))
    room = max(1, size.height // _LEAST)
    first = min(_at_work(canvas), max(0, len(scenes) - room))
    shown = scenes[first : first + room]
    share = Size(size.width, max(1, size.height // len(shown) - 1))
    rows: list[Row] = []
    for scene_, own in shown:
        rows += [row("\u22ef", "dim")] if rows else []
        rows += _picture(scene_, own, share, since)
    return rows


def _at_work(canvas: Canvas) -> int:
    """The first canvas that is not finished, else the last one."""
    canvases = canvas.all
    unfinished = (n for n, own in enumerate(canvases) if not own.cells or None in own.cells)
    return next(unfinished, len(canvases) - 1)


def _picture(view: Scene, canvas: Canvas, size: Size, since: int) -> list[Row]:
    """One hole in its context."""
    lines = _lines(view, canvas, since)
    digits = max(3, len(str(view.first_line + len(lines))))
    room = max(8, size.width - digits - 3 - _MARGIN)
    rows: list[Row] = []
    wanted: list[int] = []
    for number, (pieces, in_hole) in enumerate(lines, view.first_line):
        shown = list(_fitted(pieces, room, in_hole))
        if in_hole:
            wanted.extend(range(len(rows), len(rows) + len(shown)))
        labels = [str(number), *[""] * (len(shown) - 1)]
        rows += [_numbered(label, digits, part) for label, part in zip(labels, shown, strict=True)]
    return _window(rows, wanted, _focus(rows, wanted), max(1, size.height))


def _lines(view: Scene, canvas: Canvas, since: int) -> list[tuple[list[Piece], bool]]:
    """Logical lines as pieces, and whether each has a part of the hole."""
    lines: list[tuple[list[Piece], bool]] = [([], False)]
    for text, style, in_hole in _parts(view, canvas, since):
        for index, part in enumerate(text.split("\n")):
            if index:
                lines.append(([], False))
            pieces, holds = lines[-1]
            if part:
                pieces.append((part, style))
            lines[-1] = (pieces, holds or (in_hole and bool(part)))
    if len(lines) > 1 and not lines[-1][0]:
        lines.pop()
    return lines


def _parts(view: Scene, canvas: Canvas, since: int) -> Iterator[tuple[str, Style, bool]]:
    """(text, style, belongs to the hole) of everything shown, in reading order."""
    yield view.before, "dim", False
    last = ""
    for slot, cell in enumerate(canvas.cells):
        text, style = _slot(cell, canvas.is_new(slot, since))
        yield text, style, True
        last = text or last
    if not canvas.cells:
        yield MASK, "mask", True
        last = MASK
    if view.whole_lines and not last.endswith("\n"):
        yield "\n", "dim", False
    yield view.after, "dim", False


def _slot(cell: str | None, is_new: bool) -> tuple[str, Style]:
    if cell is None:
        return (THROWN, "thrown") if is_new else (MASK, "mask")
    return cell, "fresh" if is_new else "plain"


def _fitted(pieces: list[Piece], room: int, in_hole: bool) -> Iterator[Row]:
    """A logical line wrapped to `room` if it is the hole's, else cut to one row."""
    near = _near_hole(pieces, room) if in_hole else pieces
    chars = ((char, style) for text, style in near for char in text)
    part: list[Piece] = []
    used = 0
    for text, style, width in units(chars):
        if used + width > room:
            if not in_hole:
                yield (*merged(part[:-1]), ("\u2026", "dim"))
                return
            yield tuple(merged(part))
            part, used = [], 0
        part.append((text, style))
        used += width
    yield tuple(merged(part))


def _near_hole(pieces: list[Piece], room: int) -> list[Piece]:
    """The pieces with the fixed text of the hole's own line cut to what stands next to it."""
    cut: list[Piece] = []
    for index, (text, style) in enumerate(pieces):
        keep = text
        if style == "dim" and len(text) > room:
            keep = "\u2026" + text[-room + 1 :] if index == 0 else text[: room - 1] + "\u2026"
        cut.append((keep, style))
    return cut


def _numbered(label: str, digits: int, part: Row) -> Row:
    return ((f"{label:>{digits}} {_GUTTER} ", "dim"), *part)


def _focus(rows: list[Row], wanted: list[int]) -> int:
    """The row to keep in sight: the first with news, else the first mask, else the hole's end."""
    for styles in ({"fresh", "thrown"}, {"mask"}):
        for index in wanted:
            if any(style in styles for _, style in rows[index]):
                return index
    return wanted[-1] if wanted else 0


def _window(rows: list[Row], wanted: list[int], focus: int, height: int) -> list[Row]:
    """At most `height` rows: all of the hole and context around it, or the part around `focus`."""
    if len(rows) <= height:
        return rows
    first, last = (wanted[0], wanted[-1]) if wanted else (0, 0)
    centre = focus if last - first + 1 > height else (first + last) // 2
    start = min(max(0, centre - height // 2), len(rows) - height)
    return rows[start : start + height]
