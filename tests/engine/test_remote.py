"""A server that doesn't let a client in says why."""

from typing import cast

import pytest

from engine.errors import EngineError
from engine.remote import RemoteEngine, Socket
from protocol.codec import MSGPACK
from protocol.messages import Error


class Answering:
    """A socket whose other side answers the first message."""

    def __init__(self, answer: Error) -> None:
        self.answer = MSGPACK.encode(answer)

    def send(self, _: bytes) -> None:
        pass

    def recv(self) -> bytes:
        return self.answer


def test_a_server_that_stops_says_so() -> None:
    socket = Answering(Error("draining", "The server is stopping."))
    with pytest.raises(EngineError, match="lets nobody in: The server is stopping"):
        RemoteEngine(cast(Socket, socket), "test", lambda: None)
