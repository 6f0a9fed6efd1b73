"""Owns what is mended in an answer: brackets left open, a repeated end, lines out of place.

Nothing is changed that makes the parse of the file worse than leaving it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.shape.answer import Edit
from engine.shape.grammar import Errors
from engine.shape.indent import columns, leading
from engine.shape.placing import Placing, indent_edits, place
from engine.shape.rest import KEY_LIMIT
from engine.shape.scanner import Frame, State
from engine.shape.site import Site
from engine.shape.starts import telling
from engine.shape.stops import Reader
from protocol.messages import ShapeName

LEAST_OVERLAP = 4


@dataclass(frozen=True, slots=True)
class Draft:
    """A body up to `stop`, with `edits` made and `tail` put behind it."""

    body: str
    edits: tuple[Edit, ...] = ()
    tail: str = ""

    @property
    def text(self) -> str:
        pieces, at = [], 0
        for edit in self.edits:
            pieces += [self.body[at : edit.start], edit.text]
            at = edit.stop
        return "".join([*pieces, self.body[at:], self.tail])


@dataclass(frozen=True, slots=True)
class Open:
    """Something the body leaves open: where it begins, what closes it."""

    start: int
    closer: str


class Mender:
    """Mends the bodies of one hole, behind each of which `ending` is to follow.

    `first` below is the column of a body's first line, apart from white space in the body.
    """

    def __init__(self, site: Site, reader: Reader, shape: ShapeName, ending: str) -> None:
        self._site = site
        self._reader = reader
        self._shape = shape
        self._ending = ending

    def mend(self, body: str, first: int) -> Draft:
        """The best of the drafts for `body`, the first one where the parse sees no difference."""
        drafts: list[Draft] = []
        for text in self._bodies(body, first):
            placing = place(self._site, text, first)
            drafts += self._balanced(text, first, placing)
            plain = replace(placing, target=placing.own, scale=1.0)
            if placing != plain:
                drafts += self._balanced(text, first, plain)
        drafts = list(dict.fromkeys(drafts))
        if len(drafts) == 1:
            return drafts[0]
        texts = [draft.text and draft.text + self._ending for draft in drafts]
        counts = [self._site.surroundings.errors(text) for text in texts]
        known = [count for count in counts if count is not None]
        if len(known) < len(drafts):  # a count beside none says nothing
            known = [Errors()] * len(drafts)
        pairs = zip(known, texts, strict=True)
        costs = [(errors, self._unmatched(text)) for errors, text in pairs]
        return drafts[costs.index(min(costs))]

    def _bodies(self, body: str, first: int) -> Iterator[str]:
        """The body, and if it is a line with a surplus closer, the body up to that."""
        body = self._without_overlap(body)
        surplus, opens_again = self._reader.first_surplus(body)
        if surplus is None or self._shape != "line":
            yield body
            return
        cut = body[:surplus].rstrip() if self._ending else body[:surplus]
        yield from (body, cut) if opens_again else (cut, body)

    def _without_overlap(self, body: str) -> str:
        """Without an end that what follows the hole begins with."""
        site = self._site
        if self._shape == "span":
            longest = min(len(body), KEY_LIMIT, len(site.rest))
            for count in range(longest, 0, -1):
                key = site.rest[:count]
                if len(key.replace(" ", "")) < LEAST_OVERLAP:
                    break
                if body.endswith(key) and not key[0].isalnum() and not self._opens(body[:-count]):
                    return body[:-count]
            return body
        line = body[body.rfind("\n") + 1 :]
        if site.below is None or not telling(site.below) or len(line) == len(body):
            return body
        same = line.strip() == site.below.strip() and leading(line) == leading(site.below)
        return body[: len(body) - len(line)].rstrip() if same else body

    def _balanced(self, body: str, first: int, placing: Placing) -> Iterator[Draft]:
        """Drafts with what the body opened closed, cut off, or left as it is."""
        edits = tuple(indent_edits(self._site, body, first, placing))
        opens = self._opens(body)
        last = opens[-1].start if opens else 0
        begins = self._shape == "line" and bool(opens) and last >= len(body.rstrip()) - 1
        if begins:
            yield Draft(body, edits)  # the rest of the block is still to be written
        if opens:
            tail = self._tail(body, first, placing, opens)
            yield Draft(body, edits, tail)
            end = len(body.rstrip().rstrip(";,").rstrip())
            if end > opens[-1].start and body[end:].strip() and "\n" not in tail:
                yield Draft(body, (*edits, Edit(end, end, tail)))
            begun = opens[0].start
            line = body.rfind("\n", 0, begun) + 1
            cut = body[: line if self._shape == "block" and line else begun].rstrip()
            if cut:
                yield Draft(cut, tuple(edit for edit in edits if edit.stop <= len(cut)))
        if not begins:
            yield Draft(body, edits)

    def _opens(self, body: str) -> list[Open]:
        """What the body leaves open, outermost first."""
        stack: list[tuple[Frame | None, Open]] = []
        for mark in self._site.scan(body):
            if mark.kind == "enter" and mark.state.literal is not None and mark.start >= 0:
                stack.append((None, Open(mark.start, mark.state.literal.close)))
            elif mark.kind in ("leave", "broken") and stack and stack[-1][0] is None:
                stack.pop()
            elif mark.kind == "open" and mark.state.frame is not None:
                stack.append((mark.state.frame, Open(mark.start, mark.state.frame.closer)))
            elif mark.kind == "close":
                depth = mark.state.depth
                while stack and (stack[-1][0] is None or stack[-1][0].depth > depth):
                    literal = mark.state.literal
                    if stack[-1][0] is None and literal and literal.close == stack[-1][1].closer:
                        break
                    stack.pop()
        return [open_ for _, open_ in stack if open_.closer != "\n"]

    def _tail(self, body: str, first: int, placing: Placing, opens: list[Open]) -> str:
        """Closers for `opens`: on lines of their own where the body went to a new line."""
        tail = ""
        for open_ in reversed(opens):
            start = body.rfind("\n", 0, open_.start) + 1
            if "\n" in body[open_.start :] and open_.closer[0] not in "\"'`":
                width = columns(leading(body[start:])) + (0 if start else first)
                tail += "\n" + placing.indent(width) + open_.closer
            else:
                tail += " " * open_.closer[0].isalpha() + open_.closer
        return tail

    def _unmatched(self, text: str) -> int:
        """Closers without openers and openers without closers, with `text` in the hole."""
        state, count = State(), 0
        for mark in self._site.scan(text + self._site.after):
            count += mark.kind in ("stray", "broken")
            state = mark.state
        return count + state.depth
