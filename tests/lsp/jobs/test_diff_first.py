"""`diffFirst` in editors without our client: a person is asked, or told that nobody asks."""

import pytest
from lsprotocol import types

from lsp_server.jobs.committing import REFUSED
from tests.lsp.editor import play, until
from tests.lsp.jobs.desk import actions, desk
from tests.lsp.jobs.engine import Serving

CODE = "x = f()\ny = 2\n"
FIRST = {"diffFirst": True}


def asking(edit: types.WorkspaceEdit) -> list[str]:
    """What a person is asked before each part of an edit."""
    (change,) = edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit) and edit.changes is None
    notes = edit.change_annotations or {}
    parts = [it for it in change.edits if isinstance(it, types.AnnotatedTextEdit)]
    found = [notes[it.annotation_id] for it in parts]
    return [it.label for it in found if it.needs_confirmation]


@pytest.mark.parametrize(("yes", "end"), [(True, "done"), (False, "cancelled")])
def test_a_person_is_asked_first(served: Serving, yes: bool, end: str) -> None:
    served.engine.answer = lambda fill: ["y = 3"]

    async def scene() -> None:
        async with desk(served.folder, ours=None, options=FIRST, asks=True) as it:

            async def person(params: types.ApplyWorkspaceEditParams) -> bool:
                return yes and await it.apply_edit(params)

            it.on_edit = person
            it.open("/w/a.py", CODE)
            await it.command("retouch.rewrite", it.uri, it.range_of("y = 2"))
            assert await it.over() == end
            (edit,) = it.edits
            assert asking(edit.edit) == ["Retouch: rewrite"] and not it.warnings
            assert ("y = 3" in it.text.value) == yes

    play(scene())


@pytest.mark.parametrize(("yes", "end"), [(True, "done"), (False, REFUSED)])
def test_an_editor_that_cant_ask_says_so(served: Serving, yes: bool, end: str) -> None:
    served.engine.answer = lambda fill: ["y = 3"]

    async def scene() -> None:
        async with desk(served.folder, ours=None, options=FIRST) as it:

            async def editor(params: types.ApplyWorkspaceEditParams) -> bool:
                return yes and await it.apply_edit(params)

            it.on_edit = editor
            it.open("/w/a.py", CODE)
            await it.command("retouch.rewrite", it.uri, it.range_of("y = 2"))
            assert await it.over() == end
            if not yes:
                await until(lambda: it.warnings, "a warning")
            assert bool(it.warnings) != yes
            assert asking(it.edits[0].edit) == []
            assert [it.message for it in it.client.log_messages if "diffFirst" in it.message]

    play(scene())


def test_a_resolved_action_is_asked_about_too(served: Serving) -> None:
    served.engine.answer = lambda fill: ["y = 3"]

    async def scene() -> None:
        options = {"edits": False, "resolve": True, "asks": True}
        async with desk(served.folder, ours=None, options=FIRST, **options) as it:
            it.open("/w/a.py", CODE)
            found = await actions(it, 0, len(CODE))
            data = found["Retouch: rewrite selection"]["data"]
            resolved = await it.client.code_action_resolve_async(types.CodeAction("", data=data))
            assert asking(resolved.edit) == ["Retouch: rewrite"]

    play(scene())
