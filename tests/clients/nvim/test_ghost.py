"""Ghost text: shown, kept while typing, accepted whole and in parts, undone, hidden."""

import pytest

from tests.clients.nvim.editor import Editor, span

pytestmark = pytest.mark.nvim


def test_first(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "def add(a, b):\n    \n")
    item = {
        "insertText": "    return a + b",
        "range": span(1, 0, 1, 4),
        "command": {"title": "", "command": "retouch.accepted", "arguments": ["x1"]},
    }
    editor.answer("textDocument/inlineCompletion", result={"items": [item]})
    editor.keys("jA")
    screen = editor.sees("return a + b")
    print("\n".join(screen))
    assert editor.text[1] == "    "
    editor.keys("<M-l>")
    assert editor.text[1] == "    return a + b"
