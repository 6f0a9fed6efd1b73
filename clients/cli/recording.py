"""Records what a run shows, with its real timing, for an animated SVG (see svg)."""

import time

from clients.cli.canvas import Canvas
from clients.cli.canvas_view import Scene, Size, compose
from clients.cli.rows import Row, row
from clients.cli.svg import Frame
from clients.cli.views import Clock, Pace, Silent, status

WIDTH, HEIGHT = 92, 30


class Recorder:
    """A terminal of fixed size that remembers all its pictures: lines printed, then a live part."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._printed: list[Row] = []
        self.frames: list[Frame] = []

    @property
    def now(self) -> float:
        """Seconds since the recording began."""
        return self._clock() - self._began

    def restart(self) -> None:
        """Begin the film here: what came before is shown as it stands, without its time."""
        self._began = self._clock()
        self.frames.clear()
        self.live([])

    def print(self, *rows: Row) -> None:
        """Rows that stay; the live part is gone."""
        self._printed.extend(rows)
        self.live([])

    def live(self, rows: list[Row]) -> None:
        """A picture below the rows printed so far; the screen scrolls when it is full."""
        shown = (*self._printed, *rows)[-HEIGHT:]
        self.frames.append(Frame(self.now, shown))


class RecordedPicture(Silent):
    """The view that feeds a recorder, at the pace of the live picture."""

    def __init__(self, recorder: Recorder, scene: Scene) -> None:
        self._recorder = recorder
        self._scene = scene
        self._pace = Pace()
        self._seen = 0

    def say(self, text: str) -> None:
        """Keep a line."""
        self._recorder.print(row(text, "dim"))

    def draw(self, canvas: Canvas, last: bool = False) -> None:
        """Keep a frame, unless the one before is too young."""
        seconds = self._pace.frame(self._recorder.now, wanted=last or not canvas.step)
        if seconds is None:
            return
        rows = compose(self._scene, canvas, Size(WIDTH, HEIGHT - 2), self._seen)
        self._recorder.live([*rows, row(status(canvas, seconds), "dim")])
        self._seen = canvas.update
