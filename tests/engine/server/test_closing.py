"""How a WebSocket ends, and what goes on: bad frames, dead engines, requests sent again."""

import asyncio
from collections.abc import Awaitable

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from protocol.codec import JSON, MSGPACK, Codec
from protocol.limits import FRAME_LIMIT
from protocol.messages import ClientInfo, Done, Error, Fill, Hello, Snap
from tests.engine.server.running import Running, running
from tests.engine.server.talk import talk

LONG = "steps=1500;text=" + "x" * 1500 + ";"


LONG = "steps=1500;text=" + "x" * 1500 + ";"


def run(scenario: Awaitable[None]) -> None:
    async def whole() -> None:
        async with asyncio.timeout(60):
            await scenario

    asyncio.run(whole())


def fill(fill_id: str = "a", prefix: str = "", **fields: object) -> Fill:
    return Fill(id=fill_id, prefix=prefix, suffix="", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("frame", "close"),
    [
        ("{", 1007),
        ('{"type":"fill"}', 4400),
        ('{"type":"ping","x":1}', 4400),
        ('{"type":"ping","t":' + "[" * 100_000, 4400),
        ("[" * 100_000, 4400),
        (b"\x80", 1003),
        ("x" * (FRAME_LIMIT + 1), 1009),
    ],
)
def test_bad_frames_close_with_their_code(server: Running, frame: str | bytes, close: int) -> None:
    async def scenario() -> None:
        async with talk(server.ws) as line:
            await line.socket.send(frame)
            assert await line.closed() == close

    run(scenario())


def test_msgpack_lives_in_binary_frames(server: Running) -> None:
    async def scenario() -> None:
        async with talk(server.ws, MSGPACK) as line:
            await line.socket.send("{}")
            assert await line.closed() == 1003

    run(scenario())


def test_nothing_comes_before_hello(server: Running) -> None:
    async def scenario() -> None:
        async with talk(server.ws, hello=False) as line:
            await line.raw(JSON.encode(fill()))
            assert await line.closed() == 4400

    run(scenario())


def test_a_subprotocol_must_be_offered(server: Running) -> None:
    async def scenario() -> None:
        strange = Codec("chat", "json")
        with pytest.raises(ConnectionClosed) as caught:
            async with talk(server.ws, strange) as line:
                await line.hear()
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 4406

    async def without_negotiation() -> None:
        async with connect(server.ws, proxy=None) as socket:
            await socket.wait_closed()
            assert socket.close_code == 4406

    run(without_negotiation())


def test_a_server_that_stops_welcomes_nobody() -> None:
    with running() as server:
        server.services.sessions.drain("restart", 0)

        async def scenario() -> None:
            async with talk(server.ws, hello=False) as line:
                await line.say(Hello(v=(1,), client=ClientInfo("test", "0")))
                error = await line.hear()
                assert isinstance(error, Error)
                assert (error.code, error.fatal, error.retry_after_ms) == ("draining", True, 1000)
                assert await line.closed() == 4503

        run(scenario())
        assert len(server.services.sessions) == 0


def test_an_engine_that_dies_is_told_to_every_live_fill(slow: Running) -> None:
    async def scenario() -> None:
        async with talk(slow.ws) as one, talk(slow.ws) as two:
            for line in (one, two):
                await line.say(fill(prefix=LONG))
                await line.hear()
            slow.loop.call_soon_threadsafe(slow.hub.fail_all)
            for line in (one, two):
                error = await line.end("a")
                assert isinstance(error, Error)
                assert error.code == "engine_failed"
                assert isinstance((await line.fill(fill("b")))[-1], Done)

    run(scenario())


def test_a_resent_request_is_attached_to_the_running_one(slow: Running) -> None:
    async def scenario() -> None:
        async with talk(slow.ws) as line:
            request = fill(prefix="steps=20;text=" + "x" * 20 + ";")
            await line.say(request)
            await line.hear()
            await line.hear()
            asked = len(slow.hub.asked)
            await line.say(request)
            done = await line.end("a")
            assert isinstance(done, Done)
            assert len(slow.hub.asked) == asked
            assert sum(isinstance(m, Snap) for m in line.messages) == 1
            await line.say(request)
            assert isinstance(await line.hear(), Done)
            assert len(slow.hub.asked) == asked

    run(scenario())
