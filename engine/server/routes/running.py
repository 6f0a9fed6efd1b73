"""Runs fills for HTTP: to their end, or as settled text while they run; cancels when nobody waits.

A client that reads slowly holds up nothing: it is behind a mirror of the canvas, not a queue.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar

from msgspec.structs import replace

from engine.hole import Hole, hole_of
from engine.hub import EngineFacts
from engine.server.routes.asking import Asked, fills_of
from engine.server.routes.settled import SettledText, cut_at_stop
from engine.server.services import Services
from protocol.errors import ProtocolError
from protocol.messages import (
    Accepted,
    Cancel,
    Delta,
    Done,
    Error,
    Fill,
    ServerMessage,
    Snap,
    Splice,
    Stats,
    Token,
)
from protocol.mirror import Mirror
from protocol.replies import is_end
from protocol.values import FinishReason

T = TypeVar("T")
Gone = Callable[[], Awaitable[object]]
STOPPED_SECONDS = 2.0
"""How long an answer that a stop string ended waits to hear what it cost."""


class ClientGone(Exception):
    """Nobody waits for the answer any more."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one choice ended: at which stop string, if at one, and the tokens of its text."""

    text: str
    finish: FinishReason
    stats: Stats
    stop: str = ""
    tokens: tuple[Token, ...] = ()

    @property
    def reason(self) -> str:
        """In OpenAI's words."""
        return "length" if self.finish in ("length", "deadline") and not self.stop else "stop"


class Run:
    """One fill on a line of its own."""

    def __init__(self, services: Services, fill: Fill, stops: tuple[str, ...]) -> None:
        self._services = services
        self._fill = fill
        self._stops = stops
        self._settled = SettledText(_hole(fill), stops, silent=_may_miss(fill))
        self._mirror = Mirror()
        self._news = asyncio.Event()
        self._asked = False
        self._end: Done | Error | None = None
        self._link = services.hub.connect("http", self._deliver)

    async def begin(self) -> None:
        """Ask, and wait for the first word; ProtocolError if that is a refusal."""
        self._ask()
        await self._news.wait()
        if isinstance(self._end, Error):
            raise _raised(self._end)

    async def pieces(self) -> AsyncGenerator[str, None]:
        """Settled text as it comes; `outcome` is known behind the last. ProtocolError may come."""
        try:
            self._ask()
            while self._end is None and not self._settled.stop:
                await self._news.wait()
                self._news.clear()
                if piece := self._settled.grow(self._mirror.settled_text):
                    yield piece
            if self._settled.stop:
                await self._cancelled()
            elif self._end is not None and (rest := self._rest(self._end)):
                yield rest
        finally:
            self.close()

    async def outcome(self) -> Outcome:
        """The end; waits for it if need be."""
        async with aclosing(self.pieces()) as pieces:
            async for _ in pieces:
                pass
        return self.ended()

    def ended(self) -> Outcome:
        """How it ended, behind the last piece."""
        end = self._end
        if isinstance(end, Done) and not self._settled.stop:
            text, stop = cut_at_stop(end.text, self._stops)
            tokens = cut_tokens(end.tokens, len(text))
            return Outcome(text, end.finish, end.stats, stop, tokens)
        stats = end.stats if isinstance(end, Done) else Stats(tokens=self._mirror.settled)
        text = self._settled.said
        pairs = zip(self._mirror.cells, self._mirror.confidence, strict=True)
        seen = [Token(cell or "", sure, 0) for cell, sure in pairs]
        return Outcome(text, "stop", stats, self._settled.stop, cut_tokens(seen, len(text)))

    def close(self) -> None:
        """Cancel what still runs."""
        self._link.close()

    def _ask(self) -> None:
        if not self._asked:
            self._asked = True
            self._link.send(self._fill)

    async def _cancelled(self) -> None:
        """End what a stop string made needless; its end tells what it cost."""
        self._link.send(Cancel(self._fill.id))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOPPED_SECONDS):
                while self._end is None:
                    await self._news.wait()
                    self._news.clear()

    def _rest(self, end: Done | Error) -> str:
        if isinstance(end, Error):
            raise _raised(end)
        rest = self._settled.finish(end.text)
        if rest is None:
            raise ProtocolError("engine_failed", "The answer changed after a part of it was sent.")
        return rest

    def _deliver(self, message: ServerMessage) -> None:
        match message:
            case Accepted():
                self._mirror.apply(message)
            case Delta() | Splice() | Snap():
                if message.canvas == 0:
                    self._mirror.apply(message)
            case Done() | Error() if is_end(message):
                self._end = message
                self._services.metrics.ended(message)
            case _:
                pass
        self._news.set()


