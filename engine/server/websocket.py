"""The WebSocket route: one task always receives, one sends, and time is kept between them."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any, cast

from litestar import WebSocket, websocket
from litestar.di import NamedDependency
from litestar.exceptions import WebSocketDisconnect

from engine.server.services import Services
from engine.server.sessions import Attached, Session, Sessions
from protocol.codec import CODECS, Codec
from protocol.connection import Greeting, ServerConnection
from protocol.errors import NO_VERSION, OVER_LIMIT, WRONG_KIND, Close
from protocol.handshake import Hello

logger = logging.getLogger(__name__)

CLOSE_SECONDS = 2.0


class Conversation:
    """One connection from accept to close."""

    def __init__(
        self,
        socket: WebSocket[Any, Any, Any],
        codec: Codec,
        sessions: Sessions,
        clock: Callable[[], float],
    ) -> None:
        self._socket = socket
        self._codec = codec
        self._sessions = sessions
        self._clock = clock
        self._news = asyncio.Event()
        self._session: Session | None = None
        limits = sessions.limits
        self._connection = ServerConnection(codec, self._greet, limits, clock())
        self._attached = Attached(self._connection, self._news.set)

    async def run(self) -> None:
        """Talk until either side ends it; then the session is left."""
        reader = asyncio.create_task(self._read())
        sender = asyncio.create_task(self._send())
        try:
            while not (reader.done() or sender.done()):
                await asyncio.wait(
                    (reader, sender), timeout=self._patience(), return_when="FIRST_COMPLETED"
                )
                self._connection.tick(self._clock())
                self._news.set()
                if self._connection.close is not None:
                    await asyncio.wait((sender,), timeout=CLOSE_SECONDS)
                    break
            for task in (reader, sender):
                if task.done() and not task.cancelled():
                    task.result()
        finally:
            for task in (reader, sender):
                task.cancel()
            await asyncio.gather(reader, sender, return_exceptions=True)
            if self._session is not None:
                self._sessions.leave(self._session, self._attached)
            await self._close()

    def _greet(self, hello: Hello) -> Greeting:
        greeting, self._session = self._sessions.greet(hello, self._attached)
        return greeting

    def _patience(self) -> float:
        """Seconds until time makes something due; a moment at most, for what only time shows."""
        wake = self._connection.wake_at()
        return 1.0 if wake is None else max(0.0, min(1.0, wake - self._clock()))

    async def _read(self) -> None:
        """Take every frame as it comes; waits for nothing but the next."""
        kind = "bytes" if self._codec.binary else "text"
        while self._connection.close is None:
            event = cast(dict[str, Any], await self._socket.receive())
            if event["type"] == "websocket.disconnect":
                return
            frame = event.get(kind)
            if frame is None:
                self._connection.close = Close(WRONG_KIND, f"{self._codec.subprotocol} has {kind}")
                break
            data = frame if isinstance(frame, bytes) else frame.encode("utf-8", "surrogatepass")
            for request in self._connection.receive(data, self._clock()):
                if self._session is not None:
                    self._session.ask(request)
            self._news.set()
        self._news.set()
        await asyncio.Event().wait()  # until the sender has said the last words

    async def _send(self) -> None:
        """Send what may leave; when the connection is to end, the last words, then return."""
        while True:
            frames = self._connection.drain(self._clock())
            for frame in frames:
                await self._put(frame)
            if frames:
                continue
            if self._connection.close is not None:
                return
            await self._news.wait()
            self._news.clear()

    async def _put(self, frame: bytes) -> None:
        if self._codec.binary:
            await self._socket.send_bytes(frame)
        else:
            await self._socket.send_text(frame.decode())

    async def _close(self) -> None:
        close = self._connection.close
        if close is None:
            return
        with contextlib.suppress(Exception):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._socket.close(code=close.code, reason=close.reason)


@websocket("/v1/infill")
async def infill(socket: WebSocket[Any, Any, Any], services: NamedDependency[Services]) -> None:
    """infill.v1: see protocol.messages; the subprotocol chooses the encoding."""
    offered = cast(list[str], socket.scope.get("subprotocols") or [])
    codec = next((CODECS[name] for name in offered if name in CODECS), None)
    await socket.accept(subprotocols=codec.subprotocol if codec is not None else None)
    if codec is None:
        await socket.close(code=NO_VERSION, reason=f"offer one of {', '.join(CODECS)}")
        return
    if services.connections > services.config.connections:
        await socket.close(code=OVER_LIMIT, reason="too many connections")
        return
    with services.metrics.connections.track_inprogress():
        try:
            await Conversation(socket, codec, services.sessions, services.clock).run()
        except (WebSocketDisconnect, OSError):
            logger.debug("the client left while it was spoken to")
