"""The shape of a hole: where its text begins and ends, and what is mended in it.

Text in, text out; no tokens and no model. The parts are in `engine.shape`.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property

from engine.shape.answer import Answer, Edit, behind, edited, stretched
from engine.shape.indent import columns, leading
from engine.shape.judge import flaws
from engine.shape.languages import language_of
from engine.shape.repair import Mender
from engine.shape.site import Site, look
from engine.shape.starts import begin
from engine.shape.stops import Reader
from protocol.messages import Fill, ShapeName

BLOCK_LINES = 6
REPEATED_LINES = 4


@dataclass(frozen=True)
class Hole:
    """A hole between two texts.

    Attributes:
        prefix, suffix: the texts as the model sees them, line ends as "\\n".
        shape: how the answer ends.
        lines: the most lines it may have.
        whole_lines: the hole is made of whole lines; its closing newline is put back.
        newline: the line end of the document.
        site: what is known of the surroundings.
        exact: the length is pinned: the text is taken as it is, neither cut nor mended.
        stops: texts that end the answer where they begin, whatever its shape.
        given: how the answer begins; taken already, so that only what follows it is asked for.
        may_grow: the hole was found to be a line, not asked to be one.
        grows: a line that opens a block goes on to the end of that.
    """

    prefix: str
    suffix: str
    shape: ShapeName
    lines: int
    whole_lines: bool
    newline: str
    site: Site
    exact: bool = False
    stops: tuple[str, ...] = ()
    given: str = ""
    may_grow: bool = False
    grows: bool = False

    def after(self, text: str) -> "Hole":
        """The hole once `text`, the next of the answer, was taken."""
        return replace(self, given=self.given + text)

    def growing(self) -> "Hole":
        """The hole for an answer that brings along the block that its line opens, if it may."""
        return replace(self, grows=self.may_grow)

    def is_complete(self, text: str) -> bool:
        """Whether `text`, so far, holds the whole answer; once true, more text changes nothing."""
        whole = self.given + text
        if first_stop(whole, self.stops) is not None:
            return True
        return not self.exact and self._span(whole, growing=True) is not None

    def answer(self, text: str) -> Answer:
        """What belongs into the document of `text`, be it complete or not."""
        whole = self.given + text
        stop = first_stop(whole, self.stops)
        answer = self._whole_answer(whole[:stop])
        if stop is not None:
            answer = stretched(answer, stop, len(whole))
        return behind(answer, self.given, text) if self.given else answer

    def _whole_answer(self, text: str) -> Answer:
        if self.exact:
            ends = self._line_ends(text, 0) if self.newline != "\n" else []
            return edited(
                text, [*ends, *[Edit(len(text), len(text), self.newline)] * self.whole_lines]
            )
        start, stop = self._span(text, True) or self._span(text, False) or (0, len(text))
        body = text[start:stop]
        block = self.shape == "block" or (self.grows and "\n" in body)
        body = body.rstrip(None if self.whole_lines or block else "\r")
        draft = self._mender("block" if block else self.shape).mend(body, self._first(text[:start]))
        kept, tail = draft.body, draft.tail + "\n" * (self.whole_lines and bool(draft.text))
        edits = [
            *([Edit(0, start)] if start else []),
            *(Edit(start + e.start, start + e.stop, e.text) for e in draft.edits),
            *self._line_ends(kept, start),
        ]
        edits.sort(key=lambda edit: (edit.start, edit.stop))
        end = Edit(start + len(kept), len(text), tail.replace("\n", self.newline))
        return edited(text, [*edits, *([end] if end.text or end.start < end.stop else [])])

    @property
    def most_lines(self) -> int:
        """Lines that the answer may have if it grows as far as it may."""
        return max(self.lines, BLOCK_LINES) if self.grows else self.lines

    @property
    def around(self) -> tuple[str, str]:
        """The texts that an answer is put between, line ends as "\\n"."""
        after = self.suffix.removeprefix("\n") if self.whole_lines else self.suffix
        return self.prefix, after

    def flaws(self, answer: str) -> int:
        """How broken the document is with `answer` in the hole; only fit to be compared."""
        return flaws(self.site, self.around, self.given + answer.replace("\r\n", "\n"))

    def as_it_is(self, document: bool) -> "Hole":
        """The hole for an answer that keeps to a language: neither cut, mended nor closed.

        One that completes a document still has its line ends, and no newline of its own.
        """
        if document:
            return replace(self, exact=True, whole_lines=False, suffix=self.around[1])
        return replace(self, exact=True, whole_lines=False, newline="\n")

    def _span(self, text: str, growing: bool) -> tuple[int, int] | None:
        """The part of `text` that is the answer's body; None if `growing` and not settled."""
        repeated = REPEATED_LINES if self.shape == "block" else 1
        start = begin(self.site, text, repeated, growing)
        if start is None:
            return None
        stop = self._reader.stop(text[start:], self._first(text[:start]), growing)
        if stop is None:
            return None if growing else (start, len(text))
        return start, start + stop.cut

    def _first(self, skipped: str) -> int:
        """The column where the body's first line starts, what was skipped before it left out."""
        return 0 if "\n" in skipped else columns(leading(self.site.current))

    def _line_ends(self, body: str, start: int) -> list[Edit]:
        """Edits that give `body` the line ends of the document."""
        edits = []
        for match in re.finditer("\r?\n", body):
            if match[0] != self.newline:
                edits.append(Edit(start + match.start(), start + match.end(), self.newline))
        return edits

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.site, self.shape, self.most_lines, self.grows)

    def _mender(self, shape: ShapeName) -> Mender:
        return Mender(self.site, self._reader, shape, "\n" * self.whole_lines)


