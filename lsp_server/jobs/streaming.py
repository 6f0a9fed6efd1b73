"""`live: buffer`: the answer typed into the document while it is made, for those who want that.

Only clean text: what is settled from the left. At most four edits a second, one at a time, each
seen in the document before the next; the first edit of anybody else ends it, and the rest comes in
one piece. Most editors keep one undo step for each edit. A job that is stopped puts the old text
back.
"""

import asyncio
from collections.abc import Sequence

from lsp_server.jobs.committing import Put, by_edit, put
from lsp_server.live.job import Job
from lsp_server.server import RetouchServer

EDITS_A_SECOND = 4.0


class Stream:
    """One job's text on its way into the document."""

    def __init__(self, server: RetouchServer, job: Job) -> None:
        self._server = server
        self._job = job
        self._old = [self._text(number) for number in range(len(job.holes))]
        self._edited = False
        self._flying: asyncio.Task[None] | None = None

    def draw(self, hole: int) -> None:
        """Type what is new, unless the last edit is still on its way."""
        if not self._job.foreign and (self._flying is None or self._flying.done()):
            self._flying = asyncio.get_running_loop().create_task(self._type())

    async def commit(self, texts: Sequence[str | None]) -> Put:
        """The whole answer, behind what is on its way."""
        await self._arrived()
        done = await put(self._server, self._job, texts, by_edit)
        return Put(done.applied, done.changed or self._edited, done.conflict, done.why)

    async def restore(self) -> None:
        """The text as it was before."""
        await self._arrived()
        if self._edited:
            for hole in self._job.holes:
                hole.lead = ""
            await put(self._server, self._job, self._old, by_edit)

    async def _type(self) -> None:
        texts = [hole.canvas.mirror.settled_text or None for hole in self._job.holes]
        done = await put(self._server, self._job, texts, by_edit, tries=1)
        self._edited = self._edited or (done.applied and done.changed)

    async def _arrived(self) -> None:
        if self._flying is not None:
            await asyncio.gather(self._flying, return_exceptions=True)

    def _text(self, number: int) -> str:
        span = self._job.holes[number].span
        return self._job.document.text.value[span.start : span.stop]
