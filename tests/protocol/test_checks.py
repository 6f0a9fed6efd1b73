"""Checks: bounds that span fields are refused with the field's name."""

import pytest

from protocol.checks import check
from protocol.errors import ProtocolError
from protocol.limits import FILE_LIMIT
from protocol.messages import (
    CanvasSpec,
    ContextFile,
    Fill,
    Lengths,
    Lock,
    NextHole,
    Pin,
    Remask,
    Revise,
    ReviseText,
    Score,
    ToServer,
)

FILE = ContextFile("a.py", "x" * FILE_LIMIT)


def fill(**fields: object) -> Fill:
    return Fill(id="a", prefix="", suffix="", **fields)  # type: ignore[arg-type]


def locked(*locks: Lock) -> ReviseText:
    return ReviseText(id="a", prefix="", text="ab", suffix="", locks=locks)


@pytest.mark.parametrize(
    ("message", "param"),
    [
        (fill(canvas=CanvasSpec(pinned=True)), "canvas"),
        (fill(holes=(NextHole("", canvas=CanvasSpec(pinned=True)),)), "holes[0].canvas"),
        (fill(context=(FILE,) * 17), "context"),
        (locked(Lock()), "locks[0]"),
        (locked(Lock(start=0, stop=3)), "locks[0]"),
        (locked(Lock(pattern="a"), Lock(start=1, stop=3)), "locks[1]"),
        (locked(Lock(start=1, stop=1)), "locks[0]"),
        (locked(Lock(start=0, stop=1, pattern="a")), "locks[0]"),
        (locked(Lock(start=0, pattern="a")), "locks[0]"),
        (fill(constraint=Lengths()), "constraint"),
        (fill(constraint=Lengths(min_chars=2, max_chars=1)), "constraint"),
        (fill(supersedes="a"), "supersedes"),
        (Score(id="a", prefix="", text="ab", suffix="", context=(FILE,) * 17), "context"),
        (Revise(id="a", base_seq=0, ops=(Remask(1, 1),)), "ops[0]"),
        (Revise(id="a", base_seq=0, ops=(Remask(0, 1), Pin(2, 1, "x"))), "ops[1]"),
    ],
)
def test_fields_that_contradict_each_other_are_refused(message: ToServer, param: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        check(message)
    assert caught.value.param == param
    assert caught.value.code == ("too_large" if param == "context" else "invalid_message")


@pytest.mark.parametrize(
    "message",
    [
        fill(),
        fill(canvas=CanvasSpec(tokens=3, pinned=True), context=(FILE,) * 16, supersedes="b"),
        locked(Lock(start=0, stop=2), Lock(pattern="x")),
        fill(constraint=Lengths(min_chars=1, max_chars=1)),
        Revise(id="a", base_seq=0, ops=(Remask(0, 1), Pin(2, 2, "x"))),
    ],
)
def test_fields_that_go_together_pass(message: ToServer) -> None:
    check(message)
