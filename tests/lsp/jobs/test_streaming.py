"""`live: buffer`: the answer typed into the document while it is made."""

import pytest
from lsprotocol import types

from tests.lsp.editor import play, until
from tests.lsp.jobs.desk import Desk, desk
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
