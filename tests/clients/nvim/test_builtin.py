"""Ghost text drawn by Neovim's own inline completion (0.12), and who draws where."""

import pytest

from tests.clients.nvim.editor import Editor, span
from tests.clients.nvim.test_ghost import METHOD, begin, item, suggest

pytestmark = [pytest.mark.nvim, pytest.mark.forky]

OWN = "return require('retouch.ghost.own').visible()"
BUILTIN = "return require('retouch.ghost.builtin').visible()"


def test_neovim_draws_and_parts_are_accepted(newest: Editor) -> None:
    begin(newest, "x = \n", ghost={"renderer": "builtin"})
    suggest(newest, item("one + two", span(0, 4, 0, 4)))
    newest.keys("A")
    newest.sees("x = one + two")
    assert newest.lua(BUILTIN) and not newest.lua(OWN)
    newest.keys("<M-w>")
    newest.until(lambda: newest.text == ["x = one"])
    assert newest.wait_for("retouch/didAccept") == {"id": "x1", "acceptedLength": 3}
    newest.sees("x = one + two")
    newest.keys("<M-l>")
    newest.until(lambda: newest.text == ["x = one + two"])
    assert newest.wait_for("workspace/executeCommand")["arguments"] == ["x1"]
    newest.keys("<Esc>u")
    assert newest.text == ["x = one"]
    newest.keys("u")
    assert newest.text == ["x = "]


def test_what_was_typed_meanwhile_is_not_doubled(newest: Editor) -> None:
    begin(newest, "x = \n", ghost={"renderer": "builtin"})
    suggest(newest, item("value", span(0, 4, 0, 4)))
    newest.keys("A")
    newest.sees("x = value")
    newest.answer(METHOD, hold=True)
    newest.keys("va")
    newest.keys("<M-l>")
    newest.until(lambda: newest.text == ["x = value"])


def test_it_cycles_and_is_dismissed(newest: Editor) -> None:
    begin(newest, "x = \n", ghost={"renderer": "builtin"})
    suggest(newest, item("one", span(0, 4, 0, 4)), item("two", span(0, 4, 0, 4), "x2"))
    newest.keys("A")
    newest.sees("x = one")
    newest.keys("<M-]>")
    newest.sees("x = two (2/2)")
    newest.keys("<C-]>")
    newest.misses("two", "one")


def test_auto_leaves_it_to_neovim_where_that_is_on(newest: Editor) -> None:
    newest.lua("vim.lsp.inline_completion.enable()")
    begin(newest, "x = \n")
    suggest(newest, item("value", span(0, 4, 0, 4)))
    newest.keys("A")
    newest.sees("x = value")
    assert newest.lua(BUILTIN) and not newest.lua(OWN)


def test_own_keeps_neovim_from_drawing_the_same(newest: Editor) -> None:
    newest.lua("vim.lsp.inline_completion.enable()")
    begin(newest, "x = \n", ghost={"renderer": "own"})
    suggest(newest, item("value", span(0, 4, 0, 4)))
    newest.keys("A")
    newest.sees("x = value")
    newest.lua("vim.wait(400)")  # Neovim would ask after 200 ms.
    assert newest.lua(OWN) and not newest.lua(BUILTIN)
    assert len(newest.got(METHOD)) == 1


def test_switched_off_nobody_draws(newest: Editor) -> None:
    newest.lua("vim.lsp.inline_completion.enable()")
    begin(newest, "x = \n")
    suggest(newest, item("value", span(0, 4, 0, 4)))
    newest.keys("<Cmd>Retouch toggle<CR>A")
    newest.lua("vim.wait(400)")
    assert "value" not in newest.screen[0]
