"""A job: the holes of a document that are being filled, and where they are while it is edited."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from lsp_server.documents import Document
from lsp_server.live.following import follow, readings
from lsp_server.live.frames import Canvas, Picture
from lsp_server.reading.edits import newline_of, smallest
from lsp_server.reading.spans import Change, Span
from protocol.messages import Accepted, Delta, Error, Snap, Splice, Stats

Reason = Literal["done", "cancelled", "unchanged", "failed", "conflict"]
Listener = Callable[[Delta | Splice | Snap | Error | None], None]
KEPT_PICTURES = 16
"""How many of a hole's pictures are kept: a person points at one a moment after it was drawn."""
CONFLICT = "The text was edited where Retouch was at work."


@dataclass(frozen=True, slots=True)
class Ending:
    """The last word on a job."""

    reason: Reason
    message: str = ""
    stats: Stats | None = None

    def as_json(self, job_id: str) -> dict[str, Any]:
        """The params of `retouch/ended`."""
        sent: dict[str, Any] = {"jobId": job_id, "reason": self.reason}
        if self.message:
            sent["message"] = self.message
        if (stats := self.stats) is not None:
            ms = round(stats.wall_ms, 1)
            sent["stats"] = {
                "steps": stats.steps,
                "forwards": stats.forwards,
                "tokens": stats.tokens,
                "ms": ms,
            }
        return sent


@dataclass(slots=True)
class Hole:
    """A span whose text is to be replaced.

    Attributes:
        span: where it is in the job's document.
        lead: text that belongs before the answer.
        old: the text that stood there when the job began.
        pictures: what was drawn last, by the number of its frame, the newest at the end; places
            that a person points at are places in one of them.
    """

    span: Span
    lead: str = ""
    old: str = ""
    canvas: Canvas = field(default_factory=Canvas)
    pictures: dict[int, Picture] = field(default_factory=dict)

    def draw(self, seq: int) -> Picture:
        """What stands there now, as the frame of this number shows it."""
        self.pictures[seq] = picture = self.canvas.picture()
        if len(self.pictures) > KEPT_PICTURES:
            del self.pictures[next(iter(self.pictures))]
        return picture


@dataclass(slots=True)
class Flight:
    """An edit of ours that the editor has been asked for and has not told of yet.

    Attributes:
        changes: the edits that it told of meanwhile, each in all its readings.
    """

    expected: str
    spans: list[Span]
    changes: list[Sequence[Change]] = field(default_factory=list)
    landed: bool = False


@dataclass(slots=True)
class Job:
    """One job. Its owner is the task that runs it.

    Attributes:
        id: names it to the editor.
        engine_id: names what the engine does for it now.
        document: the state that the spans are places of.
        standing: the text stands while it runs, so there is nothing to show before the first frame.
        accepting: what there is was asked for: its end is taken as the answer.
        committing: it can't be stopped any more.
        why: how it ends if it is stopped.
        lost: how it ends because its holes are nowhere to be found any more; nothing is put in.
        news: called with the number of a hole whose canvas changed.
        edited_by: called after each edit of the document.
        stop: ends it, if it can be.
        listeners: called with every frame once it is taken over, with what the engine refuses while
            the job goes on, and with None at its end.
        foreign: edits of the document that were not ours.
    """

    id: str
    label: str
    document: Document
    holes: list[Hole]
    standing: bool = False
    engine_id: str = ""
    accepting: bool = False
    committing: bool = False
    why: Ending = Ending("cancelled")
    lost: Ending | None = None
    news: Callable[[int], None] = lambda hole: None
    edited_by: Callable[[], None] = lambda: None
    stop: Callable[[Ending], bool] = lambda ending: False
    listeners: list[Listener] = field(default_factory=list)
    step: int = 0
    seq: int = 0
    foreign: int = 0
    flight: Flight | None = None

    @property
    def slots(self) -> tuple[int, int]:
        """How many slots hold text, and how many there are."""
        cells = [cell for hole in self.holes for cell in hole.canvas.mirror.cells]
        return sum(cell is not None for cell in cells), len(cells)

    def begins(self, engine_id: str) -> None:
        """The engine is asked (again): every canvas is new."""
        self.engine_id = engine_id
        for hole in self.holes:
            hole.canvas, hole.pictures = Canvas(), {}

    def hear(self, message: Accepted | Delta | Splice | Snap) -> None:
        """Take what the engine says; ProtocolError if it does not fit."""
        if isinstance(message, Accepted):
            number = 0
            if not self.standing:
                cells = (None,) * message.canvas_tokens
                self.holes[0].canvas.apply(Snap(message.id, 0, cells, ()))
        else:
            number = message.canvas
            if number >= len(self.holes):
                return  # another answer to the same hole
            self.holes[number].canvas.apply(message)
            self.step = self.holes[number].canvas.mirror.step
            self.say(message)
        if self.holes[number].canvas.mirror.cells:
            self.news(number)

    def say(self, message: Delta | Splice | Snap | Error | None) -> None:
        """Tell those who listen."""
        for listener in list(self.listeners):
            listener(message)

    def edited(self, new: Document) -> bool:
        """The document was edited; False if that was where the job is at work."""
        change = readings(self.document.text.value, new.text.value, new.edit)
        self.document = new
        if self.lost is not None:
            return False
        if not change:
            return True
        if (flight := self.flight) is not None:
            flight.changes.append(change)
            if new.text.value == flight.expected:
                flight.landed, self.flight = True, None
                self._place(flight.spans)
            return True
        self.foreign += 1
        return self._shift(change)

    def changes(self, texts: Sequence[str | None]) -> list[Change]:
        """The smallest edits that put these texts into the holes; None leaves one as it is."""
        whole = self.document.text.value
        newline, found = newline_of(whole), []
        for hole, text in zip(self.holes, texts, strict=True):
            if text is None:
                continue
            span = hole.span
            change = smallest(whole[span.start : span.stop], hole.lead + text, newline)
            if change is not None:
                start = span.start
                found.append(Change(start + change.start, start + change.stop, change.text))
        return found

    def depart(self, changes: Sequence[Change]) -> Flight:
        """The editor is asked for these edits, whose places are apart and in order."""
        text, spans, moved = self.document.text.value, [], 0
        for hole in self.holes:
            inside = [c for c in changes if hole.span.start <= c.start and c.stop <= hole.span.stop]
            growth = sum(change.growth for change in inside)
            spans.append(Span(hole.span.start + moved, hole.span.stop + moved + growth))
            moved += growth
        for change in reversed(changes):
            text = text[: change.start] + change.text + text[change.stop :]
        self.flight = Flight(text, spans)
        return self.flight

    def crashed(self, flight: Flight) -> bool:
        """The edit did not come: what came instead was the user's. False if that is a conflict."""
        if flight.landed:
            return True
        self.flight = None
        self.foreign += len(flight.changes)
        return all(self._shift(change) for change in flight.changes)

    def _shift(self, change: Sequence[Change]) -> bool:
        spans = follow([hole.span for hole in self.holes], change)
        if spans is None:
            self.lost = Ending("conflict", CONFLICT)
            return False
        self._place(spans)
        return True

    def _place(self, spans: Sequence[Span]) -> None:
        for hole, span in zip(self.holes, spans, strict=True):
            hole.span = span
