"""EngineProcess: real processes with the fake engine, killed, broken and started again."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import engine.process
from engine.config import EngineConfig
from engine.errors import EngineError
from engine.process import Backoff, EngineProcess, worker_command
from protocol.messages import Cancel, Done, Error, Fill, Pin, Revise, Score, ServerMessage
from tests.engine.server.fake_engine import ANSWER

ROOT = Path(__file__).parent.parent.parent
COMMAND = worker_command("tests.engine.server.fake_worker", ROOT)
LONG = "steps=1000;sleep=0.01;text=" + "x" * 1000 + ";"


class Client:
    """A link and what came over it."""

    def __init__(self, process: EngineProcess, name: str = "c") -> None:
        self.messages: list[ServerMessage] = []
        self._news = asyncio.Event()
        self.link = process.connect(name, self.deliver)

    def deliver(self, message: ServerMessage) -> None:
        self.messages.append(message)
        self._news.set()

    async def until(self, count: int, fill_id: str = "a") -> list[ServerMessage]:
        while len(mine := [m for m in self.messages if m.id == fill_id]) < count:
            self._news.clear()
            await self._news.wait()
        return mine

    async def end(self, fill_id: str = "a") -> ServerMessage:
        while True:
            for message in self.messages:
                if message.id == fill_id and isinstance(message, Done | Error):
                    return message
            self._news.clear()
            await self._news.wait()


def process(model: str | None = None) -> EngineProcess:
    config = EngineConfig(model=Path(model) if model else None)
    return EngineProcess(config, COMMAND, Backoff(first=0.01, most=0.05))


def run(scenario: Callable[[EngineProcess], Awaitable[None]], model: str | None = None) -> None:
    async def whole() -> None:
        engine = process(model)
        await engine.start()
        try:
            async with asyncio.timeout(60):
                await scenario(engine)
        finally:
            await engine.close()

    asyncio.run(whole())


def fill(fill_id: str = "a", prefix: str = "") -> Fill:
    return Fill(id=fill_id, prefix=prefix, suffix="")


def test_two_clients_may_use_the_same_ids() -> None:
    async def scenario(engine: EngineProcess) -> None:
        one, two = Client(engine, "one"), Client(engine, "two")
        one.link.send(fill(prefix="text=first;"))
        two.link.send(fill(prefix="text=second;"))
        for client, text in ((one, "first"), (two, "second")):
            done = await client.end()
            assert isinstance(done, Done)
            assert done.text == text
        assert engine.live == 0
        assert engine.facts is not None
        assert engine.facts.model == "fake"

    run(scenario)


def test_what_is_asked_before_the_engine_is_ready_waits() -> None:
    async def scenario(engine: EngineProcess) -> None:
        client = Client(engine)
        client.link.send(fill("a"))
        client.link.send(fill("b"))
        client.link.send(Cancel("b"))
        assert client.messages == [Done("b", "", "cancelled")]
        done = await client.end()
        assert isinstance(done, Done)
        assert done.text == ANSWER

    run(scenario)


def test_a_change_waits_with_the_fill_it_is_about() -> None:
    async def scenario(engine: EngineProcess) -> None:
        client = Client(engine)
        client.link.send(fill("a", "steps=8;text=abcdefgh;"))
        client.link.send(Revise(id="a", base_seq=0, ops=(Pin(0, 1, "typed"),)))
        done = await client.end()
        assert isinstance(done, Done)
        assert done.text == "typedbcdefgh"

    run(scenario)


def test_too_many_may_not_wait() -> None:
    async def scenario(engine: EngineProcess) -> None:
        client = Client(engine)
        for number in range(257):
            client.link.send(fill(f"f{number}"))
        (error,) = client.messages
        assert isinstance(error, Error)
        assert (error.code, error.id, error.ends) == ("overloaded", "f256", True)
        client.link.send(Revise(id="f0", base_seq=0, ops=(Pin(0, 1, "x"),)))
        error = client.messages[-1]
        assert isinstance(error, Error)
        assert (error.code, error.id, error.ends) == ("overloaded", "f0", False)

    run(scenario)


def test_a_live_fill_can_be_cancelled_and_changed() -> None:
    async def scenario(engine: EngineProcess) -> None:
        client = Client(engine)
        client.link.send(fill(prefix=LONG))
        await client.until(3)
        client.link.send(Revise(id="a", base_seq=1, ops=(Pin(0, 1, "typed"),)))
        client.link.send(Cancel("a"))
        client.link.send(Cancel("never"))
        done = await client.end()
        assert isinstance(done, Done)
        assert done.finish == "cancelled"
        assert done.text.startswith("typed")

    run(scenario)


def test_a_closed_link_hears_nothing_and_its_fills_end() -> None:
    async def scenario(engine: EngineProcess) -> None:
        client, other = Client(engine), Client(engine)
        client.link.send(fill(prefix=LONG))
        await client.until(2)
        client.link.close()
        heard = len(client.messages)
        other.link.send(fill())
        await other.end()
        while engine.live:
            await asyncio.sleep(0.01)
        assert len(client.messages) == heard
        client.link.send(fill("late"))
        assert engine.live == 0

    run(scenario)


def test_one_id_is_one_live_request() -> None:
    async def scenario(engine: EngineProcess) -> None:
        client = Client(engine)
        client.link.send(fill(prefix=LONG))
        client.link.send(fill())
        error = client.messages[0]
        assert isinstance(error, Error)
        assert (error.code, error.ends) == ("id_conflict", False)

    run(scenario)


def test_kill_9_in_the_middle_of_a_step_is_told_once_and_survived() -> None:
    async def scenario(engine: EngineProcess) -> None:
        clients = [Client(engine, str(number)) for number in range(3)]
        for client in clients:
            client.link.send(fill(prefix=LONG))
        for client in clients:
            await client.until(2)
        first = engine.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        for client in clients:
            error = await client.end()
            assert isinstance(error, Error)
            assert error.code == "engine_failed"
        clients[0].link.send(fill("again"))
        done = await clients[0].end("again")
        assert isinstance(done, Done)
        assert engine.restarts == 1
        assert engine.pid != first
        assert [len([m for m in c.messages if isinstance(m, Error)]) for c in clients] == [1, 1, 1]

    run(scenario)


def test_a_change_asked_while_a_dead_engine_is_reaped_does_not_keep_its_fill(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is new meanwhile waits for the next engine."""
    reaping, reaped, stop = asyncio.Event(), asyncio.Event(), engine.process._stop

    async def slowly(dead: asyncio.subprocess.Process) -> None:
        reaping.set()
        await reaped.wait()
        await stop(dead)

    async def scenario(engine: EngineProcess) -> None:
        client = Client(engine)
        client.link.send(fill(prefix=LONG))
        await client.until(2)
        assert engine.pid is not None
        os.kill(engine.pid, signal.SIGKILL)
        await reaping.wait()
        op = Pin(0, 1, "typed")
        client.link.send(Revise(id="a", base_seq=0, ops=(op,)))
        client.link.send(fill("new", "steps=8;text=abcdefgh;"))
        client.link.send(Revise(id="new", base_seq=0, ops=(op,)))
        reaped.set()
        done = await client.end("new")
        assert isinstance(done, Done)
        assert done.text == "typedbcdefgh"
        assert [m.code for m in client.messages if isinstance(m, Error)] == ["engine_failed"]
        assert engine.live == 0

    monkeypatch.setattr("engine.process._stop", slowly)
    run(scenario)


