"""IPC: any cut of the bytes gives the same frames; every message survives the pipe."""

import io
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.config import EngineConfig
from engine.hub import EngineFacts, Load
from engine.ipc import (
    FRAME_BYTES,
    Ask,
    Failed,
    FrameError,
    FrameReader,
    FromWorker,
    Ready,
    Said,
    Start,
    ToWorker,
    from_worker,
    pack,
    read_frames,
    to_worker,
)
from protocol.messages import Accepted, Cancel, Delta, Done, Error, Scores, Snap, Splice
from tests.protocol.strategies import fills

UP: list[ToWorker] = [
    Start(EngineConfig(model=Path("/models/x"), threads=2)),
    Start(EngineConfig()),
    Ask("client", Cancel("a")),
]
DOWN: list[FromWorker] = [
    Ready(EngineFacts("fake", ("a", "b"))),
    Failed("no"),
    Said(
        (
            Accepted("a", "fake", 0, 4, "fixed"),
            Delta("a", 1, 4, (0,), ("x",), (1.0,)),
            Splice("a", 0, 1, 1),
            Snap("a", 1, (None,), (0.0,)),
            Done("a", "x", "stop"),
            Scores("a", ()),
            Error("overloaded", "", "a"),
        ),
        Load(1, 2, 3.0, 4),
    ),
]


def body(message: ToWorker | FromWorker) -> bytes:
    (frame,) = FrameReader().feed(pack(message))
    return frame


@pytest.mark.parametrize("message", UP)
def test_what_goes_to_a_worker_arrives(message: ToWorker) -> None:
    assert to_worker(body(message)) == message


@given(fill=fills())
def test_fills_arrive_as_they_are(fill: object) -> None:
    assert to_worker(body(Ask("c", fill))) == Ask("c", fill)  # type: ignore[arg-type]


@pytest.mark.parametrize("message", DOWN)
def test_what_comes_from_a_worker_arrives(message: FromWorker) -> None:
    assert from_worker(body(message)) == message


@given(cuts=st.lists(st.integers(0, 400), max_size=30))
def test_any_cut_gives_the_same_frames(cuts: list[int]) -> None:
    data = b"".join(pack(message) for message in (*UP, *DOWN))
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    reader = FrameReader()
    parts = [data[a:b] for a, b in pairwise(places)]
    frames = [frame for part in parts for frame in reader.feed(part)]
    assert frames == [body(message) for message in (*UP, *DOWN)]


def test_a_frame_that_claims_too_much_is_refused_at_once() -> None:
    with pytest.raises(FrameError):
        list(FrameReader().feed((FRAME_BYTES + 1).to_bytes(4, "little")))


@pytest.mark.parametrize("junk", [b"", b"\xc1", b"\x80", b"\x81\xa4type\xa4nope", b"\x91" * 10_000])
def test_frames_that_are_no_message_are_refused(junk: bytes) -> None:
    for decode in (to_worker, from_worker):
        with pytest.raises(FrameError):
            decode(junk)


def test_a_pipe_is_read_to_its_end() -> None:
    pipe = io.BytesIO(pack(UP[0]) + pack(UP[2]) + b"\x10")
    assert list(read_frames(pipe)) == [body(UP[0]), body(UP[2])]
