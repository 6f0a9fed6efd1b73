"""Results in the text: one undo step of their own, after a diff where that is wanted."""

from typing import Any

import pytest

from tests.clients.nvim.editor import Editor, span
from tests.clients.nvim.frames import commit, ended, frame, job

pytestmark = pytest.mark.nvim

LINE = span(0, 0, 0, 3)


def apply_edit(editor: Editor, where: dict[str, Any], text: str, version: int) -> None:
    """The server edits the text in the way of every language server."""
    document = {"uri": editor.uri, "version": version}
    change = {"textDocument": document, "edits": [{"range": where, "newText": text}]}
    editor.ask("workspace/applyEdit", label="Retouch", edit={"documentChanges": [change]})


def test_it_does_not_join_what_is_being_typed(editor: Editor) -> None:
    editor.setup(ghost={"enable": False})
    job(editor, "old\nmine \n", "1Retouch rewrite")
    editor.keys("jAtyp")
    version = editor.version
    commit(editor, (LINE, "new\nnewer"), version=version)
    assert editor.reply()["applied"]
    editor.keys("ed<Esc>")
    assert editor.text == ["new", "newer", "mine typed"]
    editor.keys("u")
    assert editor.text == ["new", "newer", "mine typ"]
    editor.keys("u")
    assert editor.text == ["old", "mine typ"]
    editor.keys("u")
    assert editor.text == ["old", "mine "]


def test_a_version_that_is_gone_and_no_hole_to_go_by(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "old\n")
    commit(editor, (LINE, "new"), jobId="unknown", version=editor.version - 1)
    assert editor.reply()["applied"] is False
    commit(editor, (LINE, "new"), jobId="unknown")
    assert editor.reply(2)["applied"]
    assert editor.text == ["new"]


