"""A running server behind EngineClient: the engine somebody else has loaded already."""

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection as Socket
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from engine.errors import EngineError
from engine.server.runtime import RuntimeInfo, find_server
from engine.server.token import read_token
from protocol.client import ClientConnection
from protocol.codec import MSGPACK
from protocol.errors import ProtocolError
from protocol.handshake import ClientInfo, Hello, Welcome
from protocol.limits import FRAME_LIMIT
from protocol.messages import ClientMessage, Error, Goaway, Pong, ServerMessage, Task
from protocol.states import IllegalOrder

OPEN_SECONDS = 5.0
NO_WELCOME = "The server did not welcome us; is it another version?"


class RemoteEngine:
    """See EngineClient; use it from one thread."""

    def __init__(self, socket: Socket, name: str, let_go: Callable[[], None]) -> None:
        self._socket = socket
        self._let_go = let_go
        self._core = ClientConnection(MSGPACK)
        self._lost: deque[ServerMessage] = deque()
        self._socket.send(self._core.send(Hello((1,), ClientInfo(name), ("confidence",))))
        try:
            answer = self._core.receive(self._frame())
        except (ProtocolError, IllegalOrder) as error:
            raise EngineError(f"{NO_WELCOME} {error}") from error
        if isinstance(answer, Error):
            raise EngineError(f"The server lets nobody in: {answer.message}")
        if not isinstance(answer, Welcome):
            raise EngineError(NO_WELCOME)

    def send(self, message: ClientMessage) -> None:
        """See EngineClient."""
        frame = self._core.send(message)
        if len(frame) > FRAME_LIMIT:
            self._refuse(message, len(frame))
            return
        try:
            self._socket.send(frame)
        except ConnectionClosed as error:
            self._lose(error)

    def receive(self) -> ServerMessage | None:
        """See EngineClient."""
        while not self._lost and self._core.live:
            try:
                message = self._core.receive(self._frame())
                for ack in self._core.acks():
                    self._socket.send(ack)
            except (ConnectionClosed, ProtocolError, IllegalOrder) as error:
                self._lose(error)
                continue
            if message is not None and not isinstance(message, Welcome | Pong | Goaway):
                return message
        return self._lost.popleft() if self._lost else None

    def close(self) -> None:
        """See EngineClient."""
        self._let_go()

    def _frame(self) -> bytes:
        frame = self._socket.recv()
        return frame if isinstance(frame, bytes) else frame.encode()

    def _refuse(self, message: ClientMessage, size: int) -> None:
        """The server would close the connection at such a frame. A live fill stays as it is."""
        if ends := isinstance(message, Task):
            self._core.live.pop(message.id, None)
        text = f"The request has {size} bytes; a server takes {FRAME_LIMIT}."
        self._lost.append(Error("too_large", text, message.id, ends=ends))

    def _lose(self, error: Exception) -> None:
        """The connection is gone, and with it every live fill."""
        for fill_id in list(self._core.live):
            text = f"The connection to the server broke: {error}"
            self._lost.append(Error("engine_failed", text, fill_id))
        self._core.live.clear()


def connect_engine(folder: Path, name: str = "retouch") -> RemoteEngine | None:
    """The engine of the server that runs; None if there is none.

    EngineError if there is one that doesn't let us in.
    """
    info = find_server(folder)
    if info is None:
        return None
    with ExitStack() as stack:
        try:
            socket = stack.enter_context(_connection(info))
            engine = RemoteEngine(socket, name, socket.close)
            stack.pop_all()
        except (OSError, InvalidHandshake, ConnectionClosed) as error:
            text = f"The server at {info.url} does not answer as it should: {error}"
            raise EngineError(text) from error
        return engine


def _connection(info: RuntimeInfo) -> AbstractContextManager[Socket]:
    headers = {}
    if info.token_file is not None:
        headers["Authorization"] = f"Bearer {read_token(Path(info.token_file))}"
    return connect(
        info.url.replace("http://", "ws://") + "/v1/infill",
        subprotocols=[Subprotocol(MSGPACK.subprotocol)],
        additional_headers=headers,
        compression=None,
        proxy=None,
        open_timeout=OPEN_SECONDS,
        max_size=FRAME_LIMIT,
    )
