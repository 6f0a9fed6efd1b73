"""Worker: hears between steps, says what came of it, ends with its pipe."""

import io
from pathlib import Path
from queue import SimpleQueue

import pytest

from engine.config import EngineConfig
from engine.ipc import (
    Ask,
    Failed,
    FrameError,
    FrameReader,
    FromWorker,
    Ready,
    Said,
    Start,
    from_worker,
    pack,
)
from engine.worker import loop, run
from protocol.messages import Accepted, Cancel, Done, Error, Fill, ReviseText, ServerMessage
from tests.engine.server.fake_engine import ANSWER, FakeStepEngine, open_fake


def frame(message: object) -> bytes:
    (body,) = FrameReader().feed(pack(message))  # type: ignore[arg-type]
    return body


def fill(fill_id: str, prefix: str = "") -> Ask:
    return Ask("c", Fill(id=fill_id, prefix=prefix, suffix=""))


def said(data: bytes) -> list[FromWorker]:
    return [from_worker(body) for body in FrameReader().feed(data)]


class Talk:
    """A loop whose asks come in between its turns: `script[n]` before turn n."""

    def __init__(self, script: dict[int, list[Ask]], turns: int = 100) -> None:
        self.engine = FakeStepEngine()
        self.script, self.turns = script, turns
        self.queue: SimpleQueue[bytes | None] = SimpleQueue()
        self.messages: list[ServerMessage] = []
        self.ends: dict[str, int] = {}
        self._turn = 0
        self._put(0)

    def _put(self, turn: int) -> None:
        for ask in self.script.get(turn, ()):
            self.queue.put(frame(ask))
        if turn >= self.turns or (turn > max(self.script) and not self.engine.busy):
            self.queue.put(None)

    def say(self, message: FromWorker) -> None:
        assert isinstance(message, Said)
        self.messages += message.messages
        self._turn += 1
        for one in message.messages:
            if isinstance(one, Done | Error):
                self.ends[str(one.id)] = self.engine.steps
        self._put(self._turn)

    def run(self) -> "Talk":
        loop(self.engine, self.queue, self.say)
        return self


def test_a_fill_runs_to_its_end() -> None:
    talk = Talk({0: [fill("1")]}).run()
    assert isinstance(talk.messages[0], Accepted)
    done = talk.messages[-1]
    assert isinstance(done, Done)
    assert (done.text, done.finish) == (ANSWER, "converged")


def test_a_cancel_acts_before_the_next_step() -> None:
    talk = Talk({0: [fill("1", "steps=50;text=" + "x" * 50 + ";")], 3: [Ask("c", Cancel("1"))]})
    talk.run()
    done = talk.messages[-1]
    assert isinstance(done, Done)
    assert (done.finish, done.stats.steps) == ("cancelled", 3)
    assert not talk.engine.busy


def test_a_cancel_hits_its_fill_alone() -> None:
    talk = Talk({0: [fill("1"), fill("10")], 1: [Ask("c", Cancel("1"))]}).run()
    finishes = {m.id: m.finish for m in talk.messages if isinstance(m, Done)}
    assert finishes == {"1": "cancelled", "10": "converged"}


def test_a_short_fill_beside_a_long_one_ends_in_its_own_steps() -> None:
    long, short = "steps=40;text=" + "x" * 40 + ";", "steps=2;text=ab;"
    talk = Talk({0: [fill("long", long)], 5: [fill("short", short)]}).run()
    assert talk.ends["short"] == 5 + 2
    assert talk.ends["long"] == 40


def test_a_request_that_breaks_the_engine_ends_alone() -> None:
    talk = Talk({0: [fill("good"), fill("bad", "boom;")]}).run()
    ends = {m.id: type(m) for m in talk.messages if isinstance(m, Done | Error)}
    assert ends == {"good": Done, "bad": Error}


def test_what_the_engine_lacks_is_unsupported() -> None:
    ask = Ask("c", ReviseText(id="1", prefix="", text="x", suffix=""))
    (error,) = Talk({0: [ask]}).run().messages
    assert isinstance(error, Error)
    assert (error.code, error.param) == ("unsupported", "type")


def test_the_pipe_is_served_until_it_ends() -> None:
    inbox, outbox = io.BytesIO(pack(Start(EngineConfig()))), io.BytesIO()
    assert run(open_fake, inbox, outbox) == 0
    (ready,) = said(outbox.getvalue())
    assert isinstance(ready, Ready)
    assert ready.facts.model == "fake"
    assert run(open_fake, io.BytesIO(), outbox) == 0


def test_an_engine_that_cannot_start_says_why() -> None:
    start = Start(EngineConfig(model=Path("missing")))
    outbox = io.BytesIO()
    assert run(open_fake, io.BytesIO(pack(start)), outbox) == 1
    assert said(outbox.getvalue()) == [Failed("There is no model here; try another.")]


def test_a_pipe_with_something_else_in_it_ends_the_worker() -> None:
    with pytest.raises(FrameError):
        run(open_fake, io.BytesIO(b"\x01\x00\x00\x00\xc1"), io.BytesIO())
