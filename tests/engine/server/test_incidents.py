"""What went wrong elsewhere and must not here: gone, slow, silent and greedy clients, and leaks."""

import asyncio
import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine.server.config import ServerConfig
from engine.server.token import ensure_token, read_token
from protocol.limits import WINDOW, Limits
from protocol.messages import Cancel, Delta, DocumentRef, Done, Error, Fill, Welcome
from tests.engine.server.inline import InlineHub
from tests.engine.server.raw import CLOSE, TEXT, RawClient
from tests.engine.server.running import LOOPBACK, Running, running
from tests.engine.server.talk import talk
from tests.engine.server.waiting import wait_until

ROOT = Path(__file__).parent.parent.parent.parent
LONG = "steps=1500;text=" + "x" * 1500 + ";"


def fill(fill_id: str = "a", prefix: str = "", **fields: object) -> Fill:
    return Fill(id=fill_id, prefix=prefix, suffix="", **fields)  # type: ignore[arg-type]


def flows(server: Running) -> int:
    """Fills that any session still holds."""
    return sum(len(s.ledger.flows) for s in server.services.sessions._sessions.values())


def test_a_silent_client_is_closed_by_the_heartbeat() -> None:
    config = replace(LOOPBACK, heartbeat_seconds=0.3)
    with running(config=config) as server, RawClient(server.port) as client:
        client.hello()
        began = time.monotonic()
        frame = client.until(CLOSE)  # pings are read but never answered
        assert frame.code == 1011
        assert time.monotonic() - began < 5
        wait_until(lambda: server.services.connections == 0)


def test_a_busy_client_that_answers_pings_stays() -> None:
    config = replace(LOOPBACK, heartbeat_seconds=0.3)
    with running(InlineHub(step_seconds=0.02), config) as server:

        async def scenario() -> None:
            async with talk(server.ws, ping_interval=None) as line:
                await line.say(fill(prefix=LONG))
                began = time.monotonic()
                while time.monotonic() < began + 1.5:
                    assert not isinstance(await line.hear(), Done)
                await line.say(Cancel("a"))
                done = await line.end("a")
                assert isinstance(done, Done)
                assert done.finish == "cancelled"

        asyncio.run(scenario())


def test_hello_is_not_waited_for_forever() -> None:
    config = replace(LOOPBACK, limits=Limits(hello_ms=200))
    with running(config=config) as server, RawClient(server.port) as client:
        assert client.closed() == 4408


def test_a_client_that_never_reads_holds_nothing_up_and_is_left() -> None:
    config = replace(LOOPBACK, limits=Limits(lag_ms=300, ack_ms=1200))
    with running(InlineHub(step_seconds=0.005), config) as server, RawClient(server.port) as client:
        client.hello()
        body = f'{{"type":"fill","id":"a","prefix":"{LONG}","suffix":""}}'
        client.send(TEXT, body.encode())
        wait_until(lambda: flows(server) == 1)
        (session,) = server.services.sessions._sessions.values()
        flow = session.ledger.flows["a"]
        wait_until(lambda: flow.mode == "final")
        assert flow.seq <= WINDOW
        assert not flow._dirty and not flow._whole
        wait_until(lambda: session.attached is None)
        assert client.closed() == 4408


def test_a_flood_of_messages_is_stopped(server: Running) -> None:
    with RawClient(server.port) as client:
        client.hello()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(500):
                client.send(TEXT, b'{"type":"ping"}')
        assert client.closed() == 4429


def test_too_many_connections_are_refused() -> None:
    with running(config=replace(LOOPBACK, connections=2)) as server:
        with RawClient(server.port) as one, RawClient(server.port) as two:
            one.hello()
            two.hello()
            with RawClient(server.port) as three:
                assert three.closed() == 4413
        wait_until(lambda: server.services.connections == 0)
        with RawClient(server.port) as again:
            again.hello()


def test_too_many_fills_of_one_client_are_refused() -> None:
    config = replace(LOOPBACK, limits=Limits(live_fills=2))
    with running(InlineHub(step_seconds=0.02), config) as server:

        async def scenario() -> None:
            async with talk(server.ws) as line:
                for number in range(3):
                    await line.say(fill(f"f{number}", LONG))
                error = await line.end("f2")
                assert isinstance(error, Error)
                assert error.code == "overloaded"
                welcome = line.messages[0]
                assert isinstance(welcome, Welcome)
                assert welcome.limits.live_fills == 2

        asyncio.run(scenario())


@pytest.mark.parametrize("boundary", range(6))
def test_a_reset_at_any_message_leaves_nothing(slow: Running, boundary: int) -> None:
    client = RawClient(slow.port)
    doc = f'"priority":"auto","doc":{{"key":"k","version":{boundary}}}'
    body = f'{{"type":"fill","id":"a","prefix":"{LONG}","suffix":"",{doc}}}'
    if boundary > 0:
        client.hello()
    if boundary > 1:
        client.send(TEXT, body.encode())
    for _ in range(boundary - 2):
        client.until(TEXT)
    client.reset()
    wait_until(lambda: not slow.hub.routes)


