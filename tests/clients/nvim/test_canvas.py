"""The live canvas: drawn over the old text, moving with edits, gone without a trace."""

import pytest

from tests.clients.nvim.editor import Editor, span
from tests.clients.nvim.frames import MASK, commit, ended, frame, job, line

pytestmark = pytest.mark.nvim

TEXT = "def f(a):\n    x = a\n    return x\n\nf(1)\n"
BODY = span(1, 0, 2, 12)

GROUPS = """
local groups = {}
local space = require('retouch.paint').namespace
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
  for _, chunk in ipairs(mark[4].virt_text or {}) do
    if chunk[2] and chunk[2] ~= 'RetouchText' then
      groups[vim.trim(chunk[1])] = chunk[2]
    end
  end
end
return groups
"""


def test_frames_are_drawn_over_the_old_text_which_stays(editor: Editor) -> None:
    editor.setup()
    job(editor, TEXT, "2,3Retouch rewrite double it")
    asked = editor.got("retouch/rewrite")[0]
    assert asked["range"] == BODY
    assert asked["instruction"] == "double it"
    assert asked["textDocument"] == {"uri": editor.uri, "version": editor.version}
    assert asked["formattingOptions"] == {"tabSize": 4, "insertSpaces": True}
    frame(editor, BODY, f"    {MASK * 5}", f"    return {MASK}", step=1)
    assert editor.screen[:5] == ["def f(a):", f"    {MASK * 5}", f"    return {MASK}", "", "f(1)"]
    frame(editor, BODY, f"    y = {MASK}", "    return y", step=2)
    assert editor.screen[1:3] == [f"    y = {MASK}", "    return y"]
    assert editor.text == TEXT.splitlines()
    assert editor.lua("return require('retouch').status()") == "retouch 2/4"
    ended(editor, "cancelled")
    assert editor.screen[1:3] == ["    x = a", "    return x"]
    assert editor.lua("return require('retouch').status()") == "retouch"


