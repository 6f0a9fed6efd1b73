"""Ghost text under streams of edits and keys: what the engine sees, and how often it is asked."""

import asyncio
import random

import pytest
from lsprotocol import types

from lsp_server.text import Encoding, newlines
from tests.lsp.editor import Editor, editor, play, until
from tests.lsp.engine import FakeServer

QUICK = {"debounceMs": 1}
CODE = "def total(items):\n    "


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


def test_who_asks_by_hand_is_answered_though_the_menu_waits_too(fake: FakeServer) -> None:
    """The job that the menu followed is cancelled: it follows the new one, and doesn't end it."""
    fake.engine.answer = lambda fill: "m(items)"
    fake.engine.held = True

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK | {"completion": True}) as it:
            it.open("/w/a.py", "x = su", cursor=6)
            first = asyncio.create_task(it.ghost())
            await until(lambda: fake.engine.live, "the job")
            menu = _menu(it)
            await it.ask("retouch/status", {})
            asked = asyncio.create_task(it.ghost(invoked=True))
            await until(lambda: len(fake.engine.fills) > 1 and fake.engine.cancels, "another")
            await it.ask("retouch/status", {})
            fake.engine.held = False
            assert [item.insert_text for item in await asked] == ["m(items)"]
            assert await first == []
            found = await menu
            assert isinstance(found, types.CompletionList)
            assert [entry.label for entry in found.items] == ["sum(items)"]
            assert len(fake.engine.fills) == 2

    play(scene())


def test_who_follows_a_job_without_an_answer_does_not_ask_again(fake: FakeServer) -> None:
    fake.engine.answer, fake.engine.finish = lambda fill: "", "deadline"
    fake.engine.held = True

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK | {"completion": True}) as it:
            it.open("/w/a.py", "x = su", cursor=6)
            first = asyncio.create_task(it.ghost())
            await until(lambda: fake.engine.live, "the job")
            menu = _menu(it)
            await it.ask("retouch/status", {})
            fake.engine.held = False
            assert await first == []
            assert await menu is None
            assert len(fake.engine.fills) == 1

    play(scene())


def _menu(it: Editor) -> "asyncio.Future[object]":
    place = types.TextDocumentIdentifier(it.uri), it.position(it.cursor)
    params = types.CompletionParams(*place)
    return asyncio.ensure_future(it.client.text_document_completion_async(params))


async def _key(it: Editor, char: str, number: int) -> "asyncio.Future[object]":
    if number:
        it.client.cancel_request(types.CancelParams(id=f"key-{number - 1}"))
    it.type(char)
    method = types.TEXT_DOCUMENT_INLINE_COMPLETION
    sent = it.client.protocol.send_request_async(method, it.params(), msg_id=f"key-{number}")
    running = asyncio.ensure_future(sent)
    await asyncio.sleep(0.05)
    return running
