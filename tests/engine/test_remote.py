"""A server that doesn't let a client in says why."""

from typing import cast

import msgspec
import pytest

from engine.client import stream
from engine.errors import EngineError
from engine.remote import RemoteEngine, Socket
from protocol.codec import MSGPACK
from protocol.limits import Limits
from protocol.messages import Error, Fill, Pong, Welcome


class Listening:
    """A socket whose other side lets everybody in and only listens."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def send(self, frame: bytes) -> None:
        self.heard.append(frame)

    def recv(self) -> bytes:
        return MSGPACK.encode(Welcome(1, "s", "t", 0, 0, Limits(), (), ()))


class Answering:
    """A socket whose other side answers the first message."""

    def __init__(self, answer: Error | bytes) -> None:
        self.answer = answer if isinstance(answer, bytes) else MSGPACK.encode(answer)

    def send(self, _: bytes) -> None:
        pass

    def recv(self) -> bytes:
        return self.answer


def test_a_request_that_is_too_large_is_an_error_and_is_not_sent() -> None:
    socket = Listening()
    engine = RemoteEngine(cast(Socket, socket), "test", lambda: None)
    large = "\u4e2d" * 190_000
    (error,) = stream(engine, Fill("f", prefix=large, suffix="", old_text=large))
    assert isinstance(error, Error)
    assert (error.code, error.id) == ("too_large", "f")
    assert engine.receive() is None, "the fill is over"
    assert len(socket.heard) == 1, "only the hello was sent"


def test_a_server_that_stops_says_so() -> None:
    socket = Answering(Error("draining", "The server is stopping."))
    with pytest.raises(EngineError, match="lets nobody in: The server is stopping"):
        RemoteEngine(cast(Socket, socket), "test", lambda: None)


@pytest.mark.parametrize(
    "answer",
    [
        b"\xc1",
        msgspec.msgpack.encode({"type": "welcome", "v": 2}),
        MSGPACK.encode(Pong(0)),
        msgspec.msgpack.encode({"type": "other"}),
    ],
)
def test_a_server_of_another_version_is_no_fault_of_ours(answer: bytes) -> None:
    with pytest.raises(EngineError, match="version"):
        RemoteEngine(cast(Socket, Answering(answer)), "test", lambda: None)
