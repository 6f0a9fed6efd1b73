"""A real engine's canvas changed over the wire: what is refused leaves the fill alone."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.limits import Limits
from protocol.messages import (
    Accepted,
    Advance,
    CanvasSpec,
    ClientInfo,
    Delta,
    Done,
    Error,
    Fill,
    Hello,
    Op,
    Pin,
    Remask,
    Resize,
    Revise,
    Sampling,
    Snap,
    Splice,
    Welcome,
)
from protocol.mirror import Mirror
from tests.engine.server.inline import InlineHub
from tests.engine.server.running import LOOPBACK, running
from tests.engine.server.talk import Talk, talk

FILL = Fill(
    "a",
    "(",
    ")\n",
    canvas=CanvasSpec(tokens=14, pinned=True),
    sampling=Sampling(policy="fixed", steps=14, temperature=1.0, seed=3),
)


def converse(tiny: Model, scenario: Callable[[Talk], Awaitable[None]]) -> None:
    """Run a scenario against an engine that takes a step every 30 ms."""
    engine: Any = LocalEngine(tiny, EngineConfig(threads=1))

    async def whole(url: str) -> None:
        async with asyncio.timeout(60), talk(url) as line:
            await scenario(line)

    with running(InlineHub(engine=engine, step_seconds=0.03)) as server:
        asyncio.run(whole(server.ws))


def mirror_of(line: Talk) -> Mirror:
    """The canvas as the messages so far tell it."""
    mirror = Mirror()
    for message in line.messages:
        if isinstance(message, Accepted):
            size = message.canvas_tokens
            mirror = Mirror([None] * size, [0.0] * size)
        elif isinstance(message, Delta | Splice | Snap):
            mirror.apply(message)
    return mirror


async def begun(line: Talk, frames: int = 3) -> None:
    await line.say(FILL)
    while sum(isinstance(message, Delta) for message in line.messages) < frames:
        await line.hear()


async def revise(line: Talk, *ops: Op) -> None:
    await line.say(Revise(id="a", base_seq=line.core.live["a"], ops=ops))


def test_ops_of_every_kind_over_the_wire(tiny: Model) -> None:
    async def scenario(line: Talk) -> None:
        await begun(line)
        await revise(line, Remask(0, 14), Resize(10), Pin(4, 5, "typed"))
        done = await line.end("a")
        assert isinstance(done, Done)
        assert not any(isinstance(message, Error) for message in line.messages)
        cells = mirror_of(line).cells
        assert "typed" in "".join(cell or "" for cell in cells)
        assert None not in cells
        assert done.text == "".join(cell or "" for cell in cells)

    converse(tiny, scenario)


def test_two_changes_at_once_do_not_mix_up_slots(tiny: Model) -> None:
    """The second one counts slots as they were before the first, whose splice is on its way."""

    async def scenario(line: Talk) -> None:
        await begun(line)
        await revise(line, Pin(2, 3, "longer text"))
        await revise(line, Pin(5, 6, "lost"))
        done = await line.end("a")
        assert isinstance(done, Done)
        (error,) = [message for message in line.messages if isinstance(message, Error)]
        assert (error.code, error.ends) == ("stale_base", False)
        assert "longer text" in done.text
        assert "lost" not in done.text

    converse(tiny, scenario)


def test_typing_through_a_ghost_text(tiny: Model) -> None:
    """Accepted characters need no slots, so one may follow the other without waiting."""

    async def scenario(line: Talk) -> None:
        await begun(line, 1)
        while len(mirror_of(line).settled_text) < 2:
            await line.hear()
        shown = mirror_of(line).settled_text
        if "\ufffd" in shown[:2]:
            return
        await revise(line, Advance(1))
        await revise(line, Advance(1))
        done = await line.end("a")
        assert isinstance(done, Done)
        assert not any(isinstance(message, Error) for message in line.messages)
        cells = mirror_of(line).cells
        assert done.text == "".join(cell or "" for cell in cells)

    converse(tiny, scenario)


def test_what_offsets_count_and_how_long_requests_may_take_is_told() -> None:
    limits = Limits(auto_deadline_ms=123, manual_deadline_ms=None)

    async def scenario(url: str) -> None:
        for offered, agreed in ((("utf-16", "utf-8"), "utf-16"), ((), "utf-32")):
            async with talk(url, hello=False) as line:
                hello = Hello((1,), ClientInfo("test"), position_encoding=offered)  # type: ignore[arg-type]
                await line.say(hello)
                welcome = await line.hear()
                assert isinstance(welcome, Welcome)
                assert welcome.position_encoding == agreed
                assert welcome.limits == limits
                await line.say(Fill("a", "text=a;", "", priority="auto"))
                await line.end("a")

    with running(config=replace(LOOPBACK, limits=limits)) as server:
        asyncio.run(scenario(server.ws))
        asked = [message for message in server.hub.asked if isinstance(message, Fill)]
        assert [fill.deadline_ms for fill in asked] == [123, 123]
