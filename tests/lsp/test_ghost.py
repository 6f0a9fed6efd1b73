"""Ghost text over stdio: reuse, superseding, cancelling, silence and alternatives."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server.text import Encoding, newlines
from tests.lsp.editor import Editor, editor, play, until
from tests.lsp.engine import FakeServer

QUICK = {"debounceMs": 1}
CODE = "def total(items):\n    "


def test_an_item_has_a_range_and_a_command(fake: FakeServer) -> None:
    fake.engine.answer = lambda fill: "return sum(items)"

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", CODE, cursor=len(CODE))
            (item,) = await it.ghost()
            assert item.insert_text == "return sum(items)"
            assert item.range == types.Range(types.Position(1, 4), types.Position(1, 4))
            assert item.command is not None and item.command.command == "retouch.accepted"
            it.accept(item)
            assert it.text.value == CODE + "return sum(items)"
            (fill,) = fake.engine.fills
            assert (fill.prefix, fill.suffix, fill.path) == (CODE, "", "a.py")
            assert fill.doc is not None and fill.doc.language == "python"
            assert fill.priority == "auto" and fill.deadline_ms == 1500

    play(scene())


def test_what_is_typed_along_is_answered_without_the_engine(fake: FakeServer) -> None:
    fake.engine.answer = lambda fill: "return sum(items)"

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", CODE, cursor=len(CODE))
            await it.ghost()
            for typed, left in (("re", "turn sum(items)"), ("turn sum", "(items)")):
                it.type(typed)
                (item,) = await it.ghost()
                assert item.insert_text == left
            it.replace(it.cursor, it.cursor, "()")  # the editor closes the bracket
            it.cursor -= 1
            (item,) = await it.ghost()
            it.accept(item)
            assert it.text.value == CODE + "return sum(items)"
            assert len(fake.engine.fills) == 1

    play(scene())


def test_what_is_typed_otherwise_is_asked_again(fake: FakeServer) -> None:
    answers = iter(("return sum(items)", "0 if not items else 1"))
    fake.engine.answer = lambda fill: next(answers)

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", CODE, cursor=len(CODE))
            await it.ghost()
            it.type("x = ")
            (item,) = await it.ghost()
            assert item.insert_text == "0 if not items else 1"
            assert len(fake.engine.fills) == 2
            it.replace(len(CODE), it.cursor, "")
            (item,) = await it.ghost()  # taken back: the first answer is known still
            assert item.insert_text == "return sum(items)"

    play(scene())


def test_a_job_goes_on_while_what_is_typed_agrees_with_it(fake: FakeServer) -> None:
    """Nobody who types steadily would ever see anything if each key began anew."""
    fake.engine.answer = lambda fill: "return sum(items)"
    fake.engine.held = True

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", CODE, cursor=len(CODE))
            first = asyncio.create_task(it.ghost())
            await until(lambda: fake.engine.live, "the job")
            it.type("re")
            second = asyncio.create_task(it.ghost())
            assert await first == []
            fake.engine.held = False
            (item,) = await second
            assert item.insert_text == "turn sum(items)"
            assert len(fake.engine.fills) == 1 and not fake.engine.cancels

    play(scene())


def test_a_job_that_goes_another_way_is_ended_at_once(fake: FakeServer) -> None:
    fake.engine.answer = lambda fill: "return sum(items)"
    fake.engine.steps_each = 40

    async def scene() -> None:
        async with editor(fake.folder, options={"debounceMs": 5000}) as it:
            it.open("/w/a.py", CODE, cursor=len(CODE))
            first = asyncio.create_task(it.ghost(invoked=True))
            await until(lambda: fake.engine.fills, "the job")
            it.type("for")
            await until(lambda: not fake.engine.live, "the end of the job")
            assert await first == []
            assert len(fake.engine.fills) == 1

    play(scene())


def test_a_request_before_another_gets_null_and_an_editors_cancel_its_error(
    fake: FakeServer,
) -> None:
    fake.engine.held = True

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", CODE, cursor=len(CODE))
            first = asyncio.create_task(it.ghost())
            await asyncio.sleep(0.05)
            params, method = it.params(), types.TEXT_DOCUMENT_INLINE_COMPLETION
            second = it.client.protocol.send_request_async(method, params, msg_id="two")
            running = asyncio.ensure_future(second)
            assert await first == []
            it.client.cancel_request(types.CancelParams(id="two"))
            with pytest.raises(JsonRpcException, match="cancel") as told:
                await running
            assert told.value.code == -32800
            await until(lambda: fake.engine.cancels, "the end of the job")
            assert not it.warnings

    play(scene())


def test_the_document_has_moved_on_when_the_answer_comes(fake: FakeServer) -> None:
    """An editor that asks late gets what is left, at the place where the cursor is now."""
    fake.engine.answer = lambda fill: "return sum(items)"
    fake.engine.held = True

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", CODE, cursor=len(CODE))
            first = asyncio.create_task(it.ghost())
            await until(lambda: fake.engine.live, "the job")
            it.type("ret")
            await it.ask("retouch/status", {})
            fake.engine.held = False
            (item,) = await first
            it.accept(item)
            assert it.text.value == CODE + "return sum(items)"

    play(scene())


def test_alternatives_come_when_they_are_asked_for_and_the_first_stays(fake: FakeServer) -> None:
    fake.engine.answer = lambda fill: "one" if fill.alternatives == 1 else "two"
    fake.engine.others = ("three", "four", "two")

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK | {"alternatives": 4}) as it:
            it.open("/w/a.py", "x = ", cursor=4)
            assert [item.insert_text for item in await it.ghost()] == ["one"]
            for _ in range(2):
                found = [item.insert_text for item in await it.ghost(invoked=True)]
                assert found == ["one", "two", "three", "four"]
            assert [fill.alternatives for fill in fake.engine.fills] == [1, 4]
            it.type("t")
            assert [item.insert_text for item in await it.ghost()] == ["wo", "hree"]

    play(scene())


def test_a_text_that_was_turned_down_stays_away_until_something_changes(fake: FakeServer) -> None:
    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", "x = \ny = ", cursor=4)
            (item,) = await it.ghost()
            it.tell("retouch/didShow", {"id": ident(item)})
            it.tell("retouch/didReject", {"id": ident(item)})
            assert await it.ghost() == []
            it.cursor = len(it.text)
            assert len(await it.ghost()) == 1
            it.cursor = 4
            assert await it.ghost() == []
            assert len(await it.ghost(invoked=True)) == 1
            it.type(" ")
            assert len(await it.ghost()) == 1

    play(scene())


def test_what_is_left_after_a_partial_accept_is_offered_next(fake: FakeServer) -> None:
    fake.engine.answer = lambda fill: "😀 + values)\nprint(1)"

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", "sum()", cursor=4)
            (item,) = await it.ghost()
            start, stop = it.span(item)
            it.tell("retouch/didAccept", {"id": ident(item), "acceptedLength": 4})
            it.replace(start, stop, "😀 +")  # the editor takes the bracket with it
            (item,) = await it.ghost()
            it.accept(item)
            assert it.text.value == "sum(😀 + values)\nprint(1)"
            assert len(fake.engine.fills) == 1

    play(scene())


def test_an_entry_of_the_menu_is_continued(fake: FakeServer) -> None:
    fake.engine.answer = lambda fill: "(items)"

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", "x = su", cursor=6)
            entry = types.Range(types.Position(0, 4), types.Position(0, 6))
            (item,) = await it.ghost(chosen=types.SelectedCompletionInfo(entry, "sum"))
            assert (item.insert_text, item.range) == ("sum(items)", entry)
            assert fake.engine.fills[0].prefix == "x = sum"
            other = types.SelectedCompletionInfo(entry, "max")
            assert await it.ghost(chosen=other) == []

    play(scene())


def test_nothing_is_offered_for_a_selection(fake: FakeServer) -> None:
    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", "a = 1\nb = 2\n", cursor=2)
            for stop in (types.Position(0, 5), types.Position(1, 3)):
                selected = types.Range(types.Position(0, 0), stop)
                text = it.text.value[: it.offset(stop)]
                chosen = types.SelectedCompletionInfo(selected, text)
                assert await it.ghost(chosen=chosen) == []
            assert not fake.engine.fills

    play(scene())


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
LOUD = ("clock.py", "blocks/a.py", "keyboard.py", "environment.py", "out.py", "kept/ignored.py")


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
            for name in LOUD:
                assert await count(name, "python", {}) == 1, name
            assert not it.warnings

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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_the_engine_sees_what_the_editor_shows(fake: FakeServer, encoding: Encoding) -> None:
    """After any edits: what is asked for is the buffer, cut at the cursor."""
    chance = random.Random(encoding)
    pieces = ("x", " = ", "\n", "\r\n", "\r", "é", "e\u0301", "😀", "\u2028", "\x0c", "\t", "()")

    async def scene() -> None:
        async with editor(fake.folder, encoding=encoding, options=QUICK) as it:
            it.open("/w/a.py", "start = 1\r\n😀 = 2\n")
            for _ in range(40):
                for _ in range(chance.randrange(1, 6)):
                    start, stop = sorted(apart(it, chance) for _ in range(2))
                    stop = min(stop, start + 6)
                    new = "".join(chance.choices(pieces, k=chance.randrange(4)))
                    it.replace(start, apart(it, chance, stop), new)
                it.cursor = apart(it, chance)
                await it.ghost(invoked=True)
                before, after = it.text.value[: it.cursor], it.text.value[it.cursor :]
                fill = fake.engine.fills[-1]
                assert (fill.prefix, fill.suffix) == (newlines(before), newlines(after))

    play(scene())


def apart(it: Editor, chance: random.Random, offset: int | None = None) -> int:
    """A place that is not inside a line end, where no editor's cursor goes."""
    offset = chance.randint(0, len(it.text)) if offset is None else offset
    return offset - (it.text.value[max(0, offset - 1) : offset + 1] == "\r\n")


