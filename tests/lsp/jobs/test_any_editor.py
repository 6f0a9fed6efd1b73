"""Editors without our client: code actions, commands, progress, versioned edits."""

import asyncio
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from protocol.messages import Cancel, Fill
from tests.lsp.editor import play, until
from tests.lsp.jobs.desk import actions, desk, soon
from tests.lsp.jobs.engine import Serving

CODE = "# retouch: brief\nx = f(___)\ny = 2\n"
OLD = "x = f(___)\n"


def test_actions_of_a_selection(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, ours=None) as it:
            it.open("/w/a.py", CODE)
            start = CODE.index(OLD)
            found = await actions(it, start, start + len(OLD))
            assert list(found) == [
                "Retouch: rewrite as asked above",
                "Retouch: rewrite selection",
                "Retouch: refine selection",
                "Retouch: fill all holes",
            ]
            for action in found.values():
                assert (action["kind"], action["tags"]) == ("refactor.rewrite", [1])
                assert action["command"]["arguments"][0] == it.uri and "data" not in action
            assert not await actions(it, start, start)
            assert not await actions(it, start, start + 3, only=[types.CodeActionKind.QuickFix])
            assert await actions(it, start, start + 3, only=[types.CodeActionKind.Refactor])
            last = CODE.index("y = 2")
            assert len(await actions(it, last, last + 5)) == 2

    play(scene())


def test_no_tag_for_editors_that_know_none(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, ours=None, tags=False) as it:
            it.open("/w/a.py", CODE)
            found = await actions(it, 0, len(CODE))
            assert found and not any("tags" in action for action in found.values())

    play(scene())


def test_a_command_ends_in_one_versioned_edit(served: Serving) -> None:
    served.engine.answer = lambda fill: ["x = g()\n"]

    async def scene() -> None:
        async with desk(served.folder, ours=None) as it:
            it.open("/w/a.py", CODE)
            start = CODE.index(OLD)
            found = await actions(it, start, start + len(OLD))
            command = found["Retouch: rewrite as asked above"]["command"]
            await it.command(command["command"], *command["arguments"])
            await until(lambda: it.edits, "the edit")
            await until(lambda: it.text.value == CODE.replace(OLD, "x = g()\n"), "the new text")
            (edit,) = it.edits
            (change,) = edit.edit.document_changes or ()
            assert isinstance(change, types.TextDocumentEdit)
            assert change.text_document.version == 1 and edit.label == "rewrite"
            (fill,) = served.engine.asked(Fill)
            assert isinstance(fill, Fill) and fill.instruction == "brief"
            assert await it.over() == "done"
            assert it.reports()[0].kind == "begin" and it.reports()[0].cancellable
            await soon()
            assert not it.endings and not it.frames

    play(scene())


def test_the_plain_action_ignores_the_comment(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, ours=None) as it:
            it.open("/w/a.py", CODE)
            start = CODE.index(OLD)
            found = await actions(it, start, start + len(OLD))
            command = found["Retouch: rewrite selection"]["command"]
            await it.command(command["command"], *command["arguments"])
            await until(lambda: it.edits, "the edit")
            (fill,) = served.engine.asked(Fill)
            assert isinstance(fill, Fill) and fill.instruction is None

    play(scene())


def test_progress_tells_how_far_it_is_and_stops_it(served: Serving) -> None:
    served.engine.answer = lambda fill: ["a b c d"]
    served.engine.steps_left = 2

    async def scene() -> None:
        async with desk(served.folder, ours=None) as it:
            it.open("/w/a.py", CODE)
            await it.command("retouch.rewrite", it.uri, it.range_of("y = 2"))
            await until(lambda: any(r.kind == "report" for r in it.reports()), "a report")
            report = next(r for r in it.reports() if r.kind == "report")
            assert 0 <= report.percentage <= 100 and report.message.startswith("step")
            (token,) = it.client.progress_reports
            it.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
            assert await it.over() == "cancelled"
            await until(lambda: served.engine.asked(Cancel), "the engine's cancel")
            assert it.text.value == CODE and not it.edits

    play(scene())


def test_the_cancel_command_stops_everything(served: Serving) -> None:
    served.engine.steps_left = 0

    async def scene() -> None:
        async with desk(served.folder, ours=None) as it:
            it.open("/w/a.py", CODE)
            for part in ("x = f", "y = 2"):
                await it.command("retouch.rewrite", it.uri, it.range_of(part))
            await until(lambda: len(served.engine.live) == 2, "both jobs")
            assert await it.command("retouch.cancel") is True
            await until(lambda: not served.engine.live, "the end")
            assert await it.command("retouch.cancel") is False
            assert await it.command("retouch.cancel", "job-99") is False

    play(scene())


