"""Owns what is known of a hole's surroundings before any text is in it; found once per hole."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from engine.shape.grammar import Surroundings
from engine.shape.indent import TAB_COLUMNS, columns, ladder, leading, steps_of, unit_of
from engine.shape.languages import Language
from engine.shape.scanner import Frame, Mark, State, element_closer, scan
from engine.shape.survey import Survey, survey

BEFORE_LIMIT, AFTER_LIMIT, MATCHED_LIMIT = 32 * 1024, 16 * 1024, 4 * 1024
LEFT_CONTEXT = 32
KEPT_LINES = 4


@dataclass(frozen=True, slots=True)
class Site:
    """The surroundings of a hole.

    Attributes:
        state: brackets and literal open at the hole, or before what is `held`.
        held: the end of the line so far that more text may turn into the beginning of a comment.
        owed: depths of open brackets that the text after the hole closes.
        literal_owed: the text after the hole closes the open string or comment.
        before, current: up to KEPT_LINES lines with text above the hole's, and its line so far.
        rest, below: what stands right of the hole on its line; the next line with text.
        after: the text after the hole, up to MATCHED_LIMIT characters.
        unit: one level of indentation.
        levels: widths by which lines of the file stand deeper than the one above.
        mixed: some lines are indented with tabs and some with spaces, be it behind the tabs.
        opener: columns of the line that opened the block the hole begins, or None.
        flat: that block may stand in its opener's column.
        steps: columns the hole's first line may stand at, innermost first.
        continued: the line above the hole goes on, so that any column will do.
    """

    language: Language
    surroundings: Surroundings
    state: State
    held: str
    owed: frozenset[int]
    literal_owed: bool
    before: tuple[str, ...]
    current: str
    rest: str
    below: str | None
    after: str
    unit: str
    levels: frozenset[int]
    mixed: bool
    opener: int | None
    flat: bool
    steps: tuple[int, ...]
    continued: bool

    @property
    def fresh(self) -> bool:
        """Whether nothing but white space stands on the hole's line."""
        return not self.current.strip() and not self.rest.strip()

    @property
    def empty(self) -> bool:
        """Whether the hole begins a block in which nothing stands, below it either."""
        return self.opener is not None and (
            self.below is None or columns(leading(self.below)) <= self.opener
        )

    @property
    def left(self) -> str:
        """Characters before the hole that the lexer may look back at."""
        return self.current[-LEFT_CONTEXT:] if self.current else "\n"

    def scan(self, text: str, growing: bool = False) -> Iterator[Mark]:
        """The marks of `text` in the hole, placed by their offsets in it; a comment that was begun
        before it has a start below 0."""
        shift, lexis = len(self.left), self.language.lexis
        begin = shift - len(self.held)
        for mark in scan(lexis, self.left + text, self._named(text), begin, growing):
            yield mark._replace(start=mark.start - shift, stop=mark.stop - shift)

    def _named(self, text: str) -> State:
        """The state at the hole, with the whole name of a tag that `text` goes on to spell."""
        frame, more = self.state.frame, re.match(r"[\w-]+", text)
        if frame is None or more is None or self.state.literal or not self.language.lexis.tags:
            return self.state
        begun = re.search(r"<([A-Za-z][\w-]*)\Z", self.current)
        if begun is None:
            return self.state
        closer = element_closer(begun[1] + more[0])
        return State(Frame(closer, frame.below, frame.depth, frame.resume))

    def surplus(self, mark: Mark) -> bool:
        """Whether `mark`, in a text in the hole, closes what the text after the hole closes, or
        what was never opened."""
        frame = mark.frame
        if mark.kind != "close" or frame is None:
            return mark.kind == "stray"
        return self.outer(frame) and frame.depth in self.owed

    def outer(self, frame: Frame | None) -> bool:
        """Whether `frame` was opened before the hole."""
        if frame is None or frame.depth > self.state.depth:
            return False
        own = self.state.frame
        while own is not None and own.depth > frame.depth:
            own = own.below
        return own is frame