def cut_tokens(tokens: Iterable[Token], size: int) -> tuple[Token, ...]:
    """The tokens of the first `size` characters; the last one may lose its end."""
    kept = []
    for token in tokens:
        if size <= 0:
            break
        kept.append(replace(token, text=token.text[:size]))
        size -= len(token.text)
    return tuple(kept)


def _hole(fill: Fill) -> Hole:
    """The hole as the engine shapes it."""
    hole = hole_of(fill)
    return hole if fill.constraint is None else hole.as_it_is(fill.constraint.scope == "document")


def _may_miss(fill: Fill) -> bool:
    """Whether only the end tells what the answer is: its constraint may not be guaranteed."""
    return fill.constraint is not None and fill.constraint.best_effort


def _raised(error: Error) -> ProtocolError:
    return ProtocolError(
        error.code,  # type: ignore[arg-type]
        error.message,
        error.param,
        error.retry_after_ms,
    )


def ready_facts(services: Services) -> EngineFacts:
    """What the engine is; ProtocolError if there is none, or the server stops."""
    if services.sessions.draining:
        raise ProtocolError("draining", "The server is stopping.", None, 1000)
    if services.hub.facts is None:
        raise ProtocolError("overloaded", "Loading model", None, 1000)
    return services.hub.facts


def runs_of(services: Services, asked: Asked) -> list[Run]:
    """The runs of a request, one a choice."""
    fills = fills_of(asked, ready_facts(services))
    return [Run(services, fill, asked.stop) for fill in fills]


async def begun(runs: Iterable[Run], gone: Gone) -> None:
    """Until the engine has taken all runs; who streams them closes them.

    What it refuses is a ProtocolError here, while the status of the answer can still tell it.
    """
    try:
        await _while_there(asyncio.gather(*(run.begin() for run in runs)), gone)
    except BaseException:
        close(runs)
        raise


async def outcomes(runs: Iterable[Run], gone: Gone) -> list[Outcome]:
    """Every run to its end, side by side; ClientGone as soon as nobody waits for them."""
    try:
        return await _while_there(asyncio.gather(*(run.outcome() for run in runs)), gone)
    finally:
        close(runs)


def close(runs: Iterable[Run]) -> None:
    """Cancel what still runs."""
    for run in runs:
        run.close()


async def _while_there(work: asyncio.Future[T], gone: Gone) -> T:
    """What comes of `work`; ClientGone as soon as nobody waits for it."""
    watch = asyncio.ensure_future(gone())
    try:
        await asyncio.wait((work, watch), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise ClientGone
        return await work
    finally:
        work.cancel()
        watch.cancel()
        await asyncio.gather(work, watch, return_exceptions=True)


async def merged(runs: list[Run]) -> AsyncGenerator[tuple[int, str | None], None]:
    """The pieces of every choice as they come; (choice, None) is the end of one."""
    queue: asyncio.Queue[tuple[int, str | None] | BaseException] = asyncio.Queue(maxsize=8)

    async def pump(number: int, run: Run) -> None:
        try:
            async with aclosing(run.pieces()) as pieces:
                async for piece in pieces:
                    await queue.put((number, piece))
            await queue.put((number, None))
        except Exception as error:  # noqa: BLE001  # whatever it is, who reads must hear of it
            await queue.put(error)

    tasks = [asyncio.create_task(pump(number, run)) for number, run in enumerate(runs)]
    open_runs = len(runs)
    try:
        while open_runs:
            item = await queue.get()
            if isinstance(item, BaseException):
                raise item
            open_runs -= item[1] is None
            yield item
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
