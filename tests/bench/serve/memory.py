"""Memory of a server and its engine over many fills, and with a client that never reads."""

import asyncio
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from protocol.codec import MSGPACK
from protocol.messages import Bye, CanvasSpec, Done, Fill, Sampling
from tests.bench.serve.server import Process, started
from tests.engine.server.raw import TEXT, RawClient
from tests.engine.server.talk import talk

CONTEXTS = 10
"""Different texts that the real engine is asked about in turn: so many are kept."""
CONNECTIONS = 16
QUARTERS = 4


def resident_mib(pid: int) -> float:
    """Resident memory of a process; RuntimeError where the system does not tell."""
    path = Path(f"/proc/{pid}/statm")
    if not path.exists():
        raise RuntimeError("memory is measured where there is a /proc")
    pages = int(path.read_text().split()[1])
    return round(pages * resource.getpagesize() / 2**20, 1)


def sizes(process: Process) -> dict[str, float]:
    """Memory of the server and of its engine."""
    server, engine = process.pids[:2]
    return {"server_mib": resident_mib(server), "engine_mib": resident_mib(engine)}


async def many(process: Process, requests: list[Fill]) -> None:
    """Fills over several connections, one after another in each."""

    async def client(mine: list[Fill]) -> None:
        async with talk(process.url, MSGPACK, token=process.token) as line:
            for request in mine:
                await line.say(request)
                assert isinstance(await line.end(request.id), Done)
                line.messages.clear()
                await asyncio.sleep(0.016)  # below the messages that a client may send a second
            await line.say(Bye())
            await line.closed()

    await asyncio.gather(*(client(requests[n::CONNECTIONS]) for n in range(CONNECTIONS)))


def quarters(process: Process, fills: int, make: Callable[[int], Fill]) -> list[dict[str, float]]:
    """Memory before and after each quarter of so many fills, behind half as many to warm up."""
    asyncio.run(many(process, [make(number) for number in range(fills // 2)]))
    marks = [sizes(process)]
    for quarter in range(QUARTERS):
        numbers = range(quarter * fills // QUARTERS, (quarter + 1) * fills // QUARTERS)
        asyncio.run(many(process, [make(number) for number in numbers]))
        marks.append(sizes(process))
    return marks


def small(number: int) -> Fill:
    """A short fill for the fake engine."""
    return Fill(id=f"f{number}", prefix="text=ab cd;", suffix="")


def line(number: int) -> Fill:
    """A short fill for the real engine, in one of a few contexts."""
    prefix = f"# {number % CONTEXTS}\n" + "value = compute(value)\n" * 20 + "total = "
    return Fill(
        id=f"f{number}",
        prefix=prefix,
        suffix="\nprint(total)\n",
        canvas=CanvasSpec(tokens=8, pinned=True),
        sampling=Sampling(policy="fixed", steps=4),
    )


def never_reading(process: Process, seconds: float) -> dict[str, float]:
    """Memory that a client costs which asks for a long fill and never reads."""
    before = sizes(process)
    with RawClient(process.port, token=process.token) as client:
        client.hello()
        prefix = "steps=20000;sleep=0.0005;text=" + "x" * 20_000 + ";"
        body = f'{{"type":"fill","id":"a","prefix":"{prefix}","suffix":""}}'
        client.send(TEXT, body.encode())
        time.sleep(seconds)
        after = sizes(process)
    return {name: round(after[name] - before[name], 2) for name in before}


def measure(quick: bool) -> dict[str, Any]:
    """The fake engine: memory after each quarter, and what a client that never reads costs."""
    fills = 200 if quick else 10_000
    with tempfile.TemporaryDirectory() as name, started("fake", Path(name)) as process:
        before, *marks = quarters(process, fills, small)
        slow = never_reading(process, 1.0 if quick else 20.0)
    return {
        "fills": fills,
        "before": before,
        "after_each_quarter": marks,
        "client_that_never_reads": slow,
    }


def measure_real(quick: bool, threads: int) -> dict[str, Any]:
    """The real engine: memory after each quarter."""
    fills = 8 if quick else 300
    with tempfile.TemporaryDirectory() as name, started("real", Path(name), threads) as process:
        before, *marks = quarters(process, fills, line)
    return {"fills": fills, "before": before, "after_each_quarter": marks}