def test_a_document_that_is_closed_and_opened_again_is_another(fake: FakeServer) -> None:
    """Its versions begin anew; the engine must not take its requests for old ones."""

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", "x = ", cursor=4)
            it.type("1")
            await it.ghost()
            closed = types.TextDocumentIdentifier(it.uri)
            it.client.text_document_did_close(types.DidCloseTextDocumentParams(closed))
            assert await it.ghost() == []
            it.open("/w/a.py", "y = ", cursor=4)
            assert len(await it.ghost()) == 1

    play(scene())


def test_the_completion_menu_is_a_last_resort(fake: FakeServer) -> None:
    fake.engine.answer = lambda fill: "m(items)\nprint(1)"

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK | {"completion": True}) as it:
            assert it.result.capabilities.completion_provider is not None
            it.open("/w/a.py", "x = su", cursor=6)
            found = await it.client.text_document_completion_async(
                types.CompletionParams(types.TextDocumentIdentifier(it.uri), it.position(6))
            )
            assert isinstance(found, types.CompletionList) and found.is_incomplete
            (entry,) = found.items
            assert (entry.label, entry.detail) == ("sum(items)", "Retouch")
            place = types.Range(types.Position(0, 4), types.Position(0, 6))
            assert entry.text_edit == types.TextEdit(place, "sum(items)\nprint(1)")

    play(scene())