def test_a_buffer_that_may_not_change_stays(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    editor.vim.command("set nomodifiable")
    commit(editor, (LINE, "new"))
    assert editor.reply() == {"applied": False, "reason": "the buffer is not modifiable"}


def test_edits_that_overlap_change_nothing(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "old\n")
    commit(editor, (span(0, 0, 0, 2), "a"), (span(0, 1, 0, 3), "b"))
    assert editor.reply() == {"applied": False, "reason": "the edits overlap"}
    assert editor.text == ["old"]


def test_the_line_behind_the_last(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "one\ntwo\n")
    commit(editor, (span(1, 0, 2, 0), "2\n"), (span(2, 0, 2, 0), "three\n"))
    assert editor.reply()["applied"]
    assert editor.text == ["one", "2", "three"]
    editor.settle()
    editor.until(lambda: editor.record()["texts"][editor.uri] == "one\n2\nthree\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_dos_lines_and_wide_letters(editor: Editor, encoding: str) -> None:
    editor.setup(encoding=encoding)
    smile = "\N{GRINNING FACE}"
    path = editor.open("a.py", f'a = "{smile}" + old\r\nb = 1\r\n'.encode())
    column = 9 + {"utf-8": 3, "utf-16": 1, "utf-32": 0}[encoding]
    where = span(0, column + 1, 0, column + 4)
    commit(editor, (where, f"(\r\n  {smile})"))
    assert editor.reply()["applied"]
    assert editor.text == [f'a = "{smile}" + (', f"  {smile})", "b = 1"]
    editor.vim.command("write")
    assert path.read_bytes() == f'a = "{smile}" + (\r\n  {smile})\r\nb = 1\r\n'.encode()
    editor.until(lambda: editor.record()["texts"][editor.uri].encode() == path.read_bytes())


def test_a_diff_comes_first_and_is_accepted(editor: Editor) -> None:
    editor.setup(diff_first=True)
    job(editor, "old\nsame\n", "1Retouch rewrite")
    frame(editor, LINE, "new")
    commit(editor, (LINE, "new"))
    screen = "\n".join(editor.sees("-old", "+new", " same", "a accept"))
    assert screen.index("-old") < screen.index("+new")
    assert editor.replies() == []
    editor.keys("a")
    assert editor.reply()["applied"]
    assert editor.text == ["new", "same"]
    editor.misses("-old")


def test_a_diff_is_rejected(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    commit(editor, (LINE, "new"), diffFirst=True)
    editor.sees("-old")
    editor.keys("r")
    assert editor.reply() == {"applied": False, "reason": "rejected"}
    assert editor.text == ["old"]
    commit(editor, (LINE, "newer"), confirm=True)
    editor.sees("+newer")
    editor.vim.command("close")
    assert editor.reply(2)["reason"] == "rejected"
    commit(editor, (LINE, "newest"), confirm=True)
    editor.sees("+newest")
    editor.vim.command("wincmd p | Retouch accept")
    assert editor.reply(3)["applied"]
    assert editor.text == ["newest"]


def test_a_diff_does_not_take_what_is_being_typed(editor: Editor) -> None:
    editor.setup(diff_first=True, ghost={"enable": False})
    job(editor, "old\nmine\n", "1Retouch rewrite")
    editor.keys("jA ")
    frame(editor, LINE, "new")
    commit(editor, (LINE, "new"))
    editor.sees("-old", "+new", ":Retouch accept")
    editor.keys("area")
    assert editor.replies() == [] and editor.text == ["old", "mine area"]
    editor.keys("<Cmd>Retouch accept<CR>s<Esc>")
    assert editor.reply()["applied"]
    assert editor.text == ["new", "mine areas"]


def test_a_diff_keeps_off_the_line_that_is_being_typed(editor: Editor) -> None:
    editor.setup(diff_first=True, ghost={"enable": False})
    job(editor, "old\n" + "mine\n" * 17, "1Retouch rewrite")
    version = editor.version

    def top() -> int:
        return next(at for at, row in enumerate(editor.screen) if ":Retouch accept" in row)

    editor.keys("jA1")
    commit(editor, (LINE, "new\n" * 4 + "new"), version=version)
    assert (editor.screen[1], top()) == ("mine1", 2)
    editor.keys("<Down>2<Down>3<CR>x")
    assert (editor.screen[4], top()) == ("x", 5)
    editor.keys("<Esc>11jA4")
    assert (editor.screen[15], top()) == ("mine4", 1)
    editor.keys("<Esc>6kA" + "5" * 80)
    assert (editor.screen[9:11], top()) == (["mine" + "5" * 76, "5" * 4], 0)
    editor.keys("<Cmd>Retouch accept<CR>")
    assert editor.reply()["applied"]
    editor.misses("+new")


def test_a_diff_that_opened_elsewhere_is_turned_down_by_escape(editor: Editor) -> None:
    editor.setup(diff_first=True, ghost={"enable": False})
    job(editor, "old\nmine\n", "1Retouch rewrite")
    for number, keys in enumerate(("<Esc><Esc>", "<Esc>:Retouch cancel<CR>"), 1):
        editor.keys("A")
        commit(editor, (LINE, "new"))
        editor.sees("-old", "+new")
        editor.keys(keys)
        assert editor.reply(number) == {"applied": False, "reason": "rejected"}
        editor.misses("-old")
    assert editor.text == ["old", "mine"]
    assert editor.got("retouch/cancel") == []


def test_escape_in_another_buffer_is_no_answer(editor: Editor) -> None:
    """It cancels the job of its own buffer, and the diff of the first one stays open."""
    editor.setup(diff_first=True, ghost={"enable": False})
    editor.vim.command("set hidden")
    job(editor, "old\n", "Retouch rewrite")
    first = {"uri": editor.uri, "version": editor.version}
    editor.open("b.py", "other\n")
    editor.answer("retouch/rewrite", result={"jobId": "second"})
    editor.vim.command("Retouch rewrite")
    editor.settle()
    editor.keys("A")
    commit(editor, (LINE, "new"), **first)
    editor.sees("-old", "+new")
    editor.keys("<Esc><Esc>")
    assert editor.wait_for("retouch/cancel")["jobId"] == "second"
    assert editor.replies() == []
    editor.vim.command("Retouch accept")
    assert editor.reply()["applied"]


def test_an_edit_under_an_open_diff_wins(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    commit(editor, (LINE, "new"), diffFirst=True)
    editor.sees("-old")
    editor.lua("vim.api.nvim_buf_set_text(vim.fn.bufnr('a.py'), 0, 0, 0, 3, { 'mine' })")
    editor.keys("a")
    assert editor.reply()["applied"] is False
    assert editor.text == ["mine"]


def test_questions_come_one_after_another(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "old\nolder\n")
    place = {"uri": editor.uri, "version": editor.version, "diffFirst": True}
    commit(editor, (LINE, "new"), **place)
    commit(editor, (span(1, 0, 1, 5), "newer"), **place)
    editor.sees("+new")
    editor.keys("r")
    editor.sees("+newer")
    assert editor.replies() == [{"applied": False, "reason": "rejected"}]
    editor.keys("a")
    assert editor.reply(2)["applied"]
    assert editor.text == ["old", "newer"]


def test_a_stream_into_the_text_is_one_undo_step(editor: Editor) -> None:
    editor.setup(settings={"live": "buffer"})
    job(editor, "old\n", "Retouch rewrite")
    for old, new in (("old", "n"), ("n", "ne"), ("ne", "new\nnewer")):
        apply_edit(editor, span(0, 0, 0, len(old)), new, editor.version)
    assert editor.reply(3) == {"applied": True}
    assert editor.text == ["new", "newer"]
    ended(editor)
    apply_edit(editor, LINE, "another", editor.version)
    editor.keys("u")
    assert editor.text == ["new", "newer"]
    editor.keys("u")
    assert editor.text == ["old"]


def test_a_persons_edit_in_between_stays_apart(editor: Editor) -> None:
    editor.setup(settings={"live": "buffer"})
    job(editor, "old\nmine\n", "Retouch rewrite")
    apply_edit(editor, LINE, "one", editor.version)
    stale = editor.version
    editor.keys("jA!<Esc>")
    apply_edit(editor, LINE, "two", stale)
    assert editor.reply(2)["applied"] is False
    assert str(stale) in editor.reply(2)["failureReason"]
    apply_edit(editor, LINE, "two", editor.version)
    editor.keys("u")
    assert editor.text == ["one", "mine!"]
    editor.keys("u")
    assert editor.text == ["one", "mine"]
    editor.keys("u")
    assert editor.text == ["old", "mine"]


def test_files_are_not_created_for_the_server(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "old\n")
    uri = (editor.home / "b.py").as_uri()
    editor.ask("workspace/applyEdit", edit={"documentChanges": [{"kind": "create", "uri": uri}]})
    assert editor.reply()["applied"] is False
    assert not (editor.home / "b.py").exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_small_edit_in_a_hole_that_has_moved(editor: Editor, encoding: str) -> None:
    editor.setup(encoding=encoding)
    smile = "\N{GRINNING FACE}"
    size = {"utf-8": 4, "utf-16": 2, "utf-32": 1}[encoding]
    editor.open("a.py", f"{smile}{smile} + old\n")
    editor.keys("gg0lv$<Esc>")
    editor.keys(":'<LT>,'>Retouch rewrite<CR>")
    version = editor.version
    editor.keys("gg0iab<CR>c<Esc>")
    start = 2 * size + 3
    commit(editor, (span(0, start, 0, start + 3), "new"), version=version)
    assert editor.reply()["applied"]
    assert editor.text == ["ab", f"c{smile}{smile} + new"]
