"""Who watches a fill: a live picture, plain progress text, a recording, or nobody.

Everything goes to standard error. A view sees the canvas and never changes the text.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from clients.cli.canvas import Canvas
from clients.cli.canvas_view import Scene, Size, compose
from clients.cli.rows import Row, rich_text, row

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

FRAME_SECONDS = 1 / 30
Clock = Callable[[], float]


class Pace:
    """Decides which frames are drawn, and knows the time since the first."""

    def __init__(self) -> None:
        self._first: float | None = None
        self._last = float("-inf")

    def frame(self, now: float, wanted: bool) -> float | None:
        """Seconds since the first frame; None if this one comes too soon and isn't `wanted`."""
        if not wanted and now - self._last < FRAME_SECONDS:
            return None
        self._last = now
        if self._first is None:
            self._first = now
        return now - self._first


class View(Protocol):
    """What happens in the order of the calls: enter, say, draw (often), exit."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def say(self, text: str) -> None:
        """A line of text: what is going on, or a note."""
        ...

    def draw(self, canvas: Canvas, last: bool = False) -> None:
        """The canvas after a step; `last` for the finished one."""
        ...


class Silent:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def say(self, text: str) -> None:
        """Keep quiet."""

    def draw(self, canvas: Canvas, last: bool = False) -> None:
        """Keep quiet."""


class PlainProgress(Silent):
    """A line at the quarters: for pipes, logs, dumb terminals and reduced motion."""

    def __init__(self, console: "Console") -> None:
        self._console = console
        self._quarter = 0

    def say(self, text: str) -> None:
        """Print it as it is."""
        self._console.print(rich_text(row(text)), soft_wrap=True)

    def draw(self, canvas: Canvas, last: bool = False) -> None:
        """Print a line when another quarter of the canvas has been revealed."""
        quarter = 4 * canvas.revealed // max(1, canvas.slots)
        if quarter > self._quarter and not last:
            self._quarter = quarter
            self.say(status(canvas))


class LivePicture:
    """The canvas drawn in place, at most 30 times a second; gone when the fill is over."""

    def __init__(self, console: "Console", scene: Scene, clock: Clock = time.monotonic) -> None:
        self._console = console
        self._scene = scene
        self._clock = clock
        self._pace = Pace()
        self._live: Live | None = None
        self._seen = 0

    def __enter__(self) -> Self:
        from rich.live import Live

        self._live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def say(self, text: str) -> None:
        """Print it above the picture."""
        self._console.print(rich_text(row(text, "dim")), soft_wrap=True)

    def draw(self, canvas: Canvas, last: bool = False) -> None:
        """Draw a frame, unless the one before is too young; news then waits for the next."""
        seconds = self._pace.frame(self._clock(), wanted=last or not canvas.step)
        if seconds is None:
            return
        size = Size(self._console.width, self._console.height - 2)
        rows = compose(self._scene, canvas, size, self._seen)
        rows.append(row(status(canvas, seconds), "dim"))
        self._show(rows)
        self._seen = canvas.update

    def _show(self, rows: list[Row]) -> None:
        from rich.console import Group

        if self._live:
            self._live.update(Group(*map(rich_text, rows)), refresh=True)


class Together(Silent):
    """Several views of one fill, such as the picture and its recording."""

    def __init__(self, *views: View) -> None:
        self._views = views
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        for view in self._views:
            self._stack.enter_context(view)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def say(self, text: str) -> None:
        """To all of them."""
        for view in self._views:
            view.say(text)

    def draw(self, canvas: Canvas, last: bool = False) -> None:
        """To all of them."""
        for view in self._views:
            view.draw(canvas, last)


def status(canvas: Canvas, seconds: float | None = None) -> str:
    """The line under the picture."""
    parts = [f"step {canvas.step}", f"revealed {canvas.revealed}/{canvas.slots}"]
    if seconds is not None:
        parts.append(f"{seconds * 1000:.0f} ms")
    return "  " + " \u00b7 ".join(parts)
