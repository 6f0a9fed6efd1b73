"""A file's text as the model sees it, and the way back from an answer to the file's own text."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from clients.cli import newlines


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the raw characters [start, end) by `text`; everything else stays."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """Text with "\\n" line ends (`text`), and what is needed to put an answer back into `raw`."""

    raw: str
    text: str
    line_starts: tuple[int, ...]
    """Offset of every line in `text`; the last one may be the empty line after a final newline."""
    crlf: tuple[int, ...]
    path: str | None = None
    """The file's name as the engine is told it; it tells the language."""

    @classmethod
    def of(cls, raw: str, path: str | None = None) -> "Document":
        """The document whose raw text is `raw`."""
        text = newlines.normalise(raw)
        starts = [0]
        while (at := text.find("\n", starts[-1])) >= 0:
            starts.append(at + 1)
        return cls(raw, text, tuple(starts), newlines.crlf_positions(raw), path)

    @property
    def line_count(self) -> int:
        """Lines with text or a line end of their own; a final newline starts no further line."""
        return len(self.line_starts) - (self.line_starts[-1] == len(self.text))

    def line_end(self, line: int) -> int:
        """Offset behind the last character of 1-based `line`, its line end not counted."""
        if line < len(self.line_starts):
            return self.line_starts[line] - 1
        return len(self.text)

    def position(self, offset: int) -> tuple[int, int]:
        """1-based (line, column) of an offset into `text`."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def raw_offset(self, offset: int) -> int:
        """The offset into `raw` of an offset into `text`."""
        return offset + bisect_left(self.crlf, offset)

    def changed_by(self, edit: Edit) -> bool:
        """Whether an edit makes a difference."""
        return self.raw[edit.start : edit.end] != edit.text

    def edit(self, start: int, end: int, answer: str) -> Edit:
        """The edit that puts `answer` in place of `text[start:end]`, with the file's line ends."""
        raw_start, raw_end = self.raw_offset(start), self.raw_offset(end)
        old = self.raw[raw_start:raw_end]
        if newlines.normalise(answer) == self.text[start:end]:
            return Edit(raw_start, raw_end, old)
        new = newlines.restore(answer, old, newlines.dominant(self.raw))
        new = newlines.separate(new, self.raw[:raw_start], self.raw[raw_end:])
        return Edit(raw_start, raw_end, new)
