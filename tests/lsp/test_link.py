"""EngineLink: reaching and starting a server, jobs side by side, breaks, and quiet failures."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from lsp_server.link.finding import Endpoint, LinkError, fixed_endpoint
from lsp_server.link.launching import Launcher
from lsp_server.link.link import EngineLink
from protocol.messages import Accepted, Cancel, Delta, Done, Error, Fill, Pin, Revise
from tests.lsp.editor import play, until
from tests.lsp.engine import FakeServer, fake_server

SERVER = [sys.executable, "-m", "tests.engine.server.fake_server"]


def fill(job: str = "a", prefix: str = "x") -> Fill:
    return Fill(id=job, prefix=prefix, suffix="y")


@asynccontextmanager
async def linked(
    folder: Path, told: list[tuple[str, str]] | None = None
) -> AsyncIterator[EngineLink]:
    heard = told if told is not None else []
    locate = Launcher(folder, ["false"]).endpoint
    link = EngineLink(locate, lambda state, why: heard.append((state, why)))
    try:
        yield link
    finally:
        await link.close()


def test_a_job_from_question_to_answer(fake: FakeServer) -> None:
    async def scene() -> None:
        told: list[tuple[str, str]] = []
        async with linked(fake.folder, told) as link:
            assert link.capabilities == frozenset()
            async with aclosing(link.run(fill())) as messages:
                said = [message async for message in messages]
            assert isinstance(said[0], Accepted) and isinstance(said[-1], Done)
            assert all(isinstance(message, Delta) for message in said[1:-1])
            assert said[-1].text == "pass"
            assert "alternatives" in link.capabilities
            assert told == [("open", "")]
            assert link.jobs == 0

    play(scene())


def test_jobs_run_side_by_side_and_each_hears_its_own(fake: FakeServer) -> None:
    fake.engine.answer = lambda fill: f"answer {fill.prefix}"

    async def scene() -> None:
        async with linked(fake.folder) as link:
            jobs = [link.result(fill(f"job-{n}", f"job-{n}")) for n in range(20)]
            ends = await asyncio.gather(*jobs)
            assert [end.text for end in ends if isinstance(end, Done)] == [
                f"answer job-{n}" for n in range(20)
            ]

    play(scene())
    assert fake.running.services.sessions.live == 0


def test_leaving_the_messages_early_ends_the_job(fake: FakeServer) -> None:
    fake.engine.held = True

    async def scene() -> None:
        async with linked(fake.folder) as link:
            async with aclosing(link.run(fill("early"))) as messages:
                assert isinstance(await anext(messages), Accepted)
            waiting = asyncio.create_task(link.result(fill("late")))
            await until(lambda: len(fake.engine.fills) == 2, "the job")
            waiting.cancel()
            await until(lambda: len(fake.engine.cancels) == 2, "the cancels")
            await until(lambda: not fake.engine.live, "the end")
            assert link.jobs == 0

    play(scene())


def test_a_running_job_can_be_changed_and_stopped(fake: FakeServer) -> None:
    fake.engine.held = True

    async def scene() -> None:
        async with linked(fake.folder) as link:
            async with aclosing(link.run(fill())) as messages:
                await anext(messages)
                link.send(Revise("a", 0, (Pin(0, 1, "stop"),)))
                pinned = await anext(messages)
                assert isinstance(pinned, Delta) and pinned.cells == ("stop",)
                link.send(Cancel("a"))
                end = await anext(messages)
                assert isinstance(end, Done) and end.finish == "cancelled"
            link.send(Cancel("a"))  # nothing runs any more

    play(scene())


def test_a_broken_connection_ends_its_jobs_and_the_next_job_opens_another(
    fake: FakeServer,
) -> None:
    fake.engine.held = True

    async def scene() -> None:
        told: list[tuple[str, str]] = []
        async with linked(fake.folder, told) as link:
            waiting = asyncio.create_task(link.result(fill()))
            await until(lambda: fake.engine.live, "the job")
            assert link._line is not None
            link._line._socket.transport.abort()
            end = await waiting
            assert isinstance(end, Error) and end.code == "engine_failed"
            fake.engine.held = False
            assert isinstance(await link.result(fill("b")), Done)
            assert [state for state, _ in told] == ["open", "closed", "open"]

    play(scene())


def test_a_server_that_is_started_again_is_found_again(tmp_path: Path) -> None:
    async def scene() -> None:
        told: list[tuple[str, str]] = []
        async with linked(tmp_path, told) as link:
            for _ in range(2):
                with fake_server(tmp_path) as server:
                    assert isinstance(await link.result(fill()), Done)
                    drain = server.running.services.sessions.drain
                    server.running.loop.call_soon_threadsafe(drain, "idle", 1000)
                    await until(lambda: not link.capabilities, "goodbye")
            assert [state for state, _ in told if state != "closed"] == ["open", "open"]

    play(scene())


def test_a_failure_is_told_once_and_tried_again_in_longer_and_longer_times(tmp_path: Path) -> None:
    async def scene() -> None:
        now, told, tries = [0.0], list[str](), list[float]()

        async def locate(starting: Callable[[], None]) -> Endpoint:
            tries.append(now[0])
            raise LinkError("nobody there")

        link = EngineLink(locate, lambda state, why: told.append(state), lambda: now[0])
        for _ in range(2000):
            with pytest.raises(LinkError, match="nobody there"):
                await link.ready()
            now[0] += 0.0625
        gaps = [after - before for before, after in pairwise(tries)]
        assert gaps == sorted(gaps)
        assert 0.5 <= gaps[0] < 1 and 30 <= gaps[-1] < 31
        assert told == ["offline"] * len(tries)
        with pytest.raises(LinkError):
            await link.ready(force=True)
        assert tries[-1] == now[0]
        await link.close()

    play(scene())


def test_a_server_that_refuses_says_why(fake: FakeServer, tmp_path: Path) -> None:
    async def scene() -> None:
        async def locate(starting: Callable[[], None]) -> Endpoint:
            return Endpoint(fake.running.ws, "wrong")

        link = EngineLink(locate, lambda state, why: None)
        with pytest.raises(LinkError, match="does not answer"):
            await link.ready()
        await link.close()

    play(scene())


def test_the_settings_can_name_the_server(fake: FakeServer) -> None:
    async def scene() -> None:
        async def locate(starting: Callable[[], None]) -> Endpoint:
            return fixed_endpoint(fake.folder, "127.0.0.1", fake.running.port)

        link = EngineLink(locate, lambda state, why: None)
        assert (await link.ready()).models == ("fake",)
        await link.close()

    play(scene())
    assert fixed_endpoint(fake.folder / "none", "::1", 7) == Endpoint(
        "ws://[::1]:7/v1/infill", None
    )


async def never_found(starting: Callable[[], None]) -> Endpoint:
    """A search for a server that goes on and on."""
    starting()
    await asyncio.Event().wait()
    raise AssertionError("never")


def test_who_waits_while_the_settings_name_another_server_gets_that(fake: FakeServer) -> None:
    async def scene() -> None:
        told: list[str] = []
        link = EngineLink(never_found, lambda state, why: told.append(state))
        waiting = asyncio.create_task(link.ready())
        await until(lambda: told == ["starting"], "the search")
        link.relocate(Launcher(fake.folder, ["false"]).endpoint)
        assert (await waiting).models == ("fake",)
        assert told == ["starting", "closed", "open"]
        assert isinstance(await link.result(fill()), Done)
        await link.close()

    play(scene())


def test_who_waits_for_a_link_that_is_closed_is_told(fake: FakeServer) -> None:
    async def scene() -> None:
        told: list[str] = []
        link = EngineLink(never_found, lambda state, why: told.append(state))
        waiting = asyncio.create_task(link.ready())
        await until(lambda: told, "the search")
        await link.close()
        with pytest.raises(LinkError, match="stopping"):
            await waiting

    play(scene())


def test_no_server_is_started_once_and_found_by_everybody(tmp_path: Path) -> None:
    """Two editors at the same time get one server, and it outlives the first."""
    command = [*SERVER, str(tmp_path), "0", "0", ""]

    launchers = [Launcher(tmp_path, command) for _ in range(2)]

    async def scene() -> None:
        told: list[str] = []
        links = [
            EngineLink(launcher.endpoint, lambda state, why: told.append(state))
            for launcher in launchers
        ]
        await asyncio.gather(*(link.ready() for link in links))
        assert told == ["starting", "starting", "open", "open"]
        sessions = {link.welcome.session for link in links if link.welcome}
        assert len(sessions) == 2
        await links[0].close()
        assert isinstance(await links[1].result(fill()), Done)
        await links[1].close()

    try:
        play(scene())
    finally:
        for process in (launcher._process for launcher in launchers):
            if process is not None:
                process.terminate()
                process.wait(30)


def test_a_server_that_cant_start_says_why(tmp_path: Path) -> None:
    code = "import sys; sys.exit('engine: there is no model here')"

    async def scene() -> None:
        told: list[tuple[str, str]] = []
        launcher = Launcher(tmp_path, [sys.executable, "-c", code])
        link = EngineLink(launcher.endpoint, lambda state, why: told.append((state, why)))
        with pytest.raises(LinkError, match="engine: there is no model here"):
            await link.ready()
        assert [state for state, _ in told] == ["starting", "offline"]
        missing = Launcher(tmp_path, [str(tmp_path / "missing")])
        with pytest.raises(LinkError, match="can't be started"):
            await missing.endpoint(lambda: None)
        await link.close()

    play(scene())


@pytest.mark.parametrize("broken", ["state", "state/inner"], ids=["the folder", "its parent"])
def test_a_folder_that_cant_be_made_is_told_and_nobody_waits(tmp_path: Path, broken: str) -> None:
    (tmp_path / "state").write_text("a file")

    async def scene() -> None:
        told: list[tuple[str, str]] = []
        async with linked(tmp_path / broken, told) as link:
            with pytest.raises(LinkError, match="can't be used"):
                await link.ready()
            assert [state for state, _ in told] == ["starting", "offline"]
            assert str(tmp_path / broken) in told[-1][1]

    play(scene())
