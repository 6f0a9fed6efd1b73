"""One fill's road to its client: what the engine did, what was sent, what may be sent now.

Frames wait here without piling up: a changed slot is remembered once, and its cell is read when a
frame is allowed to leave.
"""

from collections import deque

from protocol.limits import WINDOW
from protocol.mirror import Mirror
from protocol.replies import Accepted, Delta, Done, Error, Scores, Snap, Splice
from protocol.requests import Fill, ReviseText, Task
from protocol.states import Stage, advance
from protocol.values import Mode

Final = Done | Scores | Error
Frame = Delta | Splice | Snap
Heard = Accepted | Frame | Final


class Flow:
    """See the module. Times are seconds of the caller's clock.

    Attributes:
        f: the number that stands for the fill in cell frames.
        asked_mode: what the client wants to see.
        mode: what it is shown; falls to `final` when it lags.
        final: how the fill ended, once it has.
        merged: changed cells that left later than the step that made them.
    """

    def __init__(self, task: Task, f: int, window: int = WINDOW) -> None:
        self.task = task
        self.f = f
        self.asked_mode: Mode = task.mode if isinstance(task, Fill | ReviseText) else "final"
        self.mode: Mode = self.asked_mode
        self.final: Final | None = None
        self.superseded = False
        self.merged = 0
        self._stage = Stage.ASKED
        self._accepted: Accepted | None = None
        self._notices: list[Error] = []
        self._greeted = False  # whether `accepted` has been sent on this connection
        self._window = window
        self._seq = 0
        self._acked = 0
        self._sent: deque[tuple[int, float]] = deque()  # frames without an ack: seq, when
        self._canvases: dict[int, Mirror] = {}
        self._dirty: dict[int, set[int]] = {}  # slots the client has an old cell of
        self._whole: set[int] = set()  # canvases that are due as a Snap
        self._splices: list[Splice] = []  # due before any dirty slot
        self._shown: dict[int, int] = {}  # mode prefix: slots sent so far
        self._moved: dict[int, int] = {}  # canvas -> the frame that last numbered its slots anew
        self._renumbered: set[int] = set()  # canvases whose such frame has not left
        self._told = 0  # the engine's own number of its last frame

    @property
    def seq(self) -> int:
        """The number of the last frame sent."""
        return self._seq

    @property
    def acked(self) -> int:
        """The number of the last frame that the client has applied."""
        return self._acked

    @property
    def told(self) -> int:
        """How the engine numbers the last frame that was heard from it."""
        return self._told

    def hear(self, message: Heard) -> None:
        """Take what the engine says; IllegalOrder if it may not say it now."""
        if isinstance(message, Error) and not message.ends:
            self._notices.append(message)
            return
        self._stage = advance(self._stage, message)
        if isinstance(message, Delta | Splice | Snap):
            self._told = max(self._told, message.seq)
        match message:
            case Accepted():
                self._accepted = message
                self._canvas(0).apply(message)
            case Delta():
                self._hear_delta(message)
            case Splice():
                self._hear_splice(message)
            case Snap():
                self._canvas(message.canvas).apply(message)
                self._renumbered.add(message.canvas)
                self._make_whole(message.canvas)
            case _:
                self.final = message

    def is_stale(self, seq: int, canvas: int = 0) -> bool:
        """Whether a canvas's slots as frame `seq` numbers them may be others now."""
        moved = self._moved.get(canvas, 0)
        return canvas in self._renumbered or not moved <= seq <= self._seq

    def ack(self, seq: int) -> bool:
        """The client has applied every frame up to `seq`; False if there was no such frame."""
        if seq > self._seq:
            return False
        self._acked = max(self._acked, seq)
        while self._sent and self._sent[0][0] <= self._acked:
            self._sent.popleft()
        return True

    def waits_since(self) -> float | None:
        """When the oldest frame without an ack was sent."""
        return self._sent[0][1] if self._sent else None

    def mute(self) -> None:
        """Send nothing more but the end."""
        self.mode = "final"
        self._dirty.clear()
        self._whole.clear()
        self._splices.clear()

    def restart(self) -> None:
        """The client lost its picture: begin again with `accepted` and whole canvases."""
        self.mode, self._greeted = self.asked_mode, False
        self._sent.clear()
        self._acked = self._seq
        for canvas in self._canvases if self._seq else ():
            self._make_whole(canvas)

    def take(self, now: float) -> list[Heard]:
        """What may leave now, in order; the end is the last thing ever taken."""
        out: list[Heard] = []
        if self._accepted is not None and not self._greeted:
            self._greeted = True
            out.append(self._accepted)
        out += self._notices
        self._notices.clear()
        while len(self._sent) < self._window and (frame := self._next_frame()) is not None:
            self._sent.append((self._seq, now))
            out.append(frame)
        if self.final is not None:
            out.append(self.final)
        return out

    def _canvas(self, number: int) -> Mirror:
        return self._canvases.setdefault(number, Mirror())

    def _hear_delta(self, delta: Delta) -> None:
        self._canvas(delta.canvas).apply(delta)
        if self.mode == "final" or delta.canvas in self._whole:
            return
        dirty = self._dirty.setdefault(delta.canvas, set())
        self.merged += len(dirty.intersection(delta.slots))
        dirty.intersection_update(range(delta.size))
        dirty.update(delta.slots)

    def _hear_splice(self, splice: Splice) -> None:
        self._canvas(splice.canvas).apply(splice)
        self._renumbered.add(splice.canvas)
        if self.mode == "final":
            return
        if self.mode == "prefix" or self._dirty.get(splice.canvas) or splice.canvas in self._whole:
            self._make_whole(splice.canvas)
        else:
            self._splices.append(splice)

    def _make_whole(self, canvas: int) -> None:
        """From now on only a Snap can bring this canvas up to date."""
        if self.mode == "final":
            return
        self._whole.add(canvas)
        self._dirty.pop(canvas, None)
        self._splices = [splice for splice in self._splices if splice.canvas != canvas]

    def _next_frame(self) -> Frame | None:
        if self._splices:
            self._seq += 1
            splice = self._splices.pop(0)
            if all(other.canvas != splice.canvas for other in self._splices):
                self._show_numbers(splice.canvas)
            return Splice(
                self.task.id, splice.at, splice.delete, splice.insert, self._seq, splice.canvas
            )
        if self._whole:
            self._seq += 1
            canvas = self._whole.pop()
            self._show_numbers(canvas)
            return self._snap(canvas)
        for canvas in list(self._dirty):
            if slots := self._due(canvas):
                self._seq += 1
                return self._delta(canvas, slots)
        return None

    def _show_numbers(self, canvas: int) -> None:
        """The frame that leaves tells how the canvas's slots are numbered now."""
        if canvas in self._renumbered:
            self._renumbered.discard(canvas)
            self._moved[canvas] = self._seq

    def _due(self, canvas: int) -> list[int]:
        """Slots to send now, removed from the dirty ones."""
        dirty = self._dirty[canvas]
        if self.mode == "prefix":
            settled = self._canvas(canvas).settled
            shown = max(settled, self._shown.get(canvas, 0))
            slots = sorted(slot for slot in dirty if slot < shown)
            self._shown[canvas] = settled
        else:
            slots = sorted(dirty)
        dirty.difference_update(slots)
        return slots

    def _delta(self, canvas: int, slots: list[int]) -> Delta:
        mirror = self._canvas(canvas)
        return Delta(
            self.task.id,
            mirror.step,
            len(mirror.cells),
            tuple(slots),
            tuple(mirror.cells[slot] for slot in slots),
            tuple(mirror.confidence[slot] for slot in slots),
            self._seq,
            canvas,
        )

    def _snap(self, canvas: int) -> Snap:
        mirror = self._canvas(canvas)
        cells, confidence = tuple(mirror.cells), tuple(mirror.confidence)
        if self.mode == "prefix":
            settled = self._shown[canvas] = mirror.settled
            cells = (*cells[:settled], *[None] * (len(cells) - settled))
            self._dirty[canvas] = set(range(settled, len(cells)))
        return Snap(self.task.id, mirror.step, cells, confidence, self._seq, canvas, self.f)