def look(prefix: str, suffix: str, language: Language) -> Site:
    """Survey the surroundings of the hole between `prefix` and `suffix`."""
    window, after = tail(prefix, BEFORE_LIMIT), head(suffix, AFTER_LIMIT)
    seen = survey(language.lexis, window)
    surroundings = Surroundings(prefix, suffix, language.grammar)
    held = window[-1:] if window[-1:] in language.lexis.half_comments else ""
    held = held if seen.before.literal is None else ""
    read = seen.before if held else seen.state
    state = surroundings.corrected(read, language.lexis)
    raw = window.split("\n")[-len(seen.lines) :]
    literal_owed = _closes_literal(language, state, after)
    kept = state if literal_owed else State(state.frame)
    owed = _owed(language, kept, seen.columns, raw[-1], after)
    above = [line for line in raw[:-1] if line.strip()]
    rest, _, below = after.partition("\n")
    next_line = next((line for line in below.split("\n") if line.strip()), None)
    if raw[-1] == "" and rest.strip():  # a hole of whole lines: the rest is the line below
        rest, next_line = "", rest
    plain = _plain(seen, raw)
    opener = seen.opener(language) if state.literal is None else None
    return Site(
        language=language,
        surroundings=surroundings,
        state=state,
        held=held if state.literal is None else "",
        owed=owed,
        literal_owed=literal_owed,
        before=tuple(above[-KEPT_LINES:]),
        current=raw[-1],
        rest=rest.rstrip(),
        below=next_line,
        after=head(suffix, MATCHED_LIMIT),
        unit=unit_of(plain, unit_of(below.split("\n"), language.unit)),
        levels=frozenset((*steps_of(plain), *steps_of(below.split("\n")))),
        mixed=_mixed([leading(line) for line in above]),
        opener=None if opener is None else columns(seen.lines[opener].indent),
        flat=opener is not None and seen.opens_with(opener, language.flat),
        steps=tuple(ladder(above)),
        continued=_continued(seen, language.name == "json"),
    )


def tail(text: str, limit: int) -> str:
    """The last `limit` characters, from the start of a line: of an unindented one if there is."""
    if len(text) <= limit:
        return text
    cut = text[-limit:]
    start = re.search(r"\n(?=[^\s)\]}])", cut) or re.search("\n", cut)
    return cut[start.end() :] if start else cut


def head(text: str, limit: int) -> str:
    """The first `limit` characters, whole lines if possible."""
    if len(text) <= limit:
        return text
    return text[: text.rfind("\n", 0, limit) + 1] or text[:limit]


def _mixed(indents: list[str]) -> bool:
    """Whether tabs and spaces are both used, in different lines or where spaces would be tabs."""
    aligned = any("\t" + " " * TAB_COLUMNS in indent for indent in indents)
    return aligned or {indent[0] for indent in indents if indent} == {" ", "\t"}


def _plain(seen: Survey, raw: list[str]) -> list[str]:
    """The lines whose indentation shows levels: not those inside parentheses or strings."""
    return [
        text
        for line, text in zip(seen.lines, raw, strict=True)
        if not line.literal and line.inside not in tuple(")]")
    ]


def _closes_literal(language: Language, state: State, after: str) -> bool:
    """Whether `after` closes the open literal; its own literals must come out even then."""
    literal = state.literal
    if literal is None or literal.close == "\n":
        return False
    if not literal.quote.lines:
        return any(m.kind == "leave" for m in islice(scan(language.lexis, after, state), 1))
    end, opener = after.find(literal.close), re.search(literal.quote.opener, after)
    if not re.match(literal.quote.opener, literal.close):
        return end >= 0 and (opener is None or end < opener.start())
    marks = list(scan(language.lexis, after, State(state.frame)))
    left_open = marks[-1].state.literal if marks else None
    return left_open is not None and left_open.close == literal.close


def _owed(
    language: Language, state: State, begun: tuple[int, ...], current: str, after: str
) -> frozenset[int]:
    """Depths of the open brackets that `after` closes.

    A closer at the start of a line closes the bracket whose line begins in the same column, and
    leaves those inside to the hole; another closes the innermost there is.
    """
    owed: set[int] = set()
    frames = list(_frames(state.frame))
    left = frames.copy()
    for mark in scan(language.lexis, after, state):
        if not left:
            break
        if mark.kind != "stray" and not any(mark.frame is frame for frame in frames):
            continue
        start = after.rfind("\n", 0, mark.start) + 1
        line = after[start : mark.start] if start else current + after[: mark.start]
        own = None if line.strip() else columns(line)
        closer = after[mark.start : mark.stop]
        same = [n for n, frame in enumerate(left) if frame.closer == closer]
        aligned = [n for n in same if begun[left[n].depth - 1] == own]
        if same:
            at = (aligned or same)[-1]
            owed.add(left[at].depth)
            del left[at:]
    return frozenset(owed)


def _frames(frame: Frame | None) -> Iterator[Frame]:
    """The open frames, outermost first."""
    if frame is not None:
        yield from _frames(frame.below)
        yield frame


def _continued(seen: Survey, data: bool) -> bool:
    """Whether the last line with code can't be the end of a statement."""
    last = seen.last_code()
    if last is None:
        return False
    code, frame = seen.lines[last].code.rstrip(), seen.state.frame
    if frame is not None and frame.closer in ")]":
        return True
    if frame is None:
        return bool(re.search(r"[\\=+*/|&.?,<-]$", code))
    ends = r"[\\=+*/|&.?:-]$" if data else r"[\\=+*/|&.?:,<-]$"
    return bool(re.search(ends, code))
