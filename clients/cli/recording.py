"""Records what a run shows, with its real timing, for an animated SVG (see svg)."""

import time

from clients.cli.canvas import Canvas
from clients.cli.canvas_view import Scene, Size, compose
from clients.cli.rows import Row, row
from clients.cli.svg import Frame
from clients.cli.views import FRAME_SECONDS, Clock, Silent, status

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
        self._began = self._drawn = recorder.now
        self._seen = 0

    def say(self, text: str) -> None:
        """Keep a line."""
        self._recorder.print(row(text, "dim"))

    def draw(self, canvas: Canvas, last: bool = False) -> None:
        """Keep a frame, unless the one before is too young."""
        now = self._recorder.now
        if not last and canvas.step and now - self._drawn < FRAME_SECONDS:
            return
        self._drawn = now
        rows = compose(self._scene, canvas, Size(WIDTH, HEIGHT - 2), self._seen)
        self._recorder.live([*rows, row(status(canvas, now - self._began), "dim")])
        self._seen = canvas.update
