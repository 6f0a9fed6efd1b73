"""ServerConnection: greeting, order, credit, time and refusals, all without a socket."""

import pytest
from msgspec import Struct
from msgspec.structs import replace

from protocol.codec import CODECS, Codec
from protocol.errors import ProtocolError
from protocol.limits import Limits
from protocol.messages import (
    Accepted,
    Ack,
    Advance,
    Bye,
    Cancel,
    ClientInfo,
    Delta,
    Done,
    Error,
    Fill,
    Goaway,
    Hello,
    Lock,
    Pin,
    Ping,
    Pong,
    Priority,
    Revise,
    ReviseText,
    Score,
    Splice,
)
from protocol.states import IllegalOrder
from protocol.values import Encoding
from tests.protocol.examples import HELLO, TO_SERVER, WELCOME
from tests.protocol.server import ACCEPTED, FILL, Server, delta, greeted, running


@pytest.mark.parametrize("codec", CODECS.values(), ids=["json", "msgpack"])
def test_a_fill_from_hello_to_done(codec: Codec) -> None:
    server = greeted(codec)
    server.client.send(FILL)
    assert server.hears(FILL) == [FILL]
    server.connection.hear(ACCEPTED)
    server.connection.hear(delta(1))
    accepted, frame = server.says()
    assert accepted == Accepted("a", "fake", 0, 4, "fixed", f=1)
    assert isinstance(frame, Delta)
    assert (frame.id, frame.seq, frame.slots, frame.cells) == ("a", 1, (1,), ("x",))
    assert server.client.acks() == [codec.encode(Ack("a", 1))]
    server.connection.hear(Done("a", "text", "converged"))
    (done,) = server.says()
    assert done == Done("a", "text", "converged", seq=1)
    assert server.client.live == {}
    assert server.ledger.flows == {}
    assert server.closed() is None


@pytest.mark.parametrize("message", TO_SERVER[1:], ids=lambda message: type(message).__name__)
def test_nothing_may_come_before_hello(message: Struct) -> None:
    server = Server()
    assert server.hears(message) == []
    assert server.closed() == 4400
    (error,) = server.says()
    assert isinstance(error, Error)
    assert error.fatal


def test_hello_comes_once() -> None:
    server = greeted()
    server.hears(HELLO)
    assert server.closed() == 4400
    assert server.hears(FILL) == [], "nothing is done for a connection that is over"


def test_a_version_that_is_not_ours_is_refused() -> None:
    server = Server()
    server.hears(Hello(v=(2, 3), client=ClientInfo("test")))
    assert server.closed() == 4406
    server = greeted(hello=Hello(v=(2, 1), client=ClientInfo("test")))
    assert server.closed() is None


def test_the_server_may_refuse_a_hello() -> None:
    server = Server()
    server.refuse = ProtocolError("not_found", "no such session")
    server.hears(HELLO)
    assert server.closed() == 4400


def test_confidence_is_sent_where_it_was_asked_for() -> None:
    for caps, confidence in (((), 0.0), (("confidence",), 128 / 255)):
        server = greeted(hello=Hello(v=(1,), client=ClientInfo("test"), caps=caps))
        server.client.send(FILL)
        server.hears(FILL)
        server.connection.hear(ACCEPTED)
        server.connection.hear(delta(0))
        frame = server.says()[-1]
        assert isinstance(frame, Delta)
        assert frame.confidence == (confidence,)


@pytest.mark.parametrize(
    ("data", "close"),
    [
        (b"{", 1007),
        (b"[" * 100_000, 4400),
        (b'{"type":"fill","id":"b","prefix":"","suffix":"","x":1}', 4400),
        (b'{"type":"teleport"}', 4400),
        (b"x" * (1 << 20) + b"x", 1009),
    ],
)
def test_frames_that_are_no_message_end_the_connection(data: bytes, close: int) -> None:
    server = running()
    assert server.connection.receive(data, 0.0) == []
    assert server.closed() == close
    assert server.connection.close is not None
    assert len(server.connection.close.reason.encode()) <= 123
    (error,) = server.says()
    assert isinstance(error, Error)
    assert error.fatal


def test_a_request_that_contradicts_itself_is_refused_alone() -> None:
    server = running()
    bad = ReviseText(id="b", prefix="", text="x", suffix="", locks=(Lock(),))
    server.client.send(bad)
    assert server.hears(bad) == []
    (error,) = server.says()
    assert isinstance(error, Error)
    assert (error.id, error.param, error.fatal, error.ends) == ("b", "locks[0]", False, True)
    assert server.closed() is None
    assert list(server.client.live) == ["a"]


def test_a_conflict_of_ids_leaves_the_live_fill_alone() -> None:
    server = running()
    assert server.hears(Fill(id="a", prefix="other", suffix="")) == []
    (error,) = server.says()
    assert isinstance(error, Error)
    assert (error.code, error.ends) == ("id_conflict", False)
    assert list(server.client.live) == ["a"]


def test_cancel_and_revise_reach_the_engine_only_while_the_fill_lives() -> None:
    server = running()
    revise = Revise(id="a", base_seq=0, ops=(Pin(0, 1, "x"),))
    assert server.hears(revise) == [replace(revise, encoding="utf-32")]
    assert server.hears(Cancel("a")) == [Cancel("a")]
    assert server.hears(Cancel("zzz")) == []
    server.connection.hear(Done("a", "", "cancelled"))
    assert server.hears(Cancel("a")) == [], "its end is on the way"
    server.says()
    assert server.hears(Cancel("a")) == []
    assert server.hears(revise) == []
    (error,) = server.connection.drain(0.0)
    assert b'"not_found"' in error
    assert server.closed() is None