def shape_hole(
    prefix: str,
    suffix: str,
    shape: ShapeName,
    lines: int | None,
    path: str | None = None,
    language: str | None = None,
) -> Hole:
    """Tell the shape of the hole between `prefix` and `suffix`; `auto` is decided here.
    `lines` bounds a block or a span. The language is told by its name, else by `path`; without
    one the hole is read by lines. A hole of whole lines is asked with a newline in front of the
    suffix.
    """
    newline = "\r\n" if "\r\n" in prefix[-4096:] or "\r\n" in suffix[:4096] else "\n"
    prefix, suffix = prefix.replace("\r\n", "\n"), suffix.replace("\r\n", "\n")
    site = look(prefix, suffix, language_of(path, language))
    at_line_start = not prefix or prefix.endswith("\n")
    whole = shape != "span" and at_line_start and not suffix.startswith("\n")
    within = _within_braces(site)
    may_grow = shape == "auto" and lines is None and not within
    if shape == "auto":
        shape = _shape(site, whole or not suffix or suffix.startswith("\n"))
        lines = lines if shape == "block" or within else 1
    default = BLOCK_LINES if shape == "block" or within else 1
    return Hole(
        prefix=prefix,
        suffix="\n" + suffix if whole and suffix else suffix,
        shape=shape,
        lines=1 if shape == "line" else lines or default,
        whole_lines=whole,
        newline=newline,
        site=site,
        may_grow=may_grow and shape == "line",
    )


def hole_of(fill: Fill) -> Hole:
    """The hole of a fill; what nobody asked for stays short, and comes soon."""
    name = fill.doc.language if fill.doc is not None else None
    hole = shape_hole(fill.prefix, fill.suffix, fill.shape, fill.lines, fill.path, name)
    return hole.growing() if fill.priority == "manual" else hole


def first_stop(text: str, stops: tuple[str, ...]) -> int | None:
    """Where the first of the stop strings begins in `text`."""
    return min((at for stop in stops if (at := text.find(stop)) >= 0), default=None)


def _shape(site: Site, to_line_end: bool) -> ShapeName:
    """What `auto` is: a block that stands empty, the rest of a line, else a span in it."""
    if not to_line_end:
        return "span"
    if site.empty and not (site.current.strip() and _may_go_on(site)):
        return "block"
    return "line"


def _may_go_on(site: Site) -> bool:
    """Whether the line that opens a block is as likely to take more text itself."""
    return site.language.name == "yaml" or site.current.rstrip()[-1] in "(["


def _within_braces(site: Site) -> bool:
    """Whether the hole is all that stands between the braces of a block."""
    free = site.language.layout == "free" and site.language.name != "json"
    opened = re.search(r"[\w)>\s]\{\s*$", site.current)
    return free and bool(opened) and site.rest.lstrip().startswith("}")
