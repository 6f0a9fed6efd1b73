"""A diff that is shown first, when what it is about goes on, ends or goes away meanwhile."""

import pytest

from tests.clients.nvim.editor import Editor, span
from tests.clients.nvim.frames import commit, ended, frame, job

pytestmark = pytest.mark.nvim

LINE = span(0, 0, 0, 3)
NO = {"applied": False, "reason": "rejected"}


def test_a_yes_counts_after_edits_before_the_question_and_during_it(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\nsame\n", "1Retouch rewrite")
    frame(editor, LINE, "new")
    insert = "vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.py'), 0, 0, false, { ... })"
    editor.lua(insert, "before")
    commit(editor, (span(1, 0, 1, 3), "new"), diffFirst=True)
    editor.sees("-old")
    editor.lua(insert, "during")
    editor.keys("a")
    assert editor.reply()["applied"]
    assert editor.text == ["during", "before", "new", "same"]


def test_a_question_goes_with_its_job(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    commit(editor, (LINE, "new"), diffFirst=True)
    editor.sees("-old", "+new")
    ended(editor, "failed", message="it took too long")
    editor.misses("+new")
    assert editor.reply() == NO and editor.text == ["old"]


@pytest.mark.parametrize("command", ["bunload! a.py", "bwipeout! a.py"])
def test_a_question_goes_with_its_buffer(editor: Editor, command: str) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    editor.vim.command("new | wincmd p")
    commit(editor, (LINE, "new"), diffFirst=True)
    editor.sees("-old", "+new")
    editor.vim.command(command)
    editor.misses("+new")
    assert editor.reply() == NO and editor.told == []


def test_a_question_goes_with_the_server(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    commit(editor, (LINE, "new"), diffFirst=True)
    editor.sees("-old", "+new")
    editor.lua("vim.lsp.get_clients({ name = 'retouch' })[1]:stop(true)")
    editor.misses("+new")
    assert editor.text == ["old"]


def test_a_question_that_waits_for_its_turn_goes_with_its_job(editor: Editor) -> None:
    editor.setup()
    editor.vim.command("set hidden")
    job(editor, "old\n", "Retouch rewrite")
    first = {"uri": editor.uri, "version": editor.version, "diffFirst": True}
    editor.open("b.py", "other\n")
    editor.answer("retouch/rewrite", result={"jobId": "second"})
    editor.vim.command("Retouch rewrite")
    editor.settle()
    second = {"uri": editor.uri, "version": editor.version, "diffFirst": True}
    commit(editor, (LINE, "new"), **first)
    editor.sees("+new")
    commit(editor, (span(0, 0, 0, 5), "another"), jobId="second", **second)
    ended(editor, "cancelled", jobId="second")
    assert editor.reply() == NO
    editor.keys("a")
    assert editor.reply(2)["applied"]
    assert "another" not in "\n".join(editor.screen)
