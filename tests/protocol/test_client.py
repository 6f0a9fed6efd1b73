"""ClientConnection: it speaks in order, and takes nothing from a server that breaks the rules."""

import pytest

from protocol.client import ClientConnection
from protocol.codec import JSON, MSGPACK
from protocol.errors import ProtocolError
from protocol.handshake import Heard, Resume
from protocol.messages import (
    Accepted,
    Bye,
    ClientInfo,
    Done,
    Error,
    Fill,
    Hello,
    Snap,
    Welcome,
)
from protocol.states import IllegalOrder
from tests.protocol.examples import HELLO, WELCOME
from tests.protocol.server import ACCEPTED, FILL, Server, delta, running


def test_clients_wait_for_welcome_and_speak_in_order() -> None:
    client = ClientConnection(JSON)
    with pytest.raises(IllegalOrder):
        client.send(FILL)
    client.send(HELLO)
    with pytest.raises(IllegalOrder):
        client.send(FILL)
    client.receive(JSON.encode(WELCOME))
    client.send(Bye())
    with pytest.raises(IllegalOrder):
        client.send(FILL)


def test_clients_refuse_a_server_that_breaks_the_rules() -> None:
    client = ClientConnection(JSON)
    with pytest.raises(IllegalOrder):
        client.receive(JSON.encode(ACCEPTED))
    server = running()
    server.connection.hear(delta(0))
    (frame,) = server.connection.drain(0.0)
    assert server.client.receive(frame) is not None
    with pytest.raises(ProtocolError):
        server.client.receive(frame)


def test_clients_ignore_what_is_not_theirs() -> None:
    server = running()
    assert server.client.receive(JSON.encode(Done("other", "", "stop"))) is None
    assert server.client.receive(JSON.encode(Accepted("other", "", 0, 1, "fixed"))) is None
    assert server.client.receive(b'["d",77,1,0,1,4,[0],["x"]]') is None
    assert server.client.receive(b'{"type":"new"}') is None
    assert server.client.resume() is not None
    assert ClientConnection(JSON).resume() is None


def test_nothing_is_kept_of_a_fill_that_is_over() -> None:
    server = running()
    for number in range(2, 100):
        name = f"f{number}"
        server.client.send(Fill(id=name, prefix="", suffix=""))
        server.client.receive(JSON.encode(Accepted(name, "", 0, 1, "fixed", f=number)))
        server.client.receive(JSON.encode(Done(name, "", "stop")))
    assert list(server.client.live) == list(server.client._names.values()) == ["a"]


def test_a_resumed_session_sends_pictures_ends_and_regrets() -> None:
    first = running(MSGPACK)
    first.connection.hear(delta(2))
    first.says()
    over = Fill(id="over", prefix="", suffix="")
    first.client.send(over)
    first.hears(over)
    first.connection.hear(Done("over", "text", "stop"))
    first.connection.drain(0.0)  # lost on the way
    resume = first.client.resume()
    assert resume == Resume("s", "token", (Heard("a", 1), Heard("over", 0)))
    second = Server(MSGPACK)
    second.ledger = first.ledger
    fills = (*resume.fills, Heard("strange", 0))
    hello = Hello(v=(1,), client=ClientInfo("test"), resume=Resume("s", "token", fills))
    second.client.send(hello)
    second.hears(hello)
    welcome, done, regret, accepted, snap = second.says()
    assert isinstance(welcome, Welcome)
    assert done == Done("over", "text", "stop")
    assert isinstance(regret, Error)
    assert (regret.code, regret.id) == ("not_found", "strange")
    assert isinstance(accepted, Accepted)
    assert isinstance(snap, Snap)
    assert (snap.cells, snap.seq) == ((None, None, "x", None), 2)
    first.connection.take_over()
    assert first.closed() == 4409
