"""What a person does to a canvas while it runs: pin text, throw tokens back, lock them."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from lsp_server.live.frames import Picture
from lsp_server.live.job import Job
from lsp_server.live.slots import Refused, carried
from lsp_server.server import RetouchServer
from lsp_server.text import characters, units
from protocol.cells import Cell
from protocol.messages import Delta, Error, Pin, Remask, Revise, Snap, Splice

ANSWER_SECONDS = 5.0
Change = Callable[[Picture, int, int], Pin | Remask]
"""The op for characters [start, stop) of a picture; Refused if there is none."""


@dataclass(frozen=True, slots=True)
class Target:
    """A place in a frame of a hole, in the units of the encoding; no `seq` means the last frame."""

    hole: int
    start: int
    stop: int
    seq: int | None = None


async def change(server: RetouchServer, job: Job, target: Target, make: Change) -> None:
    """Do it and see it done; Refused if the engine doesn't."""
    picture, start, stop = meant(job, target)
    op = make(picture, start, stop)
    tag = "pin" if isinstance(op, Pin) else "remask"
    if f"revise:{tag}" not in server.link.capabilities:
        raise Refused(f"This engine can't do that while it runs (`{tag}`).")
    watch = Watch(job, target.hole, op)
    job.listeners.append(watch)
    try:
        seed = None if isinstance(op, Pin) else job.step + 1  # else the same tokens come again
        server.link.send(Revise(job.engine_id, picture.seq, (op,), target.hole, seed=seed))
        await watch.done()
    finally:
        job.listeners.remove(watch)


def meant(job: Job, target: Target) -> tuple[Picture, int, int]:
    """A hole's newest picture and the characters of it that are meant; Refused if none are."""
    if target.hole >= len(job.holes):
        raise Refused("This job has no such hole.")
    pictures = job.holes[target.hole].pictures
    if not pictures:
        raise Refused("Nothing has been drawn of this hole yet.")
    newest = max(pictures)
    seen = pictures.get(newest if target.seq is None else target.seq)
    if seen is None:
        raise Refused("The canvas has changed since; choose again.")
    encoding = job.document.encoding
    if max(target.start, target.stop) > units(seen.text, encoding):
        raise Refused("This place is not in the last frame.")
    start, stop = (characters(seen.text, place, encoding) for place in (target.start, target.stop))
    return pictures[newest], *carried(seen, pictures[newest], start, stop)


@dataclass
class Watch:
    """Waits for what an op does to its canvas."""

    job: Job
    hole: int
    op: Pin | Remask
    _news: "asyncio.Future[None]" = field(default_factory=asyncio.Future)

    def __call__(self, message: Delta | Splice | Snap | Error | None) -> None:
        if self._news.done():
            return
        if message is None:
            self._news.set_exception(Refused("The job ended first."))
        elif isinstance(message, Error):
            self._news.set_exception(Refused(message.message))
        elif (
            not isinstance(message, Splice) and message.canvas == self.hole and self._is_it(message)
        ):
            self._news.set_result(None)

    async def done(self) -> None:
        """Returns once it is seen; Refused if it won't be."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._news
        except TimeoutError:
            raise Refused("The engine did not answer.") from None

    def _is_it(self, frame: Delta | Snap) -> bool:
        """Whether a frame shows what was asked for."""
        op, cells = self.op, self.job.holes[self.hole].canvas.mirror.cells
        told = frame.slots if isinstance(frame, Delta) else range(len(cells))
        if isinstance(op, Pin):
            return op.start in told and _text(cells[op.start :]).startswith(op.text)
        return any(slot in told and cells[slot] is None for slot in range(op.start, op.stop))


def _text(cells: list[Cell]) -> str:
    """The text up to the first mask."""
    stop = cells.index(None) if None in cells else len(cells)
    return "".join(cell or "" for cell in cells[:stop])
