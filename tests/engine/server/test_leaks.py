"""Clients that hang up in every way, and what is left of them: nothing."""

import asyncio
import gc
import socket
import struct
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from uvicorn.protocols.http.h11_impl import H11Protocol

from engine.config import EngineConfig
from engine.local import LocalEngine
from engine.server.run import KEEP_ALIVE_SECONDS
from models.loader import Model
from protocol.limits import Limits
from protocol.messages import CanvasSpec, Fill, Sampling
from tests.engine.server.inline import InlineHub
from tests.engine.server.raw import RawClient
from tests.engine.server.running import LOOPBACK, Running, running
from tests.engine.server.talk import talk
from tests.engine.server.waiting import wait_until

BODY = b'{"prompt":"steps=9000;text=' + b"x" * 9000 + b';","stream":true}'


def reset(line: socket.socket) -> None:
    """Hang up with a reset."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()


def asked(port: int, cut: int | None = None) -> socket.socket:
    """A connection that has sent a request, or its first bytes."""
    line = socket.create_connection(("127.0.0.1", port), timeout=10)
    head = f"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    request = head.encode() + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
    line.sendall(request[:cut])
    return line


def protocols() -> int:
    """HTTP connections that somebody still holds."""
    gc.collect()
    return sum(type(thing) is H11Protocol for thing in gc.get_objects())


def test_resets_at_any_byte_of_a_request_leave_nothing() -> None:
    with running(InlineHub(step_seconds=0.01)) as server:
        before = protocols()
        for number in range(150):
            reset(asked(server.port, 1 + number * 67 % (len(BODY) + 90)))
        for _ in range(20):
            line = asked(server.port)
            line.recv(100)  # the answer has begun
            reset(line)
        wait_until(lambda: server.services.connections == 0)
        wait_until(lambda: not server.hub.routes)
        assert server.services.requests == 0
        wait_until(lambda: protocols() <= before + 2, KEEP_ALIVE_SECONDS + 15)


def test_a_fill_that_waits_for_its_turn_ends_with_its_connection(tiny: Model) -> None:
    engine: Any = LocalEngine(tiny, EngineConfig(threads=1, batch_jobs=1))
    spec = CanvasSpec(tokens=40, pinned=True)
    fill = Fill("a", "(", ")", canvas=spec, sampling=Sampling(policy="fixed", steps=40))

    async def scenario(server: Running) -> None:
        async with talk(server.ws) as first:
            await first.say(fill)
            await first.hear()
            async with talk(server.ws) as second:
                for number in range(5):
                    name, priority = f"q{number}", "auto" if number % 2 else "batch"
                    await second.say(replace_fill(fill, name, priority))
                while engine.load.live < 6:
                    await asyncio.sleep(0.005)
                second.socket.transport.abort()
            while engine.load.live > 3:  # automatic ones end at once, the others may be resumed
                await asyncio.sleep(0.005)
            assert first.core.live == {"a": first.core.live["a"]}
        while engine.load.live:
            await asyncio.sleep(0.005)

    config = replace(LOOPBACK, resume_seconds=0.2)
    with running(InlineHub(engine=engine, step_seconds=0.01), config) as server:

        async def whole() -> None:
            async with asyncio.timeout(60):
                await scenario(server)

        asyncio.run(whole())
        assert not engine._runner._states


def replace_fill(fill: Fill, name: str, priority: str) -> Fill:
    import msgspec

    return msgspec.structs.replace(fill, id=name, priority=priority)


def test_changing_addresses_in_a_header_are_one_client_still() -> None:
    """Nothing that a client writes of itself raises what it may have."""
    with running(config=replace(LOOPBACK, connections=2)) as server:
        lines = [RawClient(server.port, forwarded=f"10.0.0.{n}") for n in range(2)]
        for line in lines:
            line.hello()
        with RawClient(server.port, forwarded="10.0.0.99") as third:
            assert third.closed() == 4413
        for line in lines:
            line.socket.close()


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(["Host", "Origin", "Sec-WebSocket-Protocol", "Sec-WebSocket-Key"]),
    value=st.binary(max_size=40),
)
def test_any_header_bytes_of_a_handshake_leave_the_server_up(
    server: Running, name: str, value: bytes
) -> None:
    clean = value.replace(b"\r", b"").replace(b"\n", b"")
    lines = {
        "Host": b"127.0.0.1:%d" % server.port,
        "Upgrade": b"websocket",
        "Connection": b"Upgrade",
        "Sec-WebSocket-Version": b"13",
        "Sec-WebSocket-Key": b"dGhlIHNhbXBsZSBub25jZQ==",
        name: clean,
    }
    head = b"".join(key.encode() + b": " + line + b"\r\n" for key, line in lines.items())
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as line:
        line.sendall(b"GET /v1/infill HTTP/1.1\r\n" + head + b"\r\n")
        line.shutdown(socket.SHUT_WR)
        answer = b""
        while data := line.recv(65536):
            answer += data
    status = int(answer.split(b" ", 2)[1]) if answer else 0
    assert status in (0, 101, 400, 403)
    if name in ("Host", "Origin"):
        assert status != 101 or (name == "Host" and clean.strip())
    with RawClient(server.port) as client:
        client.hello()


def test_many_fills_leave_nothing_in_their_session() -> None:
    async def scenario(server: Running) -> None:
        async with talk(server.ws) as line:
            for number in range(200):
                await line.say(Fill(f"f{number}", "text=a;", ""))
                await line.end(f"f{number}")
            (session,) = [
                session
                for session in server.services.sessions._sessions.values()
                if session.attached is not None
            ]
            ledger = session.ledger
            assert not ledger.flows
            assert not ledger._digests
            assert len(ledger._ended) <= 64
            assert len(ledger._late) <= 64
            assert not session._asked
            assert not session._cancelled

    limits = Limits(messages_per_second=10**6, message_burst=10**6)
    with running(config=replace(LOOPBACK, limits=limits)) as server:
        asyncio.run(scenario(server))