def ident(item: types.InlineCompletionItem) -> str:
    assert item.command is not None and item.command.arguments
    return str(item.command.arguments[0])


def test_twenty_keys_a_second_make_one_job_at_a_time_and_no_popup(fake: FakeServer) -> None:
    """Every key is a request, the one before it is cancelled, as VS Code does it."""
    typed = "value = compute(left, right) + offset  # the sum of them all\n" * 3
    fake.engine.answer = lambda fill: "something else entirely"
    fake.engine.steps_each = 30

    async def scene() -> None:
        async with editor(fake.folder, options={"debounceMs": 20}) as it:
            it.open("/w/a.py", CODE, cursor=len(CODE))
            answers = [await _key(it, char, number) for number, char in enumerate(typed)]
            ended = await asyncio.gather(*answers, return_exceptions=True)
            assert len(ended) == len(typed)
            codes = {getattr(end, "code", None) for end in ended if isinstance(end, Exception)}
            assert codes <= {-32800}
            await until(lambda: not fake.engine.live, "rest")
            assert fake.engine.most_live == 1
            assert 0 < len(fake.engine.fills) < len(typed)
            assert not it.warnings
            assert (await it.ask("retouch/status", {})).state == "idle"

    play(scene())


async def _key(it: Editor, char: str, number: int) -> "asyncio.Future[object]":
    if number:
        it.client.cancel_request(types.CancelParams(id=f"key-{number - 1}"))
    it.type(char)
    method = types.TEXT_DOCUMENT_INLINE_COMPLETION
    sent = it.client.protocol.send_request_async(method, it.params(), msg_id=f"key-{number}")
    running = asyncio.ensure_future(sent)
    await asyncio.sleep(0.05)
    return running