def test_an_engine_that_dies_of_a_request_takes_only_what_is_live() -> None:
    async def scenario(engine: EngineProcess) -> None:
        client = Client(engine)
        client.link.send(fill(prefix="die;"))
        error = await client.end()
        assert isinstance(error, Error)
        for number in range(3):
            client.link.send(fill(f"ok{number}"))
            assert isinstance(await client.end(f"ok{number}"), Done)

    run(scenario)


def test_unsupported_requests_are_answered() -> None:
    async def scenario(engine: EngineProcess) -> None:
        client = Client(engine)
        client.link.send(Score(id="a", prefix="", text="x", suffix=""))
        error = await client.end()
        assert isinstance(error, Error)
        assert error.code == "unsupported"

    run(scenario)


@pytest.mark.parametrize(("model", "match"), [("missing", "try another"), ("crash", "ended")])
def test_an_engine_that_cannot_start_says_so(model: str, match: str) -> None:
    async def scenario(engine: EngineProcess) -> None:
        with pytest.raises(EngineError, match=match):
            await engine.ready()
        assert engine.facts is None

    run(scenario, model)


def test_closing_ends_the_process_and_what_is_live() -> None:
    async def scenario(engine: EngineProcess) -> None:
        client = Client(engine)
        client.link.send(fill(prefix=LONG))
        await client.until(2)
        pid = engine.pid
        assert pid is not None
        await engine.close()
        assert isinstance(client.messages[-1], Error)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

    run(scenario)


def test_the_wait_between_starts_grows_to_a_bound() -> None:
    backoff = Backoff(0.2, 10.0)
    assert [backoff.seconds(n) for n in (0, 1, 2, 3, 99)] == [0.0, 0.2, 0.4, 0.8, 10.0]
