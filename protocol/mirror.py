"""A canvas kept from frames: the server's picture of what an engine did, and a client's of it."""

from dataclasses import dataclass, field

from protocol.cells import Cell
from protocol.errors import ProtocolError
from protocol.replies import Accepted, Delta, Snap, Splice


@dataclass(slots=True)
class Mirror:
    """Cells in slot order (None is a mask) with their confidences, as of engine step `step`."""

    cells: list[Cell] = field(default_factory=list)
    confidence: list[float] = field(default_factory=list)
    step: int = 0

    @property
    def settled(self) -> int:
        """Slots left of the first mask."""
        return self.cells.index(None) if None in self.cells else len(self.cells)

    @property
    def settled_text(self) -> str:
        """The text left of the first mask."""
        return "".join(cell or "" for cell in self.cells[: self.settled])

    def apply(self, frame: Accepted | Delta | Splice | Snap) -> None:
        """Take a frame over; ProtocolError if it does not fit this canvas."""
        match frame:
            case Accepted():
                self.cells = [None] * frame.canvas_tokens
                self.confidence = [0.0] * frame.canvas_tokens
            case Delta():
                self._change(frame)
            case Splice():
                self._splice(frame)
            case Snap():
                self.cells, self.confidence = list(frame.cells), list(frame.confidence)
                self.confidence += [0.0] * (len(self.cells) - len(self.confidence))
                self.step = frame.step

    def _change(self, delta: Delta) -> None:
        if any(not 0 <= slot < delta.size for slot in delta.slots):
            raise ProtocolError("invalid_message", "A cell lies outside the canvas.", "slots")
        self.cells[delta.size :] = [None] * (delta.size - len(self.cells))
        self.confidence[delta.size :] = [0.0] * (delta.size - len(self.confidence))
        self.step = delta.step
        parts = zip(delta.slots, delta.cells, delta.confidence, strict=True)
        for slot, cell, confidence in parts:
            self.cells[slot], self.confidence[slot] = cell, confidence

    def _splice(self, splice: Splice) -> None:
        stop = splice.at + splice.delete
        if not 0 <= splice.at <= stop <= len(self.cells) or splice.insert < 0:
            raise ProtocolError("invalid_message", "A splice lies outside the canvas.", "at")
        self.cells[splice.at : stop] = [None] * splice.insert
        self.confidence[splice.at : stop] = [0.0] * splice.insert
