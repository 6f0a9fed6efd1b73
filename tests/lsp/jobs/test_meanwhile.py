"""Rewrites of a document that is edited or closed meanwhile."""

from typing import Any

import pytest
from lsprotocol import types

from tests.lsp.editor import play, until
from tests.lsp.jobs.desk import desk
from tests.lsp.jobs.engine import Serving

CODE = "def f(x):\n    return x + 1\n\n\ny = f(1)\n"


def test_an_edit_elsewhere_moves_the_span(served: Serving) -> None:
    served.engine.answer = lambda fill: ["return 0"]
    served.engine.steps_left = 1

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            await until(lambda: served.engine.live, "the job")
            it.replace(0, 0, "import a\n\n")
            it.replace(len(it.text), len(it.text), "z = 2\n")
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"
            expected = "import a\n\n" + CODE.replace("return x + 1", "return 0") + "z = 2\n"
            assert it.text.value == expected

    play(scene())


def test_an_edit_inside_is_a_conflict(served: Serving) -> None:
    served.engine.steps_left = 1

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            await until(lambda: served.engine.live, "the job")
            place = it.text.value.index("+")
            it.replace(place, place + 1, "*")
            ended = await it.ended()
            assert ended["reason"] == "conflict" and "edited" in ended["message"]
            assert not it.commits and "x * 1" in it.text.value
            await until(lambda: not served.engine.live, "the end in the engine")

    play(scene())


def test_a_commit_that_comes_too_late_is_tried_again(served: Serving) -> None:
    served.engine.answer = lambda fill: ["return 0"]

    async def scene() -> None:
        async with desk(served.folder) as it:

            async def typing(sent: dict[str, Any]) -> dict[str, Any]:
                if len(it.commits) == 1:
                    it.replace(0, 0, "# typed\n")
                return await it.commit(sent)

            it.on_commit = typing
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            assert (await it.ended())["reason"] == "done"
            assert [commit["version"] for commit in it.commits] == [1, 2]
            assert it.text.value == "# typed\n" + CODE.replace("return x + 1", "return 0")

    play(scene())


def test_a_refused_commit_is_told(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, options={"diffFirst": True}) as it:

            async def no(sent: dict[str, Any]) -> dict[str, Any]:
                return {"applied": False, "reason": "not this time"}

            it.on_commit = no
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            ended = await it.ended()
            assert (ended["reason"], ended["message"]) == ("cancelled", "not this time")
            assert it.commits[0]["diffFirst"] is True and it.text.value == CODE

    play(scene())


@pytest.mark.parametrize(
    ("reason", "end", "asked"), [("rejected", "cancelled", 1), ("the text has changed", "done", 2)]
)
def test_a_no_to_a_text_that_was_edited_elsewhere_is_final(
    served: Serving, reason: str, end: str, asked: int
) -> None:
    async def scene() -> None:
        async with desk(served.folder, options={"diffFirst": True}) as it:

            async def person(sent: dict[str, Any]) -> dict[str, Any]:
                if len(it.commits) > 1:
                    return await it.commit(sent)
                it.replace(0, 0, "# typed\n")
                return {"applied": False, "reason": reason}

            it.on_commit = person
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            assert (await it.ended())["reason"] == end
            assert len(it.commits) == asked

    play(scene())


def test_closing_the_document_ends_its_jobs(served: Serving) -> None:
    served.engine.steps_left = 0

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(it.uri))
            it.client.text_document_did_close(closed)
            assert (await it.ended())["reason"] == "cancelled"

    play(scene())


def test_edits_around_the_span_in_one_message_are_apart(served: Serving) -> None:
    served.engine.answer = lambda fill: ["return 0"]
    served.engine.steps_left = 1

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            await until(lambda: served.engine.live, "the job")
            with it.together():
                it.replace(len(it.text), len(it.text), "z = 2\n")
                it.replace(0, 0, "import a\n")
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"
            changed = CODE.replace("return x + 1", "return 0")
            assert it.text.value == f"import a\n{changed}z = 2\n"

    play(scene())


def test_enter_above_a_line_that_begins_alike_moves_it(served: Serving) -> None:
    code = "def f():\n    old\n    z = 1\n"
    served.engine.answer = lambda fill: ["    new\n"]
    served.engine.steps_left = 1

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", code)
            await it.begin("retouch/rewrite", range=it.range_of("    old\n"))
            await until(lambda: served.engine.live, "the job")
            place = code.index("\n")
            it.replace(place, place, "\n    ")
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"
            assert it.text.value == "def f():\n    \n    new\n    z = 1\n"

    play(scene())


def test_a_line_above_its_like_is_deleted(served: Serving) -> None:
    served.engine.answer = lambda fill: ["new\n"]
    served.engine.steps_left = 1

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "old\nold\n")
            await it.begin("retouch/rewrite", range=it.range(4, 8))
            await until(lambda: served.engine.live, "the job")
            it.replace(0, 4, "")
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"
            assert it.text.value == "new\n"

    play(scene())


@pytest.mark.parametrize("typed", [False, True])
def test_a_document_that_is_closed_under_the_commit_ends_in_silence(
    served: Serving, typed: bool
) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:

            async def leave(sent: dict[str, Any]) -> dict[str, Any]:
                if typed:
                    it.replace(0, 0, "# typed\n")
                closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(it.uri))
                it.client.text_document_did_close(closed)
                return {"applied": False, "reason": "closed"}

            it.on_commit = leave
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            ended = await it.ended()
            assert (ended["reason"], len(it.commits)) == ("cancelled", 1)

    play(scene())


def test_a_person_who_stops_a_job_under_its_commit_is_not_told_that_it_failed(
    served: Serving,
) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:

            async def stop(sent: dict[str, Any]) -> dict[str, Any]:
                it.client.protocol.notify("retouch/cancel", {"jobId": sent["jobId"]})
                it.replace(0, 0, "# typed\n")
                return {"applied": False, "reason": "cancelled"}

            it.on_commit = stop
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            ended = await it.ended()
            assert (ended["reason"], len(it.commits)) == ("cancelled", 1)

    play(scene())


def test_a_version_without_a_change_is_the_one_to_commit_to(served: Serving) -> None:
    served.engine.answer = lambda fill: ["return 0"]
    served.engine.steps_left = 1

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            await until(lambda: served.engine.live, "the job")
            it.next_version()
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"
            assert it.text.value == CODE.replace("return x + 1", "return 0")

    play(scene())


def test_a_version_without_a_change_under_the_commit_is_no_refusal(served: Serving) -> None:
    served.engine.answer = lambda fill: ["return 0"]

    async def scene() -> None:
        async with desk(served.folder) as it:

            async def saving(sent: dict[str, Any]) -> dict[str, Any]:
                if len(it.commits) == 1:
                    it.next_version()
                return await it.commit(sent)

            it.on_commit = saving
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            assert (await it.ended())["reason"] == "done"
            assert len(it.commits) == 2
            assert it.text.value == CODE.replace("return x + 1", "return 0")

    play(scene())
