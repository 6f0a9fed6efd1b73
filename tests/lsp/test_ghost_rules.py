"""Where ghost text keeps silent, what other files it tells of, and trouble with the engine."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.editor import editor, play, until
from tests.lsp.engine import FakeServer

QUICK = {"debounceMs": 1}
QUIET = (
    (".env.local", "dotenv", {}),
    ("server.pem", "plaintext", {}),
    ("package-lock.json", "json", {}),
    ("jquery.min.js", "javascript", {}),
    ("notes.md", "markdown", {"languages": {"markdown": False}}),
    ("a.py", "python", {"languages": {"*": False}}),
    ("a.py", "python", {"ignore": ["*.py"]}),
    ("a.py", "python", {"enable": False}),
    ("a.py", "python", {"trigger": "manual"}),
    ("ignored.py", "python", {}),
    ("out/a.py", "python", {}),
    ("big.py", "python", {"maxFileKb": 1}),
    ("git:/w/a.py", "python", {}),
    ("empty.py", "python", {}),
    ("minified.js", "javascript", {}),
)
LOUD: tuple[tuple[str, dict[str, Any]], ...] = (
    ("clock.py", {}),
    ("blocks/a.py", {}),
    ("keyboard.py", {}),
    ("environment.py", {}),
    ("out.py", {}),
    ("kept/ignored.py", {}),
    ("ignored.py", {"ignore": ["!ignored.py"]}),
    ("out/kept.py", {"ignore": ["!out/"]}),
    (".env.sample", {"ignore": ["!.env.sample"]}),
)


def test_other_open_documents_are_told_the_latest_first_and_secrets_never(
    fake: FakeServer, tmp_path: Path
) -> None:
    async def scene() -> None:
        async with editor(fake.folder, options=QUICK, workspace=tmp_path) as it:
            for number in range(4):
                it.open(str(tmp_path / f"m{number}.py"), f"N = {number}\r\n")
            it.open(str(tmp_path / ".env"), "SECRET=1", "dotenv")
            it.open(str(tmp_path / "big.py"), "x" * 600_000)
            it.open(str(tmp_path / "pkg" / "a.py"), "x = ", cursor=4)
            await it.ghost()
            (fill,) = fake.engine.fills
            assert fill.path == "pkg/a.py"
            told = [(file.path, file.text) for file in fill.context]
            assert told == [(f"m{n}.py", f"N = {n}\n") for n in (3, 2, 1)]

    play(scene())


def test_silence(fake: FakeServer, tmp_path: Path) -> None:
    """Secrets, generated files, what is ignored or switched off; not what only looks like it."""
    (tmp_path / ".gitignore").write_text("ignored.py\nout/\n")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / ".gitignore").write_text("!ignored.py\n")
    texts = {"big.py": "x = 1\n" * 1000, "empty.py": " \n", "minified.js": "x;" * 10_000}

    async def scene() -> None:
        async with editor(fake.folder, workspace=tmp_path) as it:

            async def count(name: str, language: str, options: dict[str, Any]) -> int:
                it.configure(QUICK | options)
                place = name if ":" in name else str(tmp_path / name)
                text = texts.get(name, "x = ")
                it.open(place, text, language, len(text))
                return len(await it.ghost())

            for name, language, options in QUIET:
                assert await count(name, language, options) == 0, (name, options)
            assert not fake.engine.fills
            for name, options in LOUD:
                assert await count(name, "python", options) == 1, name
            assert not it.warnings

    play(scene())


@pytest.mark.parametrize(("name", "root_only"), [("C#", False), ("a%20b", False), ("plain", True)])
def test_what_is_ignored_is_told_from_the_workspace(
    fake: FakeServer, tmp_path: Path, name: str, root_only: bool
) -> None:
    folder, options = tmp_path / name, QUICK | {"ignore": ["/gen/"]}

    async def scene() -> None:
        async with editor(
            fake.folder, options=options, workspace=folder, root_only=root_only
        ) as it:
            it.open(str(folder / "gen" / "a.py"), "x = ", cursor=4)
            assert await it.ghost() == []
            it.open(str(folder / "deep" / "gen" / "a.py"), "x = ", cursor=4)
            await it.ghost()
            assert [fill.path for fill in fake.engine.fills] == ["deep/gen/a.py"]

    play(scene())


def test_without_an_engine_there_is_one_message_and_null(tmp_path: Path) -> None:
    """The port is nobody's: a warning pops up once, the status says why, requests get null."""

    async def scene() -> None:
        options = {"server": {"port": 9}, "debounceMs": 1}
        async with editor(tmp_path / "state", options=options) as it:
            it.open("/w/a.py", "x = ", cursor=4)
            for _ in range(5):
                assert await it.ghost() == []
                it.type("1")
            await until(lambda: it.states, "the status")
            assert (await it.ask("retouch/status", {})).state == "offline"
            assert len(it.warnings) == 1 and "does not answer" in it.warnings[0]

    play(scene())


def test_the_engines_troubles_are_null(fake: FakeServer) -> None:
    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", "x = ", cursor=4)
            fake.engine.answer = lambda fill: " \n "
            assert await it.ghost() == []
            it.type("1")
            fake.engine.held = True
            waiting = asyncio.create_task(it.ghost())
            await until(lambda: fake.engine.live, "the job")
            loop, hub = fake.running.loop, fake.running.hub
            loop.call_soon_threadsafe(hub.fail_all)
            assert await waiting == []
            assert not it.warnings

    play(scene())


def test_an_engine_that_keeps_silent_is_not_waited_for_for_ever(fake: FakeServer) -> None:
    fake.engine.held = True

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK | {"timeoutMs": 50}) as it:
            it.open("/w/a.py", "x = ", cursor=4)
            assert await it.ghost() == []
            await until(lambda: not fake.engine.live, "the end of the job")

    play(scene())


def test_the_status_says_that_it_works_and_that_it_is_idle(fake: FakeServer) -> None:
    fake.engine.held = True

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", "x = ", cursor=4)
            waiting = asyncio.create_task(it.ghost())
            await until(lambda: any(s.state == "working" for s in it.states), "work")
            fake.engine.held = False
            await waiting
            await until(lambda: it.states[-1].state == "idle", "rest")

    play(scene())