def test_slots_that_have_moved_are_not_revised() -> None:
    server = running()
    server.connection.hear(Splice("a", 0, 1, 2))
    assert server.hears(Revise(id="a", base_seq=0, ops=(Pin(0, 1, "x"),))) == []
    (error,) = [m for m in server.says() if isinstance(m, Error)]
    assert (error.code, error.ends) == ("stale_base", False)
    assert len(server.hears(Revise(id="a", base_seq=1, ops=(Pin(0, 1, "x"),)))) == 1


def test_a_base_is_told_to_the_engine_in_its_own_numbers() -> None:
    server = running()
    for seq in (3, 7):
        server.connection.hear(replace(delta(1), seq=seq))
    server.says()
    (revise,) = server.hears(Revise(id="a", base_seq=1, ops=(Pin(0, 1, "x"),)))
    assert isinstance(revise, Revise)
    assert revise.base_seq == 7


@pytest.mark.parametrize(
    ("offered", "agreed"), [((), "utf-32"), (("utf-16", "utf-8"), "utf-16"), (("utf-8",), "utf-8")]
)
def test_offsets_count_what_the_client_prefers(
    offered: tuple[Encoding, ...], agreed: Encoding
) -> None:
    server = Server()
    server.welcome = replace(WELCOME, position_encoding=agreed)
    server.hears(replace(HELLO, position_encoding=offered))
    text = "\u00e9\U0001f600x"  # 2 + 4 + 1 bytes, 1 + 2 + 1 units
    start, stop = {"utf-8": (2, 6), "utf-16": (1, 3), "utf-32": (1, 2)}[agreed]
    locks = (Lock(start=start, stop=stop), Lock(pattern="x"))
    (asked,) = server.hears(ReviseText(id="r", prefix="", text=text, suffix="", locks=locks))
    assert isinstance(asked, ReviseText)
    assert asked.locks == (Lock(start=1, stop=2), Lock(pattern="x"))
    server.connection.hear(replace(ACCEPTED, id="r"))
    (revise,) = server.hears(Revise(id="r", base_seq=0, ops=(Advance(1),)))
    assert isinstance(revise, Revise)
    assert revise.encoding == agreed
    (revise,) = server.hears(Revise(id="r", base_seq=0, ops=(Advance(1),), encoding="utf-8"))
    assert isinstance(revise, Revise)
    assert revise.encoding == "utf-8"


def test_half_a_character_is_no_offset() -> None:
    server = Server()
    server.welcome = replace(WELCOME, position_encoding="utf-16")
    server.hears(HELLO)
    locks = (Lock(start=0, stop=1),)
    assert server.hears(ReviseText("r", "", "\U0001f600", "", locks=locks)) == []
    _, error = server.connection.drain(0.0)
    assert b'"invalid_message"' in error
    assert b'"locks[0]"' in error


@pytest.mark.parametrize(
    ("priority", "deadline"), [("auto", 300), ("manual", None), ("batch", 9000)]
)
def test_a_request_without_a_deadline_has_that_of_its_priority(
    priority: Priority, deadline: int | None
) -> None:
    limits = Limits(auto_deadline_ms=300, manual_deadline_ms=None, batch_deadline_ms=9000)
    server = Server(limits=limits)
    server.hears(HELLO)
    requests = (
        Fill(id="f", prefix="", suffix="", priority=priority),
        Score(id="s", prefix="", text="x", suffix="", priority=priority),
    )
    for request in requests:
        assert server.hears(request) == [replace(request, deadline_ms=deadline)]
    named = Fill(id="n", prefix="", suffix="", priority=priority, deadline_ms=7)
    assert server.hears(named) == [named]


def test_superseding_cancels_first() -> None:
    server = running()
    newer = Fill(id="b", prefix="", suffix="", supersedes="a", deadline_ms=1)
    assert server.hears(newer) == [Cancel("a"), newer]


def test_ping_is_answered() -> None:
    server = greeted()
    server.hears(Ping(1.5))
    assert server.says() == [Pong(1.5)]


def test_bye_cancels_everything_and_says_nothing_more() -> None:
    server = running()
    assert server.hears(Bye()) == [Cancel("a")]
    assert server.closed() == 1000
    assert server.connection.left
    assert server.connection.drain(0.0) == []


def test_goaway_refuses_what_is_new_and_lets_the_rest_end() -> None:
    server = running()
    server.connection.goaway("restart", 3000)
    late = Fill(id="b", prefix="", suffix="")
    server.client.send(late)
    assert server.hears(late) == []
    goaway, error = server.says()
    assert goaway == Goaway("restart", 3000)
    assert isinstance(error, Error)
    assert error.code == "draining"
    server.connection.hear(Done("a", "text", "stop"))
    assert server.says() == [Done("a", "text", "stop")]


def test_goaway_before_hello_says_nothing() -> None:
    server = Server()
    server.connection.goaway("restart", 0)
    assert server.connection.drain(0.0) == []


def test_an_engine_that_breaks_the_order_is_our_bug() -> None:
    server = running()
    with pytest.raises(IllegalOrder):
        server.connection.hear(ACCEPTED)
