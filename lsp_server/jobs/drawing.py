"""A job's news to the editor, at the pace that was asked for: frames, progress, status."""

import asyncio
from collections.abc import Callable, Sequence

from lsp_server.live.job import Job
from lsp_server.live.pace import Pace
from lsp_server.server import RetouchServer
from lsp_server.text import units

Draw = Callable[[int], None]
"""Shows the newest state of one hole."""


class Drawing:
    """Calls what draws, whenever there is news and its time has come."""

    def __init__(self, fps: float, draws: Sequence[Draw]) -> None:
        self._loop = asyncio.get_running_loop()
        self._pace = Pace(fps, self._loop.time())
        self._draws = draws
        self._timer: asyncio.TimerHandle | None = None

    def news(self, hole: int) -> None:
        """A hole's canvas changed."""
        self._pace.news(hole)
        self._arm()

    def stop(self) -> None:
        """Draw nothing more."""
        if self._timer is not None:
            self._timer.cancel()
        self._draws = ()

    def _arm(self) -> None:
        wake_at = self._pace.wake_at
        if self._timer is None and wake_at is not None:
            self._timer = self._loop.call_at(wake_at, self._fire)

    def _fire(self) -> None:
        self._timer = None
        for hole in self._pace.take(self._loop.time()):
            for draw in self._draws:
                draw(hole)
        self._arm()


def overlay(server: RetouchServer, job: Job) -> Draw:
    """Frames that the editor's Retouch client draws over the text."""

    def draw(number: int) -> None:
        hole, document = job.holes[number], job.document
        job.seq += 1
        picture = hole.draw(job.seq)
        frame = {
            "jobId": job.id,
            "seq": job.seq,
            "step": job.step,
            "steps": server.settings.steps,
            "uri": document.uri,
            "version": document.version,
            "hole": number,
            "range": document.range(hole.span.start, hole.span.stop),
            "lines": picture.lines(lambda text: units(text, document.encoding)),
            "done": False,
        }
        server.protocol.notify("retouch/denoise", frame)

    return draw


def board(server: RetouchServer, job: Job) -> Draw:
    """The step that the job is at, in the status."""

    def draw(number: int) -> None:
        server.board.job(job.id, job.step, server.settings.steps)

    return draw
