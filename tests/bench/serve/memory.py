"""Memory of the server over many fills, and with a client that never reads."""

import asyncio
import resource
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from protocol.codec import MSGPACK
from protocol.limits import Limits
from protocol.messages import Fill
from tests.engine.server.inline import InlineHub
from tests.engine.server.raw import TEXT, RawClient
from tests.engine.server.running import LOOPBACK, running
from tests.engine.server.talk import talk

PAGES = Path("/proc/self/statm")


def resident_mib() -> float:
    """Resident memory of this process, in MiB; the peak where the system tells no more."""
    if PAGES.exists():
        return int(PAGES.read_text().split()[1]) * resource.getpagesize() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def many(url: str, fills: int) -> None:
    """So many short fills over one connection after another."""
    for start in range(0, fills, 500):
        async with talk(url, MSGPACK) as line:
            for number in range(start, min(fills, start + 500)):
                await line.fill(Fill(id=f"f{number}", prefix="text=ab cd;", suffix=""))
                line.messages.clear()


def measure(quick: bool) -> dict[str, Any]:
    """MiB at the start, in the middle and at the end."""
    fills = 400 if quick else 10_000
    limits = Limits(messages_per_second=10**6, message_burst=10**6)
    hub = InlineHub()
    with running(hub, replace(LOOPBACK, limits=limits)) as server:
        marks = []
        for _ in range(4):
            asyncio.run(many(server.ws, fills // 4))
            hub.asked.clear()
            hub.engine.heard.clear()
            marks.append(round(resident_mib(), 1))
    slow = replace(LOOPBACK, limits=Limits(lag_ms=10**6, ack_ms=10**6))
    with running(InlineHub(step_seconds=0.001), slow) as server, RawClient(server.port) as client:
        client.hello()
        before = resident_mib()
        prefix = "steps=2000;text=" + "x" * 2000 + ";"
        client.send(TEXT, f'{{"type":"fill","id":"a","prefix":"{prefix}","suffix":""}}'.encode())
        time.sleep(2 if quick else 20)
        after = resident_mib()
    return {
        "fills": fills,
        "mib_after_each_quarter": marks,
        "never_reading_client_mib": round(after - before, 2),
    }
