"""`live: buffer`: the answer typed into the document while it is made, for those who want that.

Only clean text: what is settled from the left, and of a text that stands only what has no masks. At
most four edits a second, one at a time, each seen in the document before the next; the first edit
of anybody else ends it, and the rest comes in one piece. Most editors keep one undo step for each
edit. A job that comes to nothing puts the old text back.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from lsp_server.jobs.committing import Put, by_edit, put
from lsp_server.jobs.plans import kept
from lsp_server.live.job import Hole, Job
from lsp_server.server import RetouchServer

EDITS_A_SECOND = 4.0


class Stream:
    """One job's text on its way into the document."""

    def __init__(self, server: RetouchServer, job: Job) -> None:
        self._server = server
        self._job = job
        self._edited = False
        self._flying: asyncio.Task[None] | None = None

    def draw(self, hole: int) -> None:
        """Type what is new, unless the last edit is still on its way."""
        if not self._job.foreign and (self._flying is None or self._flying.done()):
            self._flying = asyncio.get_running_loop().create_task(self._type())

    async def commit(self, texts: Sequence[str | None]) -> Put:
        """The whole answer, behind what is on its way; a hole that has none is as it was."""
        await self._arrived()
        holes = self._job.holes
        whole = [
            self._before(hole) if text is None else text
            for hole, text in zip(holes, texts, strict=True)
        ]
        done = await put(self._server, self._job, whole, by_edit)
        return replace(done, changed=any(self._text(hole) != hole.old for hole in holes))

    async def restore(self) -> None:
        """The text as it was before."""
        await self._arrived()
        if self._edited:
            texts = [self._before(hole) for hole in self._job.holes]
            await put(self._server, self._job, texts, by_edit)

    async def _type(self) -> None:
        job = self._job
        texts = [self._shown(hole) for hole in job.holes]
        done = await put(self._server, job, texts, by_edit, tries=1)
        self._edited = self._edited or (done.applied and done.changed)
        if job.lost is not None:
            job.stop(job.lost)

    async def _arrived(self) -> None:
        if self._flying is not None:
            await asyncio.gather(self._flying, return_exceptions=True)

    def _shown(self, hole: Hole) -> str | None:
        """What of a canvas may stand in the document; None leaves it as it is."""
        mirror = hole.canvas.mirror
        if self._job.standing and None in mirror.cells:
            return None
        return kept(self._job, hole, mirror.settled_text) or None

    def _before(self, hole: Hole) -> str:
        """The text that stood in a hole, which no lead comes before any more."""
        hole.lead = ""
        return hole.old

    def _text(self, hole: Hole) -> str:
        return self._job.document.text.value[hole.span.start : hole.span.stop]
