"""Fill to first delta over loopback with the fake engine, beside a bare echo in the same run."""

import asyncio
import time
from typing import Any

from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from protocol.codec import MSGPACK
from protocol.messages import Delta, Done, Fill
from tests.engine.server.inline import InlineHub
from tests.engine.server.running import running
from tests.engine.server.talk import talk

STEP_SECONDS = 0.02
PREFIX = "x = 1\n" * 500


def percentiles(seconds: list[float]) -> dict[str, float]:
    """p50, p95 and p99 in milliseconds."""
    ordered = sorted(seconds)
    last = len(ordered) - 1
    return {f"p{p}_ms": round(1000 * ordered[round(last * p / 100)], 2) for p in (50, 95, 99)}


async def first_deltas(url: str, connections: int, fills: int) -> list[float]:
    """Seconds from fill to first delta, of every fill of every connection."""

    async def client() -> list[float]:
        found = []
        async with talk(url, MSGPACK) as line:
            for number in range(fills):
                began, first = time.perf_counter(), None
                await line.say(Fill(id=f"f{number}", prefix=PREFIX, suffix=""))
                while not isinstance(message := await line.hear(), Done):
                    if isinstance(message, Delta) and first is None:
                        first = time.perf_counter() - began
                found.append(first or 0.0)
        return found

    return [
        t for times in await asyncio.gather(*(client() for _ in range(connections))) for t in times
    ]


async def echoes(connections: int, rounds: int) -> list[float]:
    """Seconds of a round trip to a bare echo server with a message of the same size."""

    async def echo(socket: ServerConnection) -> None:
        async for message in socket:
            await socket.send(message)

    async def client(port: int) -> list[float]:
        found = []
        async with connect(f"ws://127.0.0.1:{port}", proxy=None, compression=None) as socket:
            for _ in range(rounds):
                began = time.perf_counter()
                await socket.send(PREFIX)
                await socket.recv()
                found.append(time.perf_counter() - began)
        return found

    async with serve(echo, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        return [
            t
            for times in await asyncio.gather(*(client(port) for _ in range(connections)))
            for t in times
        ]


def measure(quick: bool) -> dict[str, Any]:
    """A row for each number of connections."""
    rows = {}
    fills = 2 if quick else 10
    for connections in (1, 10) if quick else (1, 10, 50, 200):
        with running(InlineHub(step_seconds=STEP_SECONDS)) as server:
            deltas = asyncio.run(first_deltas(server.ws, connections, fills))
        echo = asyncio.run(echoes(connections, fills))
        rows[f"{connections} connections"] = {
            "first_delta": percentiles(deltas),
            "echo": percentiles(echo),
        }
    return {"step_ms": STEP_SECONDS * 1000, "rows": rows}
