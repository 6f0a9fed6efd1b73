"""The canvases as the client knows them: cells kept up to date from Delta messages. Draws nothing.

With several holes the first one's canvas has the others in `rest`, and speaks for all.
"""

from dataclasses import dataclass, field

from clients.cli.errors import EngineFailure
from protocol.cells import Cell
from protocol.messages import Delta


@dataclass(slots=True)
class Canvas:
    """Cells in slot order; None is a mask."""

    cells: list[Cell] = field(default_factory=list)
    step: int = 0
    """The engine's step, as of the last delta."""
    update: int = 0
    """Deltas taken over so far."""
    touched: list[int] = field(default_factory=list)
    """For each slot the update that last changed it; 0 if none did."""
    rest: list["Canvas"] = field(default_factory=list)
    """The canvases of further holes."""

    @property
    def all(self) -> list["Canvas"]:
        """This canvas and those of further holes."""
        return [self, *self.rest]

    @property
    def slots(self) -> int:
        """Slots of all canvases."""
        return sum(len(canvas.cells) for canvas in self.all)

    @property
    def revealed(self) -> int:
        """Slots of all canvases that hold a token."""
        return sum(cell is not None for canvas in self.all for cell in canvas.cells)

    def is_new(self, slot: int, since: int) -> bool:
        """Whether a slot was revealed, or thrown back to a mask, after update `since`."""
        return self.touched[slot] > since

    def resize(self, size: int) -> None:
        """Cut the canvas to `size` slots, or extend it by masks."""
        self.cells[size:] = [None] * (size - len(self.cells))
        self.touched[size:] = [0] * (size - len(self.touched))

    def apply(self, delta: Delta) -> None:
        """Take over the cells of one step.

        Raises:
            EngineFailure: a cell lies outside the canvas, or there is no such canvas.
        """
        if not 0 <= delta.canvas <= len(self.rest):
            raise EngineFailure("the engine sent a canvas that was not asked for")
        self.step = delta.step
        self.update += 1
        self.all[delta.canvas]._take(delta, self.update)

    def _take(self, delta: Delta, update: int) -> None:
        self.resize(delta.size)
        for slot, cell in zip(delta.slots, delta.cells, strict=True):
            if not 0 <= slot < delta.size:
                raise EngineFailure("the engine sent a cell outside its canvas")
            if cell != self.cells[slot]:
                self.cells[slot] = cell
                self.touched[slot] = update
