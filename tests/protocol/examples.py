"""One message of every type, for tables of order."""

from msgspec import Struct

from protocol.messages import (
    Accepted,
    Ack,
    Bye,
    Cancel,
    ClientInfo,
    Delta,
    Done,
    Error,
    Fill,
    Goaway,
    Hello,
    Limits,
    Ping,
    Pong,
    Remask,
    Revise,
    ReviseText,
    Score,
    Scores,
    Snap,
    Splice,
    Welcome,
)

HELLO = Hello(v=(1,), client=ClientInfo("test"))
WELCOME = Welcome(1, "s", "token", 10_000, 10_000, Limits(), ("fake",), ())
TO_SERVER: tuple[Struct, ...] = (
    HELLO,
    Fill(id="a", prefix="", suffix=""),
    ReviseText(id="a", prefix="", text="x", suffix=""),
    Score(id="a", prefix="", text="x", suffix=""),
    Revise(id="a", base_seq=0, ops=(Remask(0, 1),)),
    Cancel(id="a"),
    Ack(id="a", seq=0),
    Ping(),
    Bye(),
)
ENGINE_SAYS: tuple[Struct, ...] = (
    Accepted("a", "fake", 0, 4, "fixed"),
    Delta("a", 1, 4, (0,), ("x",), (1.0,)),
    Splice("a", 0, 1, 1),
    Snap("a", 1, (None,), (0.0,)),
    Done("a", "x", "stop"),
    Scores("a", ()),
    Error("overloaded", "", "a"),
)
TO_CLIENT: tuple[Struct, ...] = (WELCOME, *ENGINE_SAYS, Pong(0), Goaway("restart", 0))
