"""Ghost text over stdio: reuse, superseding, cancelling, alternatives, partial acceptance."""

import asyncio

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import editor, play, until
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


@pytest.mark.parametrize("leaves", [False, True], ids=["takes the bracket", "leaves it"])
def test_what_is_left_after_a_partial_accept_is_offered_next(
    fake: FakeServer, leaves: bool
) -> None:
    fake.engine.answer = lambda fill: "😀 + values)\nprint(1)"

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            it.open("/w/a.py", "sum()", cursor=4)
            (item,) = await it.ghost()
            start, stop = it.span(item)
            assert stop == start + 1
            it.tell("retouch/didAccept", {"id": ident(item), "acceptedLength": 4})
            it.replace(start, start if leaves else stop, "😀 +")
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


def test_the_menu_and_ghost_text_asked_for_at_once_share_one_job(fake: FakeServer) -> None:
    fake.engine.answer = lambda fill: "m(items)"

    async def scene() -> None:
        async with editor(fake.folder, options={"debounceMs": 50, "completion": True}) as it:
            for number, text in enumerate(("x = su", "y = su"), 1):
                it.open(f"/w/{number}.py", text, cursor=6)
                place = types.TextDocumentIdentifier(it.uri), it.position(6)
                menu = it.client.text_document_completion_async(types.CompletionParams(*place))
                found, items = await asyncio.gather(menu, it.ghost())
                assert isinstance(found, types.CompletionList)
                assert [entry.label for entry in found.items] == ["sum(items)"]
                assert [item.insert_text for item in items] == ["m(items)"]
                assert len(fake.engine.fills) == number and not fake.engine.cancels

    play(scene())


def ident(item: types.InlineCompletionItem) -> str:
    assert item.command is not None and item.command.arguments
    return str(item.command.arguments[0])
