"""A canvas as an editor draws it: lines of text with marks, and which slot stands where. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from protocol.cells import Cell
from protocol.messages import Delta, Snap, Splice
from protocol.mirror import Mirror

MASK = "\u2592"
WEAK = 0.5
"""A revealed token that the model gives a lower probability is marked as weak."""
Measure = Callable[[str], int]
"""Code units of a text in the encoding that was agreed on."""
Mark = tuple[int, int, float]
"""Characters [start, stop) of a picture, and the confidence there."""


@dataclass(slots=True)
class Canvas:
    """One hole's cells as the engine told them, and which of them no picture has shown yet."""

    mirror: Mirror = field(default_factory=Mirror)
    seq: int = 0
    fresh: list[bool] = field(default_factory=list)

    def apply(self, frame: Delta | Splice | Snap) -> None:
        """Take a frame over; ProtocolError if it does not fit."""
        before = list(self.mirror.cells)
        self.mirror.apply(frame)
        self.seq = frame.seq
        if isinstance(frame, Splice):
            self.fresh[frame.at : frame.at + frame.delete] = [False] * frame.insert
            return
        cells = self.mirror.cells
        self.fresh[len(cells) :] = [False] * (len(cells) - len(self.fresh))
        for slot, cell in enumerate(cells):
            if slot >= len(before) or before[slot] != cell:
                self.fresh[slot] = cell is not None

    def picture(self) -> "Picture":
        """What stands there now; what was fresh is not any more."""
        shown = [MASK if cell is None else cell.replace("\r", "") for cell in self.mirror.cells]
        starts = [0]
        for text in shown:
            starts.append(starts[-1] + len(text))
        fresh, self.fresh = tuple(self.fresh), [False] * len(self.fresh)
        return Picture(
            "".join(shown),
            tuple(self.mirror.cells),
            tuple(self.mirror.confidence),
            tuple(starts),
            fresh,
            self.seq,
        )


@dataclass(frozen=True, slots=True)
class Picture:
    """A canvas at one moment.

    Attributes:
        text: what is drawn, a mask as one glyph, line ends as a line feed.
        cells, confidence: as the engine has them, one a slot.
        starts: offset in `text` at which each slot begins, and the end of the last.
        fresh: slots that were revealed since the picture before.
        seq: the engine's frame it shows.
    """

    text: str
    cells: tuple[Cell, ...]
    confidence: tuple[float, ...]
    starts: tuple[int, ...]
    fresh: tuple[bool, ...]
    seq: int

    def lines(self, measure: Measure) -> list[dict[str, Any]]:
        """The `lines` of a frame, columns in the units that `measure` counts."""
        masks = self._marks([cell is None for cell in self.cells])
        new = self._marks(self.fresh)
        weak = [mark for slot in range(len(self.cells)) if (mark := self._weak(slot)) is not None]
        lines, at = [], 0
        for text in self.text.split("\n"):
            columns = _Columns(text, at, measure)
            line: dict[str, Any] = {
                "text": text,
                "masks": [[start, stop] for start, stop, _ in columns.of(masks)],
                "new": [[start, stop] for start, stop, _ in columns.of(new)],
            }
            if found := columns.of(weak):
                line["weak"] = [[start, stop, sure] for start, stop, sure in found]
            lines.append(line)
            at += len(text) + 1
        return lines

    def _weak(self, slot: int) -> Mark | None:
        start, stop, sure = self.starts[slot], self.starts[slot + 1], self.confidence[slot]
        weak = self.cells[slot] is not None and start < stop and sure < WEAK
        return (start, stop, round(sure, 3)) if weak else None

    def _marks(self, slots: Sequence[bool]) -> list[Mark]:
        """Runs of slots that are set, as characters."""
        marks: list[Mark] = []
        for slot, is_set in enumerate(slots):
            start, stop = self.starts[slot], self.starts[slot + 1]
            if not is_set or start == stop:
                continue
            if marks and marks[-1][1] == start:
                start = marks.pop()[0]
            marks.append((start, stop, 0.0))
        return marks


class _Columns:
    """Characters of a picture as columns of one of its lines, which begins at offset `at`."""

    def __init__(self, text: str, at: int, measure: Measure) -> None:
        self._text, self._at, self._measure = text, at, measure

    def of(self, marks: Sequence[Mark]) -> list[Mark]:
        """The parts of marks that lie in this line."""
        found = []
        for start, stop, sure in marks:
            low, high = max(0, start - self._at), min(len(self._text), stop - self._at)
            if low < high:
                column = self._measure(self._text[:low])
                found.append((column, column + self._measure(self._text[low:high]), sure))
        return found