def test_a_stale_edit_is_made_again(served: Serving) -> None:
    served.engine.answer = lambda fill: ["y = 3"]

    async def scene() -> None:
        async with desk(served.folder, ours=None) as it:

            async def late(params: types.ApplyWorkspaceEditParams) -> bool:
                if len(it.edits) == 1:
                    it.replace(0, 0, "# typed\n")
                return await it.apply_edit(params)

            it.on_edit = late
            it.open("/w/a.py", CODE)
            await it.command("retouch.rewrite", it.uri, it.range_of("y = 2"))
            await until(lambda: it.text.value.endswith("y = 3\n"), "the edit")
            assert it.text.value == "# typed\n" + CODE.replace("y = 2", "y = 3")
            assert len(it.edits) == 2

    play(scene())


def test_an_edit_that_is_dropped_silently_is_noticed(served: Serving) -> None:
    served.engine.answer = lambda fill: ["y = 3"]

    async def scene() -> None:
        async with desk(served.folder, ours=None) as it:

            async def liar(params: types.ApplyWorkspaceEditParams) -> bool:
                return True

            it.on_edit = liar
            it.open("/w/a.py", CODE)
            await it.command("retouch.rewrite", it.uri, it.range_of("y = 2"))
            await until(lambda: it.warnings, "a warning")
            assert "did not apply" in it.warnings[0]
            assert it.text.value == CODE

    play(scene())


def test_the_text_may_be_told_before_the_answer(served: Serving) -> None:
    served.engine.answer = lambda fill: ["y = 3"]

    async def scene() -> None:
        async with desk(served.folder, ours=None) as it:

            async def slow(params: types.ApplyWorkspaceEditParams) -> bool:
                done = await it.apply_edit(params)
                it.replace(0, 0, "# typed\n")
                await soon()
                return done

            it.on_edit = slow
            it.open("/w/a.py", CODE)
            await it.command("retouch.rewrite", it.uri, it.range_of("y = 2"))
            assert await it.over() == "done"
            assert len(it.edits) == 1

    play(scene())


def test_editors_that_take_no_edits_resolve_the_action(served: Serving) -> None:
    served.engine.answer = lambda fill: ["x = g(1)\n"] if not fill.holes else ["1"]

    async def scene() -> None:
        async with desk(served.folder, ours=None, edits=False, resolve=True) as it:
            it.open("/w/a.py", CODE)
            start = CODE.index(OLD)
            found = await actions(it, start, start + len(OLD))
            action = found["Retouch: rewrite selection"]
            assert "command" not in action and "edit" not in action
            sent = types.CodeAction(action["title"], data=action["data"])
            resolved = await it.client.code_action_resolve_async(sent)
            (change,) = resolved.edit.document_changes
            it.apply([(edit.range, edit.new_text) for edit in change.edits])
            assert it.text.value == CODE.replace(OLD, "x = g(1)\n")
            with pytest.raises(JsonRpcException) as stale:
                await it.client.code_action_resolve_async(sent)
            assert stale.value.code == -32801
            sent.data = {"action": "burn", "uri": it.uri}
            with pytest.raises(JsonRpcException) as bad:
                await it.client.code_action_resolve_async(sent)
            assert bad.value.code == -32602

    play(scene())


def test_a_resolve_that_is_cancelled_frees_the_engine(served: Serving) -> None:
    served.engine.steps_left = 0

    async def scene() -> None:
        async with desk(served.folder, ours=None, edits=False, resolve=True) as it:
            it.open("/w/a.py", CODE)
            found = await actions(it, 0, len(CODE))
            action = types.CodeAction("refine", data=found["Retouch: refine selection"]["data"])
            protocol = it.client.protocol
            sent = asyncio.wrap_future(
                protocol.send_request(types.CODE_ACTION_RESOLVE, action, msg_id="r")
            )
            await until(lambda: served.engine.live, "the job")
            it.client.cancel_request(types.CancelParams("r"))
            await until(lambda: not served.engine.live, "the engine's cancel")
            with pytest.raises(JsonRpcException):
                await sent

    play(scene())


def test_editors_that_can_do_neither_get_no_actions(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, ours=None, edits=False) as it:
            it.open("/w/a.py", CODE)
            assert not await actions(it, 0, len(CODE))

    play(scene())


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("retouch.rewrite", []),
        ("retouch.rewrite", ["file:///w/a.py", {"start": 1}]),
        ("retouch.rewrite", ["file:///w/a.py", None, 4]),
        ("retouch.revise", ["file:///w/a.py", {}, "much"]),
        ("retouch.fillHoles", [4]),
        ("retouch.cancel", ["a", "b"]),
        ("retouch.nothing", []),
    ],
)
def test_bad_commands_are_answered(served: Serving, name: str, given: list[Any]) -> None:
    async def scene() -> None:
        async with desk(served.folder, ours=None) as it:
            it.open("/w/a.py", CODE)
            with pytest.raises(JsonRpcException) as refused:
                await it.command(name, *given)
            assert refused.value.code == -32602
            assert not it.warnings

    play(scene())


def test_an_editors_own_progress_token_is_used(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            it.client.progress_reports["mine"] = []
            await it.begin("retouch/rewrite", range=it.range_of("y = 2"), workDoneToken="mine")
            await it.ended()
            assert await it.over() == "done"
            assert list(it.client.progress_reports) == ["mine"]

    play(scene())