def test_masks_news_and_doubts_have_their_colours(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    smile = "\N{GRINNING FACE}"
    text = f"{smile}a {MASK} new weak"
    shown = line(text, masks=[[4, 5]], new=[[6, 9]], weak=[[10, 14, 0.2]])
    frame(editor, span(0, 0, 0, 3), shown)
    assert editor.screen[0] == text
    groups = editor.lua(GROUPS)
    assert groups == {MASK: "RetouchMask", "new": "RetouchNew", "weak": "RetouchWeak"}


def test_late_frames_are_dropped(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    frame(editor, span(0, 0, 0, 3), "second", seq=2_000_000)
    frame(editor, span(0, 0, 0, 3), "first", seq=1_999_999)
    assert editor.screen[0] == "second"


def test_the_rest_of_the_line_moves_with_the_canvas(editor: Editor) -> None:
    editor.setup()
    job(editor, "x = f(old) + 1\n", "call cursor(1, 7) | normal! viw\x1b")
    editor.keys(":'<LT>,'>Retouch rewrite<CR>")
    editor.settle()
    where = span(0, 6, 0, 9)
    assert editor.got("retouch/rewrite")[0]["range"] == where
    frame(editor, where, "longer_one")
    assert editor.screen[0] == "x = f(longer_one) + 1"
    frame(editor, where, "s")
    assert editor.screen[0] == "x = f(s  ) + 1"
    frame(editor, where, "[", "  1,", "]")
    assert editor.screen[:3] == ["x = f([", "  1,", "]) + 1"]
    frame(editor, where, "")
    assert editor.screen[:2] == ["x = f(   ) + 1", "~"]


def test_what_is_typed_behind_a_longer_canvas_stays_in_sight(editor: Editor) -> None:
    editor.setup(ghost={"enable": False})
    job(editor, "f(old) + 1\n", "call cursor(1, 3) | normal! viw\x1b")
    editor.keys(":'<LT>,'>Retouch rewrite<CR>")
    frame(editor, span(0, 2, 0, 5), "[", "  1,", "]")
    editor.keys("A + 2")
    assert editor.screen[:4] == ["f([  ) + 1 + 2", "  1,", "]", "~"]
    frame(editor, span(0, 2, 0, 5), "[", "  3,", "]", version=editor.version)
    editor.keys("3")
    assert editor.screen[:4] == ["f([  ) + 1 + 23", "  3,", "]", "~"]
    editor.keys("<Esc>")
    assert editor.screen[:4] == ["f([", "  3,", "]) + 1 + 23", "~"]


def test_a_shorter_canvas_leaves_the_lines_where_they_are(editor: Editor) -> None:
    editor.setup()
    job(editor, TEXT, "2,3Retouch rewrite")
    frame(editor, BODY, "    return a")
    assert editor.screen[:5] == ["def f(a):", "    return a", "", "", "f(1)"]


def test_a_longer_canvas_gets_lines_of_its_own(editor: Editor) -> None:
    editor.setup()
    job(editor, TEXT, "5Retouch fill")
    editor.vim.command("call cursor(4, 1)")
    frame(editor, span(4, 0, 4, 4), "one", "", "three")
    assert editor.screen[3:8] == ["", "one", "", "three", "~"]


def test_wide_letters_and_tabs_keep_their_columns(editor: Editor) -> None:
    editor.setup()
    job(editor, "\tab = cd -- end\n", "set tabstop=4 | call cursor(1, 2) | normal! v6l\x1b")
    editor.keys(":'<LT>,'>Retouch rewrite<CR>")
    editor.settle()
    where = span(0, 1, 0, 8)
    assert editor.got("retouch/rewrite")[0]["range"] == where
    frame(editor, where, "\u5b57\tx")
    assert editor.screen[0] == "    \u5b57  x   -- end"
    frame(editor, where, "\u5b57" * 4)  # The old text ends in the middle of the fourth.
    assert editor.screen[0] == "    " + "\u5b57" * 3 + " \u5b57 -- end"


def test_masks_beyond_the_window_are_left_out(editor: Editor) -> None:
    editor.setup()
    job(editor, "x = old\nnext\n", "1Retouch rewrite")
    frame(editor, span(0, 0, 0, 7), f"x = {MASK * 200}")
    assert editor.screen[:2] == [f"x = {MASK * 76}", "next"]


def test_a_wrapped_line_is_covered_to_its_end(editor: Editor) -> None:
    editor.setup()
    job(editor, "word " * 40 + "\nnext\n", "Retouch rewrite")
    assert "word" in editor.screen[2]
    frame(editor, span(0, 0, 0, 200), "short")
    assert editor.screen[:4] == ["short", "", "", "next"]


def test_inlay_hints_in_the_old_text_do_not_show_it(editor: Editor) -> None:
    editor.setup()
    job(editor, "f(1, 2)\n", "Retouch rewrite")
    editor.lua(
        "vim.api.nvim_buf_set_extmark(0, vim.api.nvim_create_namespace('hints'), 0, 2,"
        " { virt_text = { { 'first: ' } }, virt_text_pos = 'inline' })"
    )
    frame(editor, span(0, 0, 0, 7), "g()")
    assert "2)" not in editor.screen[0]


def test_edits_elsewhere_move_it_and_the_result_follows(editor: Editor) -> None:
    editor.setup()
    job(editor, TEXT, "2,3Retouch rewrite")
    version = editor.version
    frame(editor, BODY, "    y = a", "    return y")
    editor.keys("ggOimport os<Esc>")
    assert editor.screen[:4] == ["import os", "def f(a):", "    y = a", "    return y"]
    commit(editor, (span(1, 4, 1, 5), "y"), (span(2, 11, 2, 12), "y"), version=version)
    assert editor.reply() == {"applied": True, "version": editor.version}
    assert editor.text == ["import os", "def f(a):", "    y = a", "    return y", "", "f(1)"]
    editor.keys("u")
    assert editor.text == ["import os", *TEXT.splitlines()]
    editor.keys("u")
    assert editor.text == TEXT.splitlines()


def test_an_edit_inside_hides_it_and_refuses_the_result(editor: Editor) -> None:
    editor.setup()
    job(editor, TEXT, "2,3Retouch rewrite")
    version = editor.version
    frame(editor, BODY, "    y = a", "    return y")
    editor.keys("jAb<Esc>")
    assert editor.screen[1:3] == ["    x = ab", "    return x"]
    frame(editor, BODY, "    y = a", "    return z", version=version)
    assert editor.screen[1:3] == ["    x = ab", "    return x"]
    commit(editor, (BODY, "lost"), version=version)
    assert editor.reply()["applied"] is False
    assert "changed" in editor.reply()["reason"]
    assert editor.text[1] == "    x = ab"
    ended(editor, "conflict")
    assert len(editor.told) == 1 and "edited" in editor.told[0]


def test_escape_cancels_and_is_given_back(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", TEXT)
    editor.lua("vim.keymap.set('n', '<Esc>', function() _G.mine = true end, { buffer = 0 })")
    editor.vim.command("2,3Retouch rewrite")
    editor.settle()
    frame(editor, BODY, "    y = a", "    return y")
    editor.keys("<Esc>")
    assert editor.screen[1:3] == ["    x = a", "    return x"]
    assert editor.wait_for("retouch/cancel") == {"jobId": "job-1", "reason": "escape"}
    assert not editor.lua("return _G.mine")
    frame(editor, BODY, "    y = a", "    return y")
    assert editor.screen[1] == "    x = a"
    commit(editor, (BODY, "late"))
    assert editor.reply() == {"applied": False, "reason": "cancelled"}
    ended(editor, "cancelled")
    editor.keys("<Esc>")
    assert editor.lua("return _G.mine")
    assert editor.text == TEXT.splitlines()
    assert editor.told == []


def test_cancelled_before_the_server_has_named_it(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", TEXT)
    editor.answer("retouch/rewrite", hold=True)
    editor.vim.command("2,3Retouch rewrite")
    editor.keys("<Esc>")
    editor.control("release", method="retouch/rewrite", result={"jobId": "slow"})
    assert editor.wait_for("retouch/cancel")["jobId"] == "slow"


def test_a_job_that_began_elsewhere_is_drawn_too(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", TEXT)
    frame(editor, BODY, "    y = a", "    return y", jobId="action-1")
    assert editor.screen[1] == "    y = a"
    editor.keys("<Esc>")
    assert editor.wait_for("retouch/cancel")["jobId"] == "action-1"
    frame(editor, BODY, "    y = a", jobId="action-2", version=editor.version - 1)
    assert editor.screen[1] == "    x = a"


def test_several_holes_at_once(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "a = ___\nb = ___\n")
    holes = [span(0, 4, 0, 7), span(1, 4, 1, 7)]
    editor.answer("retouch/fillHoles", result={"jobId": "job-1", "holes": holes})
    editor.vim.command("%Retouch fill")
    editor.settle()
    assert editor.got("retouch/fillHoles")[0]["range"] == span(0, 0, 1, 7)
    frame(editor, holes[1], f"2{MASK}", hole=1)
    frame(editor, holes[0], f"{MASK}1", hole=0)
    assert editor.screen[:2] == [f"a = {MASK}1", f"b = 2{MASK}"]
    commit(editor, (holes[0], "11"), (holes[1], "22"))
    assert editor.reply()["applied"]
    assert editor.text == ["a = 11", "b = 22"]
    editor.keys("u")
    assert editor.text == ["a = ___", "b = ___"]


def test_reduced_motion_shows_one_picture(editor: Editor) -> None:
    editor.setup(reduced_motion=True)
    job(editor, "old\n", "Retouch rewrite")
    where = span(0, 0, 0, 3)
    frame(editor, where, MASK * 3)
    frame(editor, where, "new")
    assert editor.screen[0] == MASK * 3
    commit(editor, (where, "new"))
    assert editor.screen[0] == "new"


def test_switched_off_nothing_is_drawn(editor: Editor) -> None:
    editor.setup(settings={"live": "off"})
    job(editor, "old\n", "Retouch rewrite")
    frame(editor, span(0, 0, 0, 3), MASK * 3)
    assert editor.screen[0] == "old"


def test_nothing_is_left_when_the_server_dies(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    frame(editor, span(0, 0, 0, 3), MASK * 3)
    editor.lua("vim.lsp.get_clients({ name = 'retouch' })[1]:stop(true)")
    editor.sees("old")
    editor.until(lambda: editor.lua("return require('retouch').status()") == "")
    assert editor.lua("return vim.fn.maparg('<Esc>', 'n')") == ""


def test_nonsense_from_the_server_is_harmless(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    editor.send("retouch/denoise", jobId="job-1")
    editor.send("retouch/denoise", jobId="job-1", seq=1, lines=[3], range={})
    editor.send("retouch/didChangeStatus", state="dancing")
    frame(editor, span(7, 0, 9, 3), "x", uri="file:///nowhere", hole=1)
    frame(editor, span(7, 0, 9, 3), "far behind the end", hole=2, steps=None)
    editor.ask("retouch/commit", jobId="job-1", uri=4)
    assert editor.reply()["applied"] is False
    editor.ask("workspace/applyEdit", edit=None)
    assert editor.reply(2)["applied"] is False
    assert editor.text == ["old"]
    assert len(editor.told) == 1


def test_closing_the_buffer_forgets_the_job(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    frame(editor, span(0, 0, 0, 3), MASK * 3)
    uri, version = editor.uri, editor.version
    editor.vim.command("enew | bwipeout! #")
    editor.vim.command("edit other.py")
    editor.settle()
    frame(editor, span(0, 0, 0, 3), MASK * 3, uri=uri, version=version)
    commit(editor, (span(0, 0, 0, 3), "new"), uri=uri, version=version)
    assert editor.reply() == {"applied": False, "reason": "the document is not open"}