def test_a_storm_of_cancels_frees_every_slot_and_hits_no_other(server: Running) -> None:
    dice = random.Random(7)

    async def client(number: int) -> int:
        kept = 0
        async with talk(server.ws) as line:
            for turn in range(15):
                name = f"{turn}" if number % 2 else f"1{turn}"
                await line.say(fill(name, "steps=30;text=" + "y" * 30 + ";"))
                if dice.random() < 0.7:
                    await line.say(Cancel(name))
                    assert isinstance(await line.end(name), Done)
                else:
                    done = await line.end(name)
                    assert isinstance(done, Done)
                    assert (done.finish, done.text) == ("converged", "y" * 30)
                    kept += 1
        return kept

    async def storm() -> list[int]:
        async with asyncio.timeout(60):
            return await asyncio.gather(*(client(number) for number in range(8)))

    assert sum(asyncio.run(storm())) > 0
    wait_until(lambda: not server.hub.routes and flows(server) == 0)
    assert max(server.hub.freed_after) <= 2


def test_the_newest_of_many_keystrokes_wins(slow: Running) -> None:
    async def scenario() -> None:
        async with talk(slow.ws) as line:
            for version in range(20):
                doc = DocumentRef("file:///a.py", version)
                await line.say(fill(f"v{version}", "steps=10;", priority="auto", doc=doc))
            finishes = []
            for version in range(20):
                done = await line.end(f"v{version}")
                assert isinstance(done, Done)
                finishes.append(done.finish)
            assert finishes == ["superseded"] * 19 + ["converged"]

    asyncio.run(scenario())


def test_a_rotated_token_shuts_the_old_one_out(tmp_path: Path) -> None:
    path = tmp_path / "token"
    ensure_token(path)
    old = read_token(path)
    with running(config=ServerConfig(port=0, token_file=path)) as server:

        async def scenario() -> None:
            async with talk(server.ws, token=old):
                path.unlink()
                ensure_token(path)
            async with talk(server.ws, token=read_token(path)):
                pass
            with pytest.raises(Exception, match="401"):
                async with talk(server.ws, token=old):
                    pass

        asyncio.run(scenario())


def test_a_hello_raises_no_rights(server: Running) -> None:
    hello = b'{"type":"hello","v":[1],"client":{"name":"x"},"caps":["admin","score","revise_text"]}'
    with RawClient(server.port) as client:
        client.send(TEXT, hello)
        client.until(TEXT)
        client.send(TEXT, b'{"type":"score","id":"s","prefix":"","text":"x","suffix":""}')
        assert b"unsupported" in client.until(TEXT).data


STOPPED = """
import sys, time
from tests.engine.server.raw import RawClient, TEXT
client = RawClient(int(sys.argv[1]))
client.hello()
client.send(TEXT, sys.argv[2].encode())
print("asked", flush=True)
while True:
    client.frame()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs SIGSTOP")
def test_a_stopped_client_holds_up_nobody() -> None:
    config = replace(LOOPBACK, limits=Limits(lag_ms=300, ack_ms=1200))
    with running(InlineHub(step_seconds=0.01), config) as server:
        body = f'{{"type":"fill","id":"a","prefix":"{LONG}","suffix":"","priority":"auto"}}'
        process = subprocess.Popen(
            [sys.executable, "-c", STOPPED, str(server.port), body],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "asked\n"
        os.kill(process.pid, signal.SIGSTOP)
        try:

            async def scenario() -> None:
                async with talk(server.ws) as line:
                    messages = await line.fill(fill(prefix="text=ab;"))
                    assert isinstance(messages[-1], Done)
                    assert any(isinstance(message, Delta) for message in messages)

            asyncio.run(scenario())
            wait_until(lambda: not server.hub.routes)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


SHIPPED = ("protocol", "engine", "models", "clients")


def sources() -> list[Path]:
    return [path for name in SHIPPED for path in sorted((ROOT / name).rglob("*.py"))]


@pytest.mark.parametrize(
    ("word", "why"),
    [
        (r"\bpickle\b|\bcloudpickle\b|\bmarshal\b", "nothing that runs code is ever read"),
        (r"websocket_listener", "it does not validate what it hands over"),
        (r"\bAF_INET\b.*worker|start_server\(", "engines are reached by pipes alone"),
        (r"trust_remote_code", "no model brings code"),
        (r"allow_origins|CORSConfig|AllowedHostsConfig", "the guard alone decides"),
    ],
)
def test_words_that_must_not_be_in_the_product(word: str, why: str) -> None:
    found = []
    for path in sources():
        code = re.sub(r'"""(?:.|\n)*?"""|#[^\n]*', "", path.read_text("utf-8"))
        if re.search(word, code):
            found.append(str(path.relative_to(ROOT)))
    assert not found, why
