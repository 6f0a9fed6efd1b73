"""The colours of doubt, where a person has gone elsewhere meanwhile."""

import pytest

from tests.clients.nvim.editor import Editor, span

pytestmark = pytest.mark.nvim

TOKENS = [{"range": span(1, 0, 1, 3), "confidence": 0.04}]


def marks(editor: Editor, space: str, name: str = "a.py") -> int:
    code = (
        "local space = vim.api.nvim_get_namespaces()[...]\n"
        "local buffer = vim.fn.bufnr(select(2, ...))\n"
        "return #vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {})"
    )
    return int(editor.lua(code, space, name))


def test_a_buffer_that_was_closed_is_asked_about_anew(editor: Editor) -> None:
    editor.setup()
    path = editor.open("a.py", "a\nodd\n")
    editor.answer("retouch/heat", result={"tokens": TOKENS})
    editor.vim.command("Retouch heat")
    editor.until(lambda: marks(editor, "retouch.heat") == 1)
    editor.vim.command("enew | bunload a.py")
    editor.vim.command(f"edit {path}")
    attached = "return #vim.lsp.get_clients({ bufnr = 0, name = 'retouch' }) == 1"
    editor.until(lambda: editor.lua(attached))
    editor.vim.command("Retouch heat")
    editor.until(lambda: len(editor.got("retouch/heat")) == 2)


def test_an_answer_for_a_buffer_that_was_left_says_nothing_there(editor: Editor) -> None:
    editor.setup()
    editor.vim.command("set hidden")
    editor.open("a.py", "a\nodd\n")
    editor.answer("retouch/heat", hold=True)
    editor.vim.command("Retouch heat")
    editor.wait_for("retouch/heat")
    editor.open("b.py", "b\nb\n")
    editor.vim.command("2")
    editor.control("release", method="retouch/heat", result={"tokens": TOKENS})
    editor.until(lambda: marks(editor, "retouch.heat") == 1)
    assert marks(editor, "retouch.heat.detail") == 0
