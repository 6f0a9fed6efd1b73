"""Owns what the lexer makes of the text before a hole: its end state, and its last lines."""

import re
from dataclasses import dataclass

from engine.shape.indent import columns, leading
from engine.shape.languages import Language
from engine.shape.lexis import Lexis
from engine.shape.scanner import Mark, State, scan

VIEW_LINES = 400
OPENER_LIMIT = 400


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its comments, the inside of its strings made unreadable.

    Attributes:
        code: the text, of the same length as in the file.
        depth, low: open brackets at its start, and the fewest within it.
        literal: it starts inside a string or a comment.
        inside: what closes the innermost bracket open at its start, "" if none is.
    """

    code: str
    depth: int = 0
    low: int = 0
    literal: bool = False
    inside: str = ""

    @property
    def blank(self) -> bool:
        return not self.code.strip()

    @property
    def indent(self) -> str:
        return self.code[: len(self.code) - len(self.code.lstrip())]


@dataclass(frozen=True, slots=True)
class Survey:
    """The state at the end of a text and its last lines, the unfinished one included.

    `before` is the state before the last character. `columns` tells for each bracket open at the
    end, outermost first, where its line begins.
    """

    state: State
    before: State
    lines: tuple[Line, ...]
    columns: tuple[int, ...]

    def opener(self, language: Language) -> int | None:
        """Index of the line that opens a block in which nothing stands yet.

        For a header of several lines it is the first of them.
        """
        last = self.last_code()
        if last is None:
            return None
        first, code = self.logical_start(last), self.lines[last].code.rstrip()
        if not re.search(language.opener, code[-OPENER_LIMIT:]):
            return None
        if code.endswith(":") and not re.match(language.header, self.lines[first].code.lstrip()):
            return None
        return first

    def opens_with(self, index: int, pattern: str) -> bool:
        """Whether the line that opens a block, perhaps with the one above it, has a pattern."""
        lines = self.lines[max(0, index - 1) : index + 1]
        return bool(re.search(pattern, "\n".join(line.code[-OPENER_LIMIT:] for line in lines)))

    def last_code(self) -> int | None:
        """Index of the last line that holds code."""
        for index in range(len(self.lines) - 1, -1, -1):
            if not self.lines[index].blank:
                return index
        return None

    def logical_start(self, index: int) -> int:
        """The line where the statement that ends on line `index` starts, by open brackets."""
        low = self.lines[index].low
        while index > 0 and (self.lines[index].depth > low or self.lines[index].literal):
            index -= 1
            low = min(low, self.lines[index].low)
        return index


def survey(lexis: Lexis, text: str) -> Survey:
    """Read `text` from its start, where it is taken to be code."""
    marks = list(scan(lexis, text, State()))
    state = marks[-1].state if marks else State()
    earlier = next((mark.state for mark in reversed(marks) if mark.stop < len(text)), State())
    lines: list[Line] = []
    start, index, before = 0, 0, State()
    opened: dict[int, int] = {}
    for code in _view(lexis, text, marks).split("\n"):
        depth = low = before.depth
        inside = before.frame.closer if before.frame else ""
        literal = before.literal is not None
        while index < len(marks) and marks[index].start <= start + len(code):
            before = marks[index].state
            if marks[index].kind == "open":
                opened[before.depth] = columns(leading(code))
            low, index = min(low, before.depth), index + 1
        lines.append(Line(code, depth, low, literal, inside))
        start += len(code) + 1
    begun = tuple(opened[depth] for depth in range(1, state.depth + 1))
    return Survey(state, earlier, tuple(lines[-VIEW_LINES:]), begun)


def _view(lexis: Lexis, text: str, marks: list[Mark]) -> str:
    """`text` with comments blanked and the inside of strings replaced, line ends kept."""
    pieces, at = [], 0
    enter: Mark | None = None
    for mark in marks:
        if enter is None:
            enter = mark if mark.kind == "enter" else None
        elif mark.kind in ("leave", "broken") and mark.state.depth <= enter.state.depth:
            pieces += [text[at : enter.start], _filled(lexis, text, enter, mark.stop)]
            at, enter = mark.stop, None
    if enter is not None:
        pieces += [text[at : enter.start], _filled(lexis, text, enter, len(text))]
        at = len(text)
    return "".join([*pieces, text[at:]])


def _filled(lexis: Lexis, text: str, enter: Mark, stop: int) -> str:
    """What stands in the view for the literal that `enter` opens: blanks for what is no code."""
    literal = enter.state.literal
    assert literal is not None
    docstring = lexis.docstrings and literal.quote.lines and not enter.state.depth
    before = text[text.rfind("\n", 0, enter.start) + 1 : enter.start]
    blank = literal.quote.comment or (docstring and not before.strip())
    return re.sub(r"[^\n]", " " if blank else '"', text[enter.start : stop])
