"""A client over a real WebSocket: the protocol's client core around the websockets library."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection as Socket
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from protocol.client import ClientConnection
from protocol.codec import JSON, Codec
from protocol.messages import (
    ClientInfo,
    Done,
    Error,
    Fill,
    Hello,
    Resume,
    Scores,
    ServerMessage,
    ToClient,
    ToServer,
)

PATIENCE = 20


@dataclass
class Talk:
    """One connection. `messages` is everything that was received."""

    socket: Socket
    codec: Codec
    core: ClientConnection
    messages: list[ToClient] = field(default_factory=list)

    async def say(self, message: ToServer) -> None:
        await self.raw(self.core.send(message))

    async def raw(self, frame: bytes) -> None:
        await self.socket.send(frame if self.codec.binary else frame.decode())

    async def hear(self, acks: bool = True) -> ToClient:
        """The next message."""
        async with asyncio.timeout(PATIENCE):
            while True:
                frame = await self.socket.recv()
                message = self.core.receive(frame if isinstance(frame, bytes) else frame.encode())
                for ack in self.core.acks() if acks else ():
                    await self.raw(ack)
                if message is not None:
                    self.messages.append(message)
                    return message

    async def end(self, fill_id: str, acks: bool = True) -> Done | Error | Scores:
        """How a fill ends."""
        while True:
            message = await self.hear(acks)
            if isinstance(message, Error) and not message.ends:
                continue
            if isinstance(message, Done | Error | Scores) and message.id == fill_id:
                return message

    async def fill(self, fill: Fill) -> list[ServerMessage]:
        """Ask and listen to the end; every message of the fill."""
        await self.say(fill)
        await self.end(fill.id)
        return [m for m in self.messages if getattr(m, "id", None) == fill.id]  # type: ignore[misc]

    async def closed(self) -> int:
        """The close code, once the server has closed."""
        async with asyncio.timeout(PATIENCE):
            await self.socket.wait_closed()
        assert self.socket.close_code is not None
        return self.socket.close_code


@asynccontextmanager
async def talk(
    url: str,
    codec: Codec = JSON,
    *,
    token: str | None = None,
    hello: bool = True,
    resume: Resume | None = None,
    **options: Any,
) -> AsyncIterator[Talk]:
    """A connection that has said hello, and heard welcome."""
    headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
    async with connect(
        url,
        subprotocols=[Subprotocol(codec.subprotocol)],
        additional_headers=headers,
        compression=None,
        proxy=None,
        **options,
    ) as socket:
        line = Talk(socket, codec, ClientConnection(codec))
        if hello:
            info = ClientInfo("test", "0")
            await line.say(Hello(v=(1,), client=info, caps=("confidence",), resume=resume))
            await line.hear()
        yield line
