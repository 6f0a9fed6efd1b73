"""`live: buffer`: the answer typed into the document while it is made."""

import pytest
from lsprotocol import types

from tests.lsp.editor import play, until
from tests.lsp.jobs.desk import Desk, desk, soon
from tests.lsp.jobs.engine import Serving

CODE = "def f():\n    old\n\n\nz = 1\n"
BUFFER = {"live": "buffer"}


async def streaming(it: Desk, served: Serving, steps: int = 2) -> str:
    """A job of which some words stand in the document."""
    served.engine.answer = lambda fill: ["one two three four"]
    served.engine.steps_left = steps
    it.open("/w/a.py", CODE)
    made = await it.begin("retouch/rewrite", range=it.range_of("old"))
    words = " ".join(["one", "two", "three", "four"][:steps])
    await until(lambda: f"    {words}\n" in it.text.value, "the first words")
    return str(made["jobId"])


def test_words_come_one_edit_after_the_other(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:
            await streaming(it, served)
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"
            assert it.text.value == CODE.replace("old", "one two three four")
            assert len(it.edits) >= 2 and not it.frames and not it.commits
            versions = []
            for edit in it.edits:
                (change,) = edit.edit.document_changes or ()
                assert isinstance(change, types.TextDocumentEdit)
                assert not any("\u2592" in part.new_text for part in change.edits)
                versions.append(change.text_document.version)
            assert versions == sorted(set(versions))

    play(scene())


def test_the_next_edit_waits_for_the_last_one(served: Serving) -> None:
    flying: list[int] = []

    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:

            async def slow(params: types.ApplyWorkspaceEditParams) -> bool:
                flying.append(1)
                assert len(flying) == 1
                await until(lambda: True, "")
                done = await it.apply_edit(params)
                flying.pop()
                return done

            it.on_edit = slow
            await streaming(it, served)
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"

    play(scene())


def test_a_cancel_puts_the_old_text_back(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:
            job = await streaming(it, served)
            it.tell("retouch/cancel", {"jobId": job})
            assert (await it.ended())["reason"] == "cancelled"
            assert it.text.value == CODE

    play(scene())


def test_an_edit_inside_ends_it_as_it_stands(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:
            await streaming(it, served)
            place = it.text.value.index("two")
            it.replace(place, place + 3, "2")
            assert (await it.ended())["reason"] == "conflict"
            assert it.text.value == CODE.replace("old", "one 2")

    play(scene())


def test_an_edit_elsewhere_ends_the_typing_but_not_the_job(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:
            await streaming(it, served)
            it.replace(0, 0, "# typed\n")
            count = len(it.edits)
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"
            assert it.text.value == "# typed\n" + CODE.replace("old", "one two three four")
            assert len(it.edits) <= count + 2  # one may have been on its way

    play(scene())


@pytest.mark.parametrize("options", [{"live": "off"}, {"live": "buffer", "diffFirst": True}])
def test_no_typing_where_it_is_not_wanted(served: Serving, options: dict[str, object]) -> None:
    async def scene() -> None:
        async with desk(served.folder, options=options) as it:
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("old"))
            assert (await it.ended())["reason"] == "done"
            assert len(it.commits) == 1 and not it.edits
            assert options["live"] != "off" or not it.frames

    play(scene())


def test_a_text_that_is_refined_stands_while_a_token_of_it_is_tried(served: Serving) -> None:
    code = "def f():\n    a = 1\n    b = 2\n    return a + b\n"
    served.engine.steps_left = 0
    served.engine.revised = lambda task: task.text.replace("2", "3")

    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:
            it.open("/w/a.py", code)
            it.client.progress_reports["mine"] = []
            lines = it.range_of(code.removeprefix("def f():\n"))
            await it.begin("retouch/revise", range=lines, workDoneToken="mine")
            await until(lambda: served.engine.live, "the job")
            served.engine.reveal(masks=[3])
            await until(lambda: any(r.kind == "report" for r in it.reports()), "the canvas drawn")
            await soon()
            assert not it.edits and it.text.value == code
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"
            assert it.text.value == code.replace("2", "3")

    play(scene())


def test_what_is_typed_inside_as_an_edit_comes_is_kept(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:

            async def racing(params: types.ApplyWorkspaceEditParams) -> bool:
                if len(it.edits) == 2:
                    place = it.text.value.index("one") + 1
                    it.replace(place, place, "USER")
                return await it.apply_edit(params)

            it.on_edit = racing
            await streaming(it, served, steps=1)
            served.engine.steps_left = 1
            assert (await it.ended())["reason"] == "conflict"
            assert it.text.value == CODE.replace("old", "oUSERne")
            assert len(it.edits) == 2

    play(scene())


def test_an_edit_elsewhere_as_an_edit_comes_is_no_conflict(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:

            async def racing(params: types.ApplyWorkspaceEditParams) -> bool:
                if len(it.edits) == 2:
                    it.replace(0, 0, "# typed\n")
                return await it.apply_edit(params)

            it.on_edit = racing
            await streaming(it, served, steps=1)
            served.engine.steps_left = 1
            await until(lambda: len(it.edits) == 2, "the second edit")
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"
            assert it.text.value == "# typed\n" + CODE.replace("old", "one two three four")

    play(scene())


@pytest.mark.parametrize("end", ["", "\n"])
def test_whole_lines_stay_whole(served: Serving, end: str) -> None:
    code = "def f():\n    old\n    z = 1\n"
    served.engine.answer = lambda fill: ["    one two three" + end]
    served.engine.steps_left = 2

    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:
            it.open("/w/a.py", code)
            await it.begin("retouch/rewrite", range=it.range_of("    old\n"))
            await until(lambda: it.text.value == code.replace("old", "one two"), "the first words")
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"
            assert it.text.value == code.replace("old", "one two three")

    play(scene())


def test_words_that_were_turned_down_do_not_stay(served: Serving) -> None:
    served.engine.answer = lambda fill: ["other + thing"]
    served.engine.steps_left = 2

    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:
            it.open("/w/a.py", "value = old\n")
            await it.begin("retouch/reroll", position=it.range(9, 9)["start"])
            await until(lambda: "other +" in it.text.value, "the first words")
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "unchanged"
            assert it.text.value == "value = old\n"

    play(scene())


def test_words_that_were_taken_back_do_not_stay(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:
            job = await streaming(it, served)
            served.engine.reveal(masks=range(4))
            await it.ask("retouch/accept", {"jobId": job})
            assert (await it.ended())["reason"] == "unchanged"
            assert it.text.value == CODE

    play(scene())


def test_a_hole_that_comes_to_nothing_is_as_it_was(served: Serving) -> None:
    code = "def f(a):\n    # TODO: all of it\n\n\nx = ___\ny = <fill>\n"
    served.engine.answer = lambda fill: ["one two three", "four", "five"]
    served.engine.steps_left = 2

    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:
            it.open("/w/a.py", code)
            made = await it.begin("retouch/fillHoles")
            await until(lambda: "    one two\n" in it.text.value, "the words")
            served.engine.reveal(masks=range(3))
            served.engine.reveal(masks=[0], canvas=2)
            await it.ask("retouch/accept", {"jobId": made["jobId"]})
            assert (await it.ended())["reason"] == "done"
            assert it.text.value == code.replace("___", "four")

    play(scene())


def test_a_document_that_was_closed_is_left_alone(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, options=BUFFER) as it:
            await streaming(it, served)
            count = len(it.edits)
            closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(it.uri))
            it.client.text_document_did_close(closed)
            assert (await it.ended())["reason"] == "cancelled"
            assert len(it.edits) == count

    play(scene())
