"""The WebSocket route over a real socket: fills, cancels, resumes, and every way to end."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.codec import CODECS, MSGPACK, Codec
from protocol.limits import WINDOW
from protocol.messages import (
    Accepted,
    Bye,
    Cancel,
    Delta,
    DocumentRef,
    Done,
    Error,
    Fill,
    Pin,
    Ping,
    Pong,
    Revise,
    Score,
    Scores,
    Snap,
    Welcome,
)
from protocol.mirror import Mirror
from tests.engine.server.fake_engine import ANSWER
from tests.engine.server.inline import InlineHub
from tests.engine.server.running import Running, running
from tests.engine.server.talk import talk

LONG = "steps=1500;text=" + "x" * 1500 + ";"


def run(scenario: Awaitable[None]) -> None:
    async def whole() -> None:
        async with asyncio.timeout(60):
            await scenario

    asyncio.run(whole())


def fill(fill_id: str = "a", prefix: str = "", **fields: object) -> Fill:
    return Fill(id=fill_id, prefix=prefix, suffix="", **fields)  # type: ignore[arg-type]


async def free(server: Running) -> None:
    """Wait until the engine has nothing to do."""
    while server.hub.routes:
        await asyncio.sleep(0.005)


@pytest.mark.parametrize("codec", CODECS.values(), ids=["json", "msgpack"])
def test_a_fill_over_the_wire(server: Running, codec: Codec) -> None:
    async def scenario() -> None:
        async with talk(server.ws, codec) as line:
            welcome = line.messages[0]
            assert isinstance(welcome, Welcome)
            assert welcome.models == ("fake",)
            accepted, *frames, done = await line.fill(fill())
            assert isinstance(accepted, Accepted)
            mirror = Mirror([None] * accepted.canvas_tokens, [0.0] * accepted.canvas_tokens)
            for frame in frames:
                assert isinstance(frame, Delta)
                mirror.apply(frame)
            assert isinstance(done, Done)
            assert mirror.settled_text == done.text == ANSWER

    run(scenario())


def test_several_fills_share_a_connection(server: Running) -> None:
    async def scenario() -> None:
        async with talk(server.ws) as line:
            for number in range(20):
                await line.say(fill(f"f{number}", f"text=answer{number};"))
            while line.core.live:
                await line.hear()
            texts = {m.id: m.text for m in line.messages if isinstance(m, Done)}
            assert texts == {f"f{n}": f"answer{n}" for n in range(20)}

    run(scenario())


def test_a_cancel_frees_the_slot_within_two_steps(slow: Running) -> None:
    async def scenario() -> None:
        async with talk(slow.ws) as line:
            await line.say(fill(prefix=LONG))
            await line.hear()
            await line.hear()
            await line.say(Cancel("a"))
            done = await line.end("a")
            assert isinstance(done, Done)
            assert done.finish == "cancelled"
            assert slow.hub.freed_after[-1] <= 2
            assert not slow.hub.routes

    run(scenario())


def test_typing_into_a_running_canvas_pins_and_the_job_goes_on(slow: Running) -> None:
    async def scenario() -> None:
        async with talk(slow.ws) as line:
            await line.say(fill(prefix="steps=8;text=abcdefgh;"))
            await line.hear()
            await line.say(Revise(id="a", base_seq=0, ops=(Pin(0, 1, "TYPED"),)))
            done = await line.end("a")
            assert isinstance(done, Done)
            assert done.text == "TYPEDbcdefgh"

    run(scenario())


def test_what_the_engine_lacks_is_unsupported(server: Running) -> None:
    async def scenario() -> None:
        async with talk(server.ws) as line:
            await line.say(Score(id="s", prefix="", text="x", suffix=""))
            await line.say(fill(alternatives=3))
            for fill_id in ("s", "a"):
                error = await line.end(fill_id)
                assert isinstance(error, Error)
                assert error.code == "unsupported"

    run(scenario())


def test_scores_come_from_a_real_engine(tiny: Model) -> None:
    engine: Any = LocalEngine(tiny, EngineConfig(threads=1))

    async def scenario() -> None:
        async with talk(server.ws) as line:
            await line.say(Score(id="s", prefix="x = ", text="f(y)", suffix="\n"))
            scores = await line.end("s")
            assert isinstance(scores, Scores)
            assert "".join(token.text for token in scores.tokens) == "f(y)"
            assert not line.core.live

    with running(InlineHub(engine=engine)) as server:
        run(scenario())


def test_a_newer_automatic_request_wins(slow: Running) -> None:
    async def scenario() -> None:
        async with talk(slow.ws) as line:
            for version in (1, 2):
                doc = DocumentRef("file:///a.py", version)
                await line.say(fill(f"v{version}", "steps=9;", priority="auto", doc=doc))
            ends = {m.id: m for m in [await line.end("v1"), await line.end("v2")]}
            assert isinstance(ends["v1"], Done)
            assert ends["v1"].finish == "superseded"
            assert isinstance(ends["v2"], Done)
            assert ends["v2"].finish == "converged"

    run(scenario())


def test_ping_is_answered_during_a_fill(slow: Running) -> None:
    async def scenario() -> None:
        async with talk(slow.ws) as line:
            await line.say(fill(prefix=LONG))
            await line.say(Ping(7))
            while not isinstance(message := await line.hear(), Pong):
                pass
            assert message.t == 7
            await line.say(Bye())
            assert await line.closed() == 1000
        await free(slow)

    run(scenario())


@pytest.mark.parametrize("how", ["close", "abort"])
def test_an_automatic_fill_ends_with_its_connection(slow: Running, how: str) -> None:
    async def scenario() -> None:
        async with talk(slow.ws) as line:
            await line.say(fill(prefix=LONG, priority="auto"))
            await line.hear()
            if how == "abort":
                line.socket.transport.abort()
        await free(slow)
        assert slow.hub.freed_after[-1] <= 2

    run(scenario())


def test_a_broken_connection_is_resumed(slow: Running) -> None:
    async def scenario() -> None:
        async with talk(slow.ws, MSGPACK) as line:
            await line.say(fill(prefix="steps=60;text=" + "x" * 60 + ";"))
            while len(line.messages) < 6:
                await line.hear()
            line.socket.transport.abort()
            resume = line.core.resume()
        async with talk(slow.ws, MSGPACK, resume=resume) as line:
            welcome = line.messages[0]
            assert isinstance(welcome, Welcome)
            assert welcome.resumed == ("a",)
            assert resume is not None
            assert welcome.resume_token != resume.token
            assert isinstance(await line.hear(), Accepted)
            snap = await line.hear()
            assert isinstance(snap, Snap)
            assert len([cell for cell in snap.cells if cell is not None]) >= 4
            mirror = Mirror()
            mirror.apply(snap)
            while not isinstance(message := await line.hear(), Done):
                assert isinstance(message, Delta)
                mirror.apply(message)
            assert mirror.settled_text == message.text == "x" * 60

    run(scenario())


def test_a_resume_token_works_once(slow: Running) -> None:
    async def scenario() -> None:
        async with talk(slow.ws) as first:
            await first.say(fill(prefix=LONG))
            await first.hear()
            resume = first.core.resume()
            async with talk(slow.ws, resume=resume) as second:
                welcome = second.messages[0]
                assert isinstance(welcome, Welcome)
                assert welcome.resumed == ("a",)
                assert await first.closed() == 4409
                async with talk(slow.ws, resume=resume) as third:
                    welcome = third.messages[0]
                    assert isinstance(welcome, Welcome)
                    assert welcome.resumed == ()
                    error = await third.end("a")
                    assert isinstance(error, Error)
                    assert error.code == "not_found"
                await second.say(Bye())
                await second.closed()
        await free(slow)

    run(scenario())


def test_a_client_that_never_acks_gets_a_window_and_the_end(server: Running) -> None:
    async def scenario() -> None:
        async with talk(server.ws) as line:
            await line.say(fill(prefix="steps=100;text=" + "x" * 100 + ";"))
            done = await line.end("a", acks=False)
            assert isinstance(done, Done)
            assert done.text == "x" * 100
            frames = [m for m in line.messages if isinstance(m, Delta)]
            assert len(frames) <= WINDOW

    run(scenario())
