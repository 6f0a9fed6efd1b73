"""Ghost text over stdio: reuse, superseding, cancelling, silence and alternatives."""


from lsprotocol import types

from tests.lsp.editor import editor, play
from tests.lsp.engine import FakeServer

QUICK = {"debounceMs": 1}
CODE = "def total(items):\n    "


def test_an_item_has_a_range_and_a_command(fake: FakeServer) -> None:
    fake.engine.answer = lambda fill: "return sum(items)"

    async def scene() -> None:
        async with editor(fake.folder, options=QUICK) as it:
            assert it.result.capabilities.inline_completion_provider is not None
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
