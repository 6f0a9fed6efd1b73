"""One open connection to the server: several jobs at a time, each with a queue of its own."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from websockets.asyncio.client import ClientConnection as Socket
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from lsp_server.link.finding import Endpoint, LinkError
from protocol.client import ClientConnection
from protocol.codec import MSGPACK
from protocol.errors import ProtocolError
from protocol.handshake import Bye, ClientInfo, Hello, Welcome
from protocol.limits import FRAME_LIMIT
from protocol.messages import Cancel, Error, Goaway, Revise, ServerMessage, Task
from protocol.replies import is_end
from protocol.states import IllegalOrder

OPEN_SECONDS = 5.0
Replies = asyncio.Queue[ServerMessage]


class Line:
    """See the module; made by `open_line`.

    Attributes:
        welcome: what the server can do.
        leaving: the server has said that it stops.
        closed: set once the connection is gone and every job has heard of it.
    """

    def __init__(
        self, socket: Socket, core: ClientConnection, lost: Callable[["Line"], None]
    ) -> None:
        assert core.welcome is not None
        self.welcome: Welcome = core.welcome
        self.leaving = False
        self.closed = asyncio.Event()
        self._socket = socket
        self._core = core
        self._lost = lost
        self._jobs: dict[str, Replies] = {}
        self._out: asyncio.Queue[bytes] = asyncio.Queue()
        self._running = asyncio.create_task(self._run())

    @property
    def jobs(self) -> int:
        """Jobs that have not ended."""
        return len(self._jobs)

    def ask(self, task: Task) -> Replies:
        """Begin a job; its queue ends with a Done, Scores or Error that ends it."""
        replies = self._jobs[task.id] = Replies()
        if self.closed.is_set():
            replies.put_nowait(_broken(task.id))
        else:
            self._put(self._core.send(task))
        return replies

    def say(self, message: Revise | Cancel) -> None:
        """Change or end a job; nothing happens if it has ended."""
        if message.id in self._jobs and not self.closed.is_set():
            self._put(self._core.send(message))

    def forget(self, job_id: str) -> None:
        """Nobody listens to this job any more: end it if it runs."""
        if job_id in self._jobs:
            if job_id in self._core.live:
                self.say(Cancel(job_id))
            del self._jobs[job_id]

    async def close(self) -> None:
        """Say goodbye and hang up."""
        if not self.closed.is_set():
            with suppress(ConnectionClosed):
                await self._socket.send(self._core.send(Bye()))
            await self._socket.close()
        await asyncio.gather(self._running, return_exceptions=True)

    def _put(self, frame: bytes) -> None:
        self._out.put_nowait(frame)

    async def _run(self) -> None:
        """Read and write until the connection is gone."""
        writer = asyncio.create_task(self._write())
        try:
            async for frame in self._socket:
                self._take(frame if isinstance(frame, bytes) else frame.encode())
        except (ConnectionClosed, ProtocolError, IllegalOrder):
            pass
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            self.closed.set()
            for job_id, replies in self._jobs.items():
                replies.put_nowait(_broken(job_id))
            self._lost(self)
            await self._socket.close()

    async def _write(self) -> None:
        while True:
            frame = await self._out.get()
            await self._socket.send(frame)

    def _take(self, frame: bytes) -> None:
        message = self._core.receive(frame)
        for ack in self._core.acks():
            self._put(ack)
        if isinstance(message, Goaway):
            self.leaving = True
        job_id = getattr(message, "id", None)
        if job_id is None or message is None:
            return
        replies = self._jobs.get(job_id)
        if replies is not None:
            replies.put_nowait(message)  # type: ignore[arg-type]
            if is_end(message):
                del self._jobs[job_id]


async def open_line(endpoint: Endpoint, name: str, lost: Callable[[Line], None]) -> Line:
    """Connect and greet; LinkError if the server is gone or refuses."""
    headers = {} if endpoint.token is None else {"Authorization": f"Bearer {endpoint.token}"}
    try:
        socket = await connect(
            endpoint.url,
            subprotocols=[Subprotocol(MSGPACK.subprotocol)],
            additional_headers=headers,
            compression=None,
            proxy=None,
            open_timeout=OPEN_SECONDS,
            close_timeout=1.0,
            max_size=FRAME_LIMIT,
        )
    except (OSError, WebSocketException) as error:
        raise LinkError(f"The server at {endpoint.url} does not answer: {error}.") from error
    try:
        return Line(socket, await _greet(socket, name), lost)
    except BaseException:
        await socket.close()
        raise


async def _greet(socket: Socket, name: str) -> ClientConnection:
    core = ClientConnection(MSGPACK)
    try:
        async with asyncio.timeout(OPEN_SECONDS):
            await socket.send(core.send(Hello((1,), ClientInfo(name), ("confidence",))))
            frame = await socket.recv()
            said = core.receive(frame if isinstance(frame, bytes) else frame.encode())
    except (OSError, ConnectionClosed, ProtocolError, IllegalOrder) as error:
        raise LinkError(f"The server does not talk as it should: {error}.") from error
    if not isinstance(said, Welcome):
        text = said.message if isinstance(said, Error) else "is it another version?"
        raise LinkError(f"The server did not welcome us: {text}")
    return core


def _broken(job_id: str) -> Error:
    return Error("engine_failed", "The connection to the engine broke; ask again.", job_id)
