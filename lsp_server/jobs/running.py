"""One job from its first word to its last: ask the engine, draw, put the answer in, say the end."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from lsp_server.documents import Document
from lsp_server.jobs.committing import Put, commit
from lsp_server.jobs.drawing import Draw, Drawing, board, overlay
from lsp_server.jobs.guards import refusal
from lsp_server.jobs.plans import (
    UNCONSTRAINED,
    Plan,
    Request,
    held_less,
    job_of,
)
from lsp_server.jobs.progress import Progress
from lsp_server.jobs.registry import Registry
from lsp_server.jobs.streaming import EDITS_A_SECOND, Stream
from lsp_server.link.finding import LinkError
from lsp_server.live.job import Ending, Job
from lsp_server.params import Token
from lsp_server.server import RetouchServer
from protocol.errors import ProtocolError
from protocol.messages import Accepted, Cancel, Delta, Done, Error, Snap, Splice

PROGRESS_FPS = 4.0
BUSY = "Too many jobs are running; wait for one to end or cancel it."
BROKEN = "The language server made a mistake; its log says which."
NOTHING_YET = "Nothing had settled yet."
NOTHING_ELSE = "Nothing else was found."


@dataclass(frozen=True, slots=True)
class Manner:
    """How the editor hears of a job.

    Attributes:
        by_command: it was begun by a command, so that the editor may not know our methods.
        token: where the editor wants to see progress.
    """

    by_command: bool = False
    token: Token | None = None


def begin(server: RetouchServer, plan: Plan, document: Document, manner: Manner) -> Job:
    """Start a job; it runs behind this. Raises a refusal if too many run."""
    registry = server.part(Registry)
    if registry.is_full:
        raise refusal(BUSY)
    job = job_of(plan, document, registry.name())
    registry.add(job)
    server.cancels.start(Run(server, job, plan, manner).go(), ("job", job.id))
    return job


class Run:
    """The task of one job."""

    def __init__(self, server: RetouchServer, job: Job, plan: Plan, manner: Manner) -> None:
        self._server = server
        self._job = job
        self._plan = plan
        self._manner = manner
        self._ours = not manner.by_command or bool(server.abilities)
        self._progress = Progress(server, job, manner.token)
        self._stream = Stream(server, job) if self._streams() else None
        fps, draws = self._draws()
        self._drawing = Drawing(fps, [board(server, job), self._progress.draw, *draws])
        self._begun = self._stopped = False
        job.news, job.stop = self._drawing.news, self._stop

    async def go(self) -> None:
        """Run to the end; whatever happens, the editor hears of it once."""
        self._server.board.job(self._job.id)
        if self._manner.token is not None or not self._server.abilities:
            self._progress.start()
        self._begun, ending = True, Ending("failed", BROKEN)
        try:
            ending = self._job.why if self._stopped else await self._work()
        except asyncio.CancelledError:
            ending = self._job.why
        except LinkError as error:
            ending = Ending("failed", str(error))
        except ProtocolError as error:
            ending = Ending("failed", f"The engine can't be understood: {error}")
        finally:
            self._drawing.stop()
            await self._end(ending)

    async def _work(self) -> Ending:
        """Ask until there is an answer, then put it in."""
        await self._server.link.ready(force=True)
        attempt = 0
        while (task := self._plan.ask(self._job, attempt)) is not None:
            end = await self._listen(task)
            while (again := held_less(task, end, self._server.link.capabilities)) is not None:
                if again.constraint is None:
                    self._server.tell_once(UNCONSTRAINED)
                task, end = again, await self._listen(again)
            if isinstance(end, Error):
                return Ending("failed", end.message)
            if end.finish in ("cancelled", "superseded") and not self._job.accepting:
                return Ending("cancelled", "The engine was asked to stop.", end.stats)
            texts = self._plan.answers(self._job, end)
            if texts is not None:
                return await self._put(texts, end)
            if self._job.accepting:
                return Ending("unchanged", NOTHING_YET, end.stats)
            attempt += 1
        return Ending("unchanged", NOTHING_ELSE)

    async def _listen(self, task: Request) -> Done | Error:
        """Follow what the engine does; returns the end."""
        self._job.begins(task.id)
        async with aclosing(self._server.link.run(task, force=True)) as messages:
            async for message in messages:
                match message:
                    case Accepted() | Delta() | Splice() | Snap():
                        self._job.hear(message)
                    case Done():
                        return message
                    case Error(ends=True):
                        return message
                    case Error():
                        self._job.say(message)
        raise ProtocolError("engine_failed", "The engine did not say how it ended.")

    async def _put(self, texts: Sequence[str | None], end: Done) -> Ending:
        if self._job.accepting and not any(texts):
            return Ending("unchanged", NOTHING_YET, end.stats)
        self._job.committing = True
        self._drawing.stop()
        done = await self._committed(texts)
        if done.applied:
            return Ending("done" if done.changed else "unchanged", "", end.stats)
        if (lost := self._job.lost) is not None:
            return replace(lost, stats=end.stats)
        if done.conflict:
            return Ending("conflict", done.why, end.stats)
        return Ending("cancelled" if done.turned_down else "failed", done.why, end.stats)

    async def _committed(self, texts: Sequence[str | None]) -> Put:
        if self._stream is not None:
            return await self._stream.commit(texts)
        return await commit(self._server, self._job, texts)

    async def _end(self, ending: Ending) -> None:
        """Leave the document as it should be and say the last word."""
        server, job = self._server, self._job
        job.committing = True
        if self._stream is not None and ending.reason in ("cancelled", "failed", "unchanged"):
            await self._stream.restore()
            ending = job.lost or ending
        server.part(Registry).remove(job)
        server.board.job_over(job.id)
        job.say(None)
        self._progress.end(ending)
        if self._ours:
            server.protocol.notify("retouch/ended", ending.as_json(job.id))
        elif ending.reason in ("failed", "conflict"):
            server.warn(ending.message)

    def _stop(self, ending: Ending) -> bool:
        """Stop it, if the answer is not on its way into the document already."""
        if self._job.committing:
            return False
        self._job.why, self._stopped = ending, True
        if not self._begun:
            return True  # a task that is cancelled before its first step would say nothing
        return self._server.cancels.cancel(("job", self._job.id))

    def _streams(self) -> bool:
        settings = self._server.settings
        return settings.live == "buffer" and not settings.diff_first

    def _draws(self) -> tuple[float, list[Draw]]:
        """How fast, and by what, the canvas is shown."""
        settings = self._server.settings
        if self._stream is not None:
            return EDITS_A_SECOND, [self._stream.draw]
        if settings.live != "off" and "denoise" in self._server.abilities:
            return float(settings.fps), [overlay(self._server, self._job)]
        return PROGRESS_FPS, []


def accept(server: RetouchServer, job: Job) -> bool:
    """Take what is there now as the answer; False if it is being taken already."""
    if job.committing or not job.engine_id:
        return False
    job.accepting = True
    server.link.send(Cancel(job.engine_id))
    return True
