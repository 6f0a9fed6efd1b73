"""Owns where an answer ends: the first reason to stop, told while the text is still growing.

A reason found in a text stays the first one whatever follows: each is dated by the character
that settles it (`seen`), and the earliest date wins.
"""

import re

from engine.shape.indent import columns, leading
from engine.shape.rest import Rest, Stop, wordly
from engine.shape.scanner import Mark, State
from engine.shape.site import Site
from engine.shape.starts import telling
from protocol.messages import ShapeName


class Reader:
    """Reads texts that may fill one hole, from where the answer begins.

    `lines` is the most lines of an answer; with `grows`, of a line that opens a block and goes on
    to the end of that. `first` below is the column of its first line, apart from white space in the
    text itself.
    """

    def __init__(self, site: Site, shape: ShapeName, lines: int, grows: bool = False) -> None:
        self._site = site
        self._shape = shape
        self._lines = lines
        self._grows = grows
        self._rest = Rest(site)

    def stop(self, text: str, first: int, growing: bool = True) -> Stop | None:
        """The first reason to stop, None if there is none in `text`."""
        if self._shape == "span":
            return self._stop_span(text, growing)
        if self._shape == "block":
            return self._stop_block(text, first, growing)
        return self._stop_line(text, first, growing)

    def leaves(self, mark: Mark, before: State) -> bool:
        """Whether `mark` ends the literal the hole stands in, which ends after the hole again."""
        site = self._site
        return mark.kind == "leave" and site.literal_owed and before.literal is site.state.literal

    def _stop_span(self, text: str, growing: bool) -> Stop | None:
        found: Stop | None = None
        before, at, lines = self._site.state, 0, 0
        for mark in self._site.scan(text, growing):
            found = found or self._rest.key_at(text, at, mark.start, before)
            if found and found.seen <= mark.stop:
                return found
            if mark.kind == "pending":
                return None
            if self.leaves(mark, before):
                return Stop(self._rest.within_literal(text[: mark.start], before), mark.stop)
            if self._site.surplus(mark):
                return Stop(self._rest.within_bracket(text, mark), mark.stop)
            if mark.kind == "newline":
                lines += 1
                if lines >= self._lines or not self._bracketed(mark.state):
                    return Stop(mark.start, mark.stop)
            before, at = mark.state, mark.stop
        return found or self._rest.key_at(text, at, len(text), before)

    def _bracketed(self, state: State) -> bool:
        """Whether a line end here lies in a bracket opened in the hole or right before it."""
        return self._opened(state) or self._site.current.rstrip()[-1:] in tuple("([{")

    def first_surplus(self, text: str) -> tuple[int | None, bool]:
        """Offset of the first closer in `text` that seems one too many, and whether `text` opens
        again all that it closes, as `} else {` does."""
        found, state = None, self._site.state
        for mark in self._site.scan(text):
            if found is None and self._site.surplus(mark):
                found = mark.start
            state = mark.state
        return found, _closers(state) == _closers(self._site.state)

    def _stop_line(self, text: str, first: int, growing: bool) -> Stop | None:
        """At the line end; a surplus closer is left to the mending, which sees the whole line."""
        before, end = self._site.state, len(text)
        for mark in self._site.scan(text, growing):
            if mark.kind == "pending":
                return None
            if self.leaves(mark, before):
                return Stop(mark.start, mark.stop)
            before = mark.state
            if mark.kind == "newline":
                end = mark.start
                if self._grows and self._begins_block(text[:end], mark.state, first):
                    return self._stop_grown(text, first, growing)
                break
        else:
            if growing:
                return None
        if self._site.fresh and self._repeats(text[:end], first):
            return Stop(0, end + 1)
        return Stop(end, end + 1)

    def _begins_block(self, line: str, state: State, first: int) -> bool:
        """Whether the first line of an answer opens a block that doesn't stand below it already."""
        site, below = self._site, self._site.below
        if below is not None and columns(leading(below)) > self._column(line, first):
            return False
        return self._opened(state) or (state == site.state and self._is_header(line))

    def _is_header(self, line: str) -> bool:
        """Whether a line, with what stands left of the hole, asks for a deeper one below."""
        header = re.match(self._site.language.header, (self._site.current + line).lstrip())
        return self._closes_header(line) and header is not None

    def _column(self, line: str, first: int) -> int:
        """Where the line that an answer begins with begins."""
        own = columns(leading(self._site.current))
        return columns(leading(line)) + first if self._site.fresh else own

    def _stop_grown(self, text: str, first: int, growing: bool) -> Stop | None:
        """Where the block that the first line opens has ended."""
        before, lines, line, block = self._site.state, 0, 0, False
        floor = self._column(text, first)
        for mark in self._site.scan(text, growing):
            if mark.kind == "pending":
                return None
            if self.leaves(mark, before) or (line and self._site.surplus(mark)):
                return Stop(mark.start, mark.stop)
            if mark.kind == "newline":
                content = text[line : mark.start]
                lines += bool(content.strip())
                if line and self._repeats(content, 0):
                    return Stop(line, mark.stop)
                if lines >= self._lines:
                    return Stop(mark.start, mark.stop)
                line = mark.stop
                same = mark.state.literal is self._site.state.literal
                if same and not self._opened(mark.state):
                    block = block or self._closes_header(content)
                    seen = _left_of(text, line, floor) if block else mark.stop
                    if seen >= 0:
                        return Stop(mark.start, seen)
            before = mark.state
        return None

    def _closes_header(self, line: str) -> bool:
        return self._site.language.layout == "offside" and line.rstrip().endswith(":")

    def _stop_block(self, text: str, first: int, growing: bool) -> Stop | None:
        site, before, lines, line = self._site, self._site.state, 0, 0
        floor = self._floor(text, first)
        for mark in site.scan(text, growing):
            if mark.kind == "pending":
                return None
            if self.leaves(mark, before) or self._site.surplus(mark):
                return Stop(mark.start, mark.stop)
            if mark.kind == "newline":
                content = text[line : mark.start]
                lines += line > 0 or bool(content.strip())
                if self._repeats(content, 0 if line else first, floor) and (line or site.fresh):
                    return Stop(line, mark.stop)
                left = mark.state.depth < site.state.depth or self._left_literal(mark.state)
                if left or lines >= self._lines:
                    return Stop(mark.start, mark.stop)
                line = mark.stop
                floor = _first_columns(text[line:]) if floor is None else floor
                if mark.state.literal is site.state.literal and not self._opened(mark.state):
                    seen = self._dedent(text, line, floor, growing)
                    if seen is None or seen >= 0:
                        return None if seen is None else Stop(mark.start, seen)
            before = mark.state
        return None

    def _left_literal(self, state: State) -> bool:
        """Whether the string or comment that the hole stands in has ended."""
        literal = self._site.state.literal
        return literal is not None and literal.close != "\n" and state.literal is not literal

    def _opened(self, state: State) -> bool:
        """Whether a bracket opened in the hole is still open."""
        return state.frame is not None and not self._site.outer(state.frame)

    def _floor(self, text: str, first: int) -> int | None:
        """Columns below which the block ends; None if its first full line says so."""
        if self._site.fresh:
            own = _first_columns(text)
            return None if own is None else own + first
        return columns(leading(self._site.current)) if self._site.opener is None else None

    def _dedent(self, text: str, line: int, floor: int | None, growing: bool) -> int | None:
        """Offset by which the line at `line` is known to stand left of the block, -1 if it does
        not, None if more text must come. A closer that the block still needs does not count."""
        match = re.compile(r"[ \t]*(?=(\S))").match(text, line)
        if match is None or floor is None or columns(match[0]) > floor:
            return -1
        if columns(match[0]) == floor:
            return match.end() + 1 if self._ends_items(match[1], text, floor) else -1
        if match[1] == "#" and self._site.language.name in ("c", "cpp"):
            return -1
        frame, start = self._site.state.frame, match.end()
        if frame is None or frame.depth in self._site.owed:
            return start + 1
        said = text[start : start + len(frame.closer) + 1]
        same = _common(said, frame.closer)
        if same == len(frame.closer) and not (wordly(said[0]) and wordly(said[same:])):
            return -1
        if growing and same == len(said):
            return None
        return start + same + 1

    def _ends_items(self, character: str, text: str, floor: int) -> bool:
        """Whether a key ends a list of items that stand in the column of the key above them."""
        offside = self._site.language.name == "yaml" and self._site.opener == floor
        return offside and character != "-" and text.lstrip().startswith("-")

    def _repeats(self, line: str, first: int, level: int | None = None) -> bool:
        """Whether a line says what the next line of the file says, in the same column."""
        below = self._site.below
        if below is None or line.strip() != below.strip() or not telling(below):
            return False
        own = columns(leading(line)) + first
        return own == columns(leading(below)) and level in (None, own)


def _left_of(text: str, line: int, floor: int) -> int:
    """Offset by which the line at `line` is known to stand at or left of `floor`, else -1."""
    match = re.compile(r"[ \t]*(?=\S)").match(text, line)
    return match.end() + 1 if match and columns(match[0]) <= floor else -1


def _first_columns(text: str) -> int | None:
    """Columns of the first line with text, once it has begun."""
    match = re.search(r"^([ \t]*)\S", text, re.MULTILINE)
    return columns(match[1]) if match else None


def _common(text: str, other: str) -> int:
    """How many characters both texts begin with."""
    most = min(len(text), len(other))
    return next((at for at in range(most) if text[at] != other[at]), most)


def _closers(state: State) -> list[str]:
    frame, closers = state.frame, []
    while frame is not None:
        closers.append(frame.closer)
        frame = frame.below
    return closers
