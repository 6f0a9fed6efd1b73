"""EngineLink: jobs in, messages out, over a connection that is opened when it is needed."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from time import monotonic

from lsp_server.link.finding import Endpoint, LinkError
from lsp_server.link.line import Line, open_line
from protocol.handshake import Welcome
from protocol.messages import Cancel, Done, Error, Revise, Scores, ServerMessage, Task
from protocol.replies import is_end

Locate = Callable[[Callable[[], None]], Awaitable[Endpoint]]
"""Finds the server or starts it; calls its argument if that takes a while."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
DRAIN_SECONDS = 6.0
AGAIN, AGAIN_SECONDS = 8, 0.5


class EngineLink:
    """One connection shared by all jobs, opened by the first that needs it.

    A connection that breaks ends its jobs with an Error and is opened again by the next job. After
    a failure, jobs fail at once until some time has passed, twice as long each time.

    Args:
        locate: see Locate.
        told: hears what the connection is: "starting", "open", "closed", or "offline" and why.
    """

    def __init__(
        self,
        locate: Locate,
        told: Callable[[str, str], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._locate = locate
        self._told = told
        self._clock = clock
        self._line: Line | None = None
        self._opening: asyncio.Task[Line] | None = None
        self._failures = 0
        self._retry_at = 0.0
        self._why = ""
        self._ended = False

    @property
    def welcome(self) -> Welcome | None:
        """What the server can do and allows, while there is a connection."""
        return self._line.welcome if self._is_open() and self._line is not None else None

    @property
    def capabilities(self) -> frozenset[str]:
        """What the engine can do (see protocol.capabilities); nothing without a connection."""
        return frozenset(self.welcome.caps) if self.welcome is not None else frozenset()

    @property
    def jobs(self) -> int:
        """Jobs that have been asked for and not ended."""
        return self._line.jobs if self._line is not None else 0

    def relocate(self, locate: Locate) -> None:
        """Look elsewhere from the next connection on; the one that is open is left.

        One that is still being opened is given up, and who waits for it gets the next.
        """
        self._locate, self._retry_at, self._failures = locate, 0.0, 0
        if self._opening is not None and self._opening.cancel():
            self._told("closed", "")
        if self._line is not None:
            self._line.leaving = True

    async def ready(self, *, force: bool = False) -> Welcome:
        """A connection; LinkError if there is none. `force` tries even soon after a failure."""
        return (await self._open(force)).welcome

    async def run(self, task: Task, *, force: bool = False) -> AsyncGenerator[ServerMessage, None]:
        """What the engine says of a job: Accepted, frames, one end (Done, Scores or Error).

        Leaving the iterator early (in `contextlib.aclosing`, or by cancellation) ends the job.
        LinkError if there is no connection; one that breaks later is an Error.
        """
        line = await self._open(force)
        replies = line.ask(task)
        try:
            while True:
                message = await replies.get()
                yield message
                if is_end(message):
                    return
        finally:
            line.forget(task.id)

    async def result(self, task: Task, *, force: bool = False) -> Done | Scores | Error:
        """How a job ends, without its frames. LinkError as for `run`."""
        async with aclosing(self.run(task, force=force)) as messages:
            async for message in messages:
                if isinstance(message, Done | Scores | Error) and is_end(message):
                    return message
        raise AssertionError("a job always ends")

    def send(self, message: Revise | Cancel) -> None:
        """Change or end a job that runs; nothing happens if it has ended."""
        if self._line is not None:
            self._line.say(message)

    async def close(self) -> None:
        """Hang up for good."""
        self._ended = True
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.gather(self._opening, return_exceptions=True)
        if self._line is not None:
            await self._line.close()

    def _is_open(self) -> bool:
        line = self._line
        return line is not None and not line.leaving and not line.closed.is_set()

    async def _open(self, force: bool) -> Line:
        while not self._is_open():
            opening = self._begun(force)
            await asyncio.wait((opening,))
            if not opening.cancelled():
                return opening.result()
        assert self._line is not None
        return self._line

    def _begun(self, force: bool) -> asyncio.Task[Line]:
        """The connection that is being opened. LinkError if none should be now."""
        if self._ended:
            raise LinkError("The language server is stopping.")
        if self._opening is None or self._opening.done():
            if self._clock() < self._retry_at and not force:
                raise LinkError(self._why)
            self._opening = asyncio.create_task(self._connect())
            self._opening.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._opening

    async def _connect(self) -> Line:
        try:
            line = await self._reach()
        except LinkError as error:
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2**self._failures)
            self._failures = min(self._failures + 1, 10)
            self._retry_at, self._why = self._clock() + wait, str(error)
            self._told("offline", self._why)
            raise
        self._line, self._failures, self._retry_at = line, 0, 0.0
        self._told("open", "")
        return line

    async def _reach(self) -> Line:
        """Find the server and greet it. One that we knew may be on its way out: then wait."""
        await self._left()
        tries = AGAIN if self._line is not None else 1
        while True:
            endpoint = await self._locate(lambda: self._told("starting", ""))
            try:
                return await open_line(endpoint, "retouch-lsp", self._lost)
            except LinkError:
                tries -= 1
                if not tries:
                    raise
            await asyncio.sleep(AGAIN_SECONDS)

    async def _left(self) -> None:
        """Let a server that stops finish what it does for us, so that its successor is found."""
        line = self._line
        if line is None or line.closed.is_set():
            return
        try:
            async with asyncio.timeout(DRAIN_SECONDS if line.jobs else 0.0):
                await line.closed.wait()
        except TimeoutError:
            await line.close()

    def _lost(self, line: Line) -> None:
        if line is self._line and not self._ended:
            self._told("closed", "")
