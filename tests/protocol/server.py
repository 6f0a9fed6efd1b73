"""A ServerConnection with the client's decoder in front of it, for tests without a socket."""

from msgspec import Struct

from protocol.client import ClientConnection
from protocol.codec import JSON, Codec
from protocol.connection import Greeting, ServerConnection
from protocol.errors import ProtocolError
from protocol.ledger import Ledger
from protocol.limits import Limits
from protocol.messages import (
    Accepted,
    ClientMessage,
    Delta,
    Fill,
    Hello,
    ToClient,
)
from tests.protocol.examples import HELLO, WELCOME

ACCEPTED = Accepted("a", "fake", 0, 4, "fixed")
FILL = Fill(id="a", prefix="x", suffix="y", deadline_ms=9000)


class Server:
    """A ServerConnection with the client's decoder in front of it."""

    def __init__(self, codec: Codec = JSON, limits: Limits = Limits()) -> None:  # noqa: B008
        self.ledger = Ledger("s")
        self.codec, self.now = codec, 0.0
        self.hellos: list[Hello] = []
        self.refuse: ProtocolError | None = None
        self.welcome = WELCOME
        self.connection = ServerConnection(codec, self.greet, limits, 0.0)
        self.client = ClientConnection(codec)

    def greet(self, hello: Hello) -> Greeting:
        self.hellos.append(hello)
        if self.refuse:
            raise self.refuse
        return Greeting(self.welcome, self.ledger)

    def hears(self, message: Struct) -> list[ClientMessage]:
        return self.connection.receive(self.codec.encode(message), self.now)  # type: ignore[arg-type]

    def says(self) -> list[ToClient]:
        """What the client makes of the frames that leave now."""
        received = [self.client.receive(frame) for frame in self.connection.drain(self.now)]
        return [message for message in received if message is not None]

    def closed(self) -> int | None:
        return self.connection.close and self.connection.close.code


def greeted(codec: Codec = JSON, hello: Hello = HELLO) -> Server:
    server = Server(codec)
    server.client.send(hello)
    server.hears(hello)
    assert server.says()[0] == WELCOME
    return server


def running(codec: Codec = JSON) -> Server:
    server = greeted(codec)
    server.client.send(FILL)
    assert server.hears(FILL) == [FILL]
    server.connection.hear(ACCEPTED)
    server.says()
    return server


def delta(slot: int, cell: str | None = "x") -> Delta:
    return Delta("a", 1, 4, (slot,), (cell,), (0.5,))
