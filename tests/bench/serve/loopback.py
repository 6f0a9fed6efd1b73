"""Fill to first delta over loopback with the fake engine, beside a bare echo in the same run.

The fake engine takes no time of its own, so this is what server, pipe and protocol cost. Clients
ask at a steady pace, as typists do; the echo gets messages of the same size at the same pace.
"""

import asyncio
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

from protocol.codec import MSGPACK
from protocol.messages import Cancel, Delta, Done, Fill
from tests.bench.common.stats import percentile
from tests.bench.serve.server import started
from tests.engine.server.talk import Talk, talk

PREFIX = "x = 1\n" * 500
FASTEST = 0.05
"""Seconds between two fills of a client; more where all together would ask more than RATE."""
RATE = 100.0
STEP_SECONDS = 0.02

Ask = Callable[[int], Awaitable[float]]


def percentiles(seconds: list[float]) -> dict[str, float]:
    """p50, p95 and p99 in milliseconds, and of how many."""
    shares = {f"p{p}_ms": round(1000 * percentile(seconds, p / 100), 2) for p in (50, 95, 99)}
    return {**shares, "samples": len(seconds)}


async def paced(ask: Ask, connections: int, seconds: float, phase: float) -> list[float]:
    """What `ask` measures, asked at a steady pace."""
    pause = max(FASTEST, connections / RATE)
    loop = asyncio.get_running_loop()
    began = loop.time()
    due, found, number = began + phase * pause, [], 0
    while due < began + seconds:
        await asyncio.sleep(max(0.0, due - loop.time()))
        found.append(await ask(number))
        number, due = number + 1, max(due + pause, loop.time())
    return found


async def first_delta(line: Talk, number: int) -> float:
    """Seconds from a fill to its first delta; returns at its end."""
    began, first = time.perf_counter(), None
    await line.say(Fill(id=f"f{number}", prefix=PREFIX, suffix=""))
    while not isinstance(message := await line.hear(), Done):
        if isinstance(message, Delta) and first is None:
            first = time.perf_counter() - began
    line.messages.clear()
    assert first is not None, "a fill showed nothing"
    return first


async def fills(url: str, token: str | None, connections: int, seconds: float) -> list[float]:
    """Fill to first delta, of every fill of every connection."""

    async def client(phase: float) -> list[float]:
        async with talk(url, MSGPACK, token=token) as line:
            return await paced(lambda n: first_delta(line, n), connections, seconds, phase)

    return await _all(client, connections)


async def echoes(port: int, connections: int, seconds: float) -> list[float]:
    """Round trips to the echo."""

    async def client(phase: float) -> list[float]:
        address = f"ws://127.0.0.1:{port}"
        async with connect(address, proxy=None, compression=None, max_size=None) as socket:

            async def ask(number: int) -> float:
                began = time.perf_counter()
                await socket.send(PREFIX)
                await socket.recv()
                return time.perf_counter() - began

            return await paced(ask, connections, seconds, phase)

    return await _all(client, connections)


async def cancels(url: str, token: str | None, count: int) -> list[float]:
    """Seconds from a cancel at any moment to the end of the fill."""
    dice, found = random.Random(1), []
    async with talk(url, MSGPACK, token=token) as line:
        prefix = f"steps=500;sleep={STEP_SECONDS};text=" + "x" * 500 + ";"
        for number in range(count):
            await line.say(Fill(id=f"c{number}", prefix=prefix, suffix=""))
            await asyncio.sleep(dice.uniform(0.0, 0.1))
            began = time.perf_counter()
            await line.say(Cancel(f"c{number}"))
            await line.end(f"c{number}")
            found.append(time.perf_counter() - began)
            line.messages.clear()
    return found


def measure(quick: bool) -> dict[str, Any]:
    """A row for each number of connections, and cancels."""
    rows, seconds = {}, 1.0 if quick else 30.0
    with (
        tempfile.TemporaryDirectory() as name,
        started("fake", Path(name)) as fake,
        started("echo", Path(name)) as bare,
    ):
        for connections in (1, 4) if quick else (1, 10, 50, 200):
            echo = asyncio.run(echoes(bare.port, connections, seconds))
            deltas = asyncio.run(fills(fake.url, fake.token, connections, seconds))
            rows[f"{connections} connections"] = {
                "first_delta": percentiles(deltas),
                "echo": percentiles(echo),
            }
        ends = asyncio.run(cancels(fake.url, fake.token, 5 if quick else 300))
    steps = [end / STEP_SECONDS for end in ends]
    freed = {f"p{p}_steps": round(percentile(steps, p / 100), 2) for p in (50, 99)}
    return {
        "rows": rows,
        "cancel_to_end": {"step_ms": STEP_SECONDS * 1000, **percentiles(ends), **freed},
    }


async def _all(client: Callable[[float], Awaitable[list[float]]], count: int) -> list[float]:
    """All clients at once, each with a phase of its own."""
    dice = random.Random(count)
    times = await asyncio.gather(*(client(dice.random()) for _ in range(count)))
    return [one for mine in times for one in mine]
