"""The shape of a hole: what moves across its edges, when its text is complete, where it is cut.

By lines alone: text in, text out; no tokens and no model.
"""

from dataclasses import dataclass

from protocol.messages import ShapeName

MATCHED_REST = 12
OPENING, CLOSING = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class Hole:
    """A hole between two texts.

    Attributes:
        prefix, suffix: the texts as the model sees them.
        shape: how the answer ends.
        lines: for `block`, the lines asked for.
        whole_lines: the hole is made of whole lines; its closing newline is put back.
        rest: for `span`, what stands right of the hole on its line.
    """

    prefix: str
    suffix: str
    shape: ShapeName
    lines: int
    whole_lines: bool
    rest: str

    def is_complete(self, text: str) -> bool:
        """Whether `text`, so far, holds the whole answer."""
        return self._cut(text) is not None

    def answer(self, text: str) -> str:
        """The part of `text` that belongs into the document."""
        cut = self._cut(text)
        body = (self._body(text) if cut is None else cut).rstrip("\n" if self.whole_lines else "")
        return body + "\n" if self.whole_lines and body else body

    def leading(self, text: str) -> int:
        """Characters at the start of `text` that the answer leaves out."""
        return len(text) - len(self._body(text))

    def _body(self, text: str) -> str:
        """Without the blank lines a model may put before whole lines."""
        if not self.whole_lines:
            return text
        stripped = text.lstrip()
        return text[text.rfind("\n", 0, len(text) - len(stripped)) + 1 :]

    def _cut(self, text: str) -> str | None:
        """The finished answer without its closing newline, or None if it goes on."""
        body = self._body(text)
        if self.whole_lines and not body.strip():
            return None
        if self.shape == "span":
            return self._cut_span(body)
        pieces = body.split("\n")
        return "\n".join(pieces[: self.lines]) if len(pieces) > self.lines else None

    def _cut_span(self, body: str) -> str | None:
        """Up to the end of the line, or to where the rest of the line would be repeated."""
        line, newline, _ = body.partition("\n")
        begin = self.rest[:MATCHED_REST]
        for at in range(len(line)) if begin else ():
            if line.startswith(begin, at) and _balanced(line[:at]):
                return line[:at]
        return line if newline else None


def shape_hole(prefix: str, suffix: str, shape: ShapeName, lines: int | None) -> Hole:
    """Tell the shape of the hole between `prefix` and `suffix`; `auto` is decided here.

    A hole of whole lines is asked with a newline in front of the suffix.
    """
    at_line_start = not prefix or prefix.endswith("\n")
    at_line_end = not suffix or suffix.startswith("\n")
    whole = shape != "span" and at_line_start and not suffix.startswith("\n")
    if shape == "auto":
        shape = "line" if whole or at_line_end else "span"
    return Hole(
        prefix=prefix,
        suffix="\n" + suffix if whole and suffix else suffix,
        shape=shape,
        lines=lines or 1 if shape == "block" else 1,
        whole_lines=whole,
        rest="" if shape != "span" else suffix.partition("\n")[0].rstrip(),
    )


def _balanced(text: str) -> bool:
    """Whether every bracket that `text` closes was opened in it, and none stays open."""
    depth = 0
    for character in text:
        depth += (character in OPENING) - (character in CLOSING)
        if depth < 0:
            return False
    return depth == 0
