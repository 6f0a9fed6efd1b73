"""Ghost text: shown, kept while typing, accepted whole and in parts, undone, hidden."""

from typing import Any

import pytest

from tests.clients.nvim.editor import Editor, span

pytestmark = pytest.mark.nvim

METHOD = "textDocument/inlineCompletion"


def item(text: str, where: dict[str, Any], name: str = "x1") -> dict[str, Any]:
    """An item as the contract has it."""
    command = {"title": "", "command": "retouch.accepted", "arguments": [name]}
    return {"insertText": text, "range": where, "command": command}


def suggest(editor: Editor, *items: dict[str, Any]) -> None:
    editor.answer(METHOD, result={"items": list(items)})


def begin(editor: Editor, text: str, **options: Any) -> None:
    """A Python file with this text and the cursor in its first line."""
    editor.setup(**options)
    editor.open("a.py", text)


def test_it_is_shown_and_accepted_in_an_undo_step_of_its_own(editor: Editor) -> None:
    begin(editor, "def add(a, b):\n\n")
    suggest(editor, item("    return a + b", span(1, 0, 1, 2)))
    editor.keys("jA  ")
    editor.sees("    return a + b")
    assert editor.text[1] == "  "
    assert editor.got("retouch/didShow")[-1] == {"id": "x1"}
    editor.keys("<M-l>")
    assert editor.text == ["def add(a, b):", "    return a + b"]
    assert editor.cursor == (2, 16)
    accepted = editor.wait_for("workspace/executeCommand")
    assert accepted == {"command": "retouch.accepted", "arguments": ["x1"]}
    suggest(editor)
    editor.keys(" # typed behind<Esc>u")
    assert editor.text[1] == "    return a + b"
    editor.keys("u")
    assert editor.text[1] == "  "
    editor.keys("u")
    assert editor.text[1] == ""


def test_it_shrinks_as_it_is_typed_and_goes_when_contradicted(editor: Editor) -> None:
    begin(editor, "x = \n")
    suggest(editor, item("value", span(0, 4, 0, 4)))
    editor.keys("A")
    editor.sees("x = value")
    editor.answer(METHOD, hold=True)
    editor.keys("va")
    assert editor.text == ["x = va"]
    assert editor.screen[0] == "x = value"
    editor.keys("x")
    assert editor.screen[0] == "x = vax"


def test_words_and_lines_are_accepted_one_by_one(editor: Editor) -> None:
    begin(editor, "x = \n")
    suggest(editor, item("\N{GRINNING FACE} + b\ny = 2\nz = 3", span(0, 4, 0, 4)))
    editor.keys("A")
    editor.sees("z = 3")
    editor.answer(METHOD, hold=True)
    editor.keys("<M-w>")
    assert editor.text == ["x = \N{GRINNING FACE}"]
    assert editor.got("retouch/didAccept")[-1] == {"id": "x1", "acceptedLength": 2}
    assert "+ b" in editor.screen[0] and editor.screen[2] == "z = 3"
    editor.keys("<M-j>")
    assert editor.text == ["x = \N{GRINNING FACE} + b"]
    editor.keys("<M-w>")
    assert editor.text == ["x = \N{GRINNING FACE} + b", "y"]
    editor.keys("<M-l>")
    assert editor.text[1:] == ["y = 2", "z = 3"]
    assert editor.got("retouch/didAccept")[-1]["acceptedLength"] == 8
    assert len(editor.got("workspace/executeCommand")) == 1
    editor.keys("<Esc>u")
    assert editor.text[1:] == ["y"]
    editor.keys("u")
    assert editor.text == ["x = \N{GRINNING FACE} + b"]
    editor.keys("uu")
    assert editor.text == ["x = "]


def test_alternatives_are_asked_for_once_and_go_round(editor: Editor) -> None:
    begin(editor, "x = \n")
    where = span(0, 4, 0, 4)
    suggest(editor, item("one", where))
    editor.keys("A")
    editor.sees("x = one")
    suggest(editor, item("one", where), item("two", where, "x2"), item("three", where, "x3"))
    editor.keys("<M-]>")
    editor.sees("x = two 2/3")
    kinds = [params["context"]["triggerKind"] for params in editor.got(METHOD)]
    assert kinds == [2, 1]
    editor.keys("<M-]>")
    editor.sees("x = three 3/3")
    editor.keys("<M-]>")
    editor.sees("x = one 1/3")
    editor.keys("<M-[>")
    editor.sees("x = three 3/3")
    assert len(editor.got(METHOD)) == 2
    editor.keys("<M-l>")
    assert editor.text == ["x = three"]
    assert editor.wait_for("workspace/executeCommand")["arguments"] == ["x3"]


def test_dismissed_it_stays_away_until_the_text_changes(editor: Editor) -> None:
    begin(editor, "x = \n")
    suggest(editor, item("value", span(0, 4, 0, 4)))
    editor.keys("A")
    editor.sees("x = value")
    asked = len(editor.got(METHOD))
    editor.keys("<C-]>")
    editor.misses("value")
    assert editor.got("retouch/didReject") == [{"id": "x1"}]
    editor.keys("<Left><Right>")
    editor.settle()
    assert "value" not in editor.screen[0]
    assert len(editor.got(METHOD)) == asked
    suggest(editor, item("value", span(0, 4, 0, 5)))
    editor.keys("v")
    editor.sees("x = value")


def test_late_answers_are_dropped_and_requests_cancelled(editor: Editor) -> None:
    begin(editor, "x = \n")
    editor.answer(METHOD, hold=True)
    editor.keys("A")
    editor.wait_for(METHOD)
    editor.keys("12")
    editor.until(lambda: editor.got(METHOD)[-1]["position"]["character"] == 6)
    assert editor.got("$/cancelRequest")
    editor.control("release", method=METHOD, result={"items": [item("late", span(0, 4, 0, 4))]})
    editor.settle()
    assert editor.screen[0] == "x = 12"
    assert editor.told == []


def test_it_hides_behind_the_popup_menu_and_outside_insert_mode(editor: Editor) -> None:
    begin(editor, "alpha\nalpine\nal\n")
    suggest(editor, item("al() + 1", span(2, 0, 2, 2)))
    editor.keys("GA")
    editor.sees("al() + 1")
    editor.vim.input("<C-n>")
    editor.until(lambda: editor.lua("return vim.fn.pumvisible()") == 1)
    editor.settle()
    assert not any("() + 1" in row for row in editor.screen)
    editor.keys("<C-e>")
    editor.sees("al() + 1")
    editor.keys("<Esc>")
    editor.misses("() + 1")
    editor.settle()
    assert editor.screen[2] == "al"


def test_a_blocked_place_shows_nothing(editor: Editor) -> None:
    begin(editor, "x = \n")
    editor.lua("require('retouch.config').get().ghost.blocked = function() return true end")
    editor.keys("A")
    editor.settle()
    assert editor.got(METHOD) == []


def test_a_closing_bracket_behind_the_cursor_is_not_doubled(editor: Editor) -> None:
    begin(editor, "t = sum()  # all\n")
    suggest(editor, item("values)", span(0, 8, 0, 9)))
    editor.keys("f)i")
    editor.sees("t = sum(values)  # all")
    editor.answer(METHOD, hold=True)
    editor.keys("<M-w>")
    assert editor.text == ["t = sum(values)  # all"]
    editor.keys("<Esc>u")
    suggest(editor, item("values)", span(0, 8, 0, 9)))
    editor.keys("0f)i")
    editor.sees("t = sum(values)  # all")
    editor.keys("<M-l>")
    assert editor.text == ["t = sum(values)  # all"]
    assert editor.cursor == (1, 15)


def test_several_lines_look_as_they_will_be(editor: Editor) -> None:
    begin(editor, "f() # end\nnext\n")
    suggest(editor, item("a,\n  b)", span(0, 2, 0, 3)))
    editor.keys("f)i")
    editor.sees("  b) # end")
    shown = editor.screen[:3]
    editor.keys("<M-l>")
    editor.settle()
    assert editor.text == ["f(a,", "  b) # end", "next"]
    assert shown == editor.screen[:3] == editor.text


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 9), ("utf-16", 7), ("utf-32", 6)])
def test_positions_are_in_the_servers_encoding(editor: Editor, encoding: str, column: int) -> None:
    begin(editor, 's = "\N{GRINNING FACE}")\n', encoding=encoding)
    suggest(editor, item('!"', span(0, column, 0, column + 1)))
    editor.keys('f"n;')
    editor.keys("i")
    editor.until(lambda: editor.got(METHOD))
    assert editor.got(METHOD)[-1]["position"] == {"line": 0, "character": column}
    editor.sees('"\N{GRINNING FACE}!")')
    editor.keys("<M-l>")
    assert editor.text == ['s = "\N{GRINNING FACE}!")']
    editor.until(lambda: editor.record()["texts"][editor.uri] == editor.text[0] + "\n")


def test_a_dos_file_keeps_its_line_ends(editor: Editor) -> None:
    editor.setup()
    path = editor.open("a.py", b"x = (\r\n)\r\n")
    suggest(editor, item("\r\n  1,\r\n  2,", span(0, 5, 0, 5)))
    editor.keys("A")
    editor.sees("  2,")
    assert not any("^M" in row for row in editor.screen)
    suggest(editor)
    editor.keys("<M-l><Esc>")
    assert editor.text == ["x = (", "  1,", "  2,", ")"]
    editor.vim.command("write")
    assert path.read_bytes() == b"x = (\r\n  1,\r\n  2,\r\n)\r\n"
    editor.until(lambda: editor.record()["texts"][editor.uri].encode() == path.read_bytes())


def test_a_latin1_file_keeps_its_encoding(editor: Editor) -> None:
    editor.setup()
    path = editor.open("a.txt", "caf\N{LATIN SMALL LETTER E WITH ACUTE} \n".encode("latin-1"))
    suggest(editor, item("cr\N{LATIN SMALL LETTER E WITH GRAVE}me", span(0, 5, 0, 5)))
    editor.keys("A")
    editor.sees("cr\N{LATIN SMALL LETTER E WITH GRAVE}me")
    editor.keys("<M-l><Esc>")
    editor.vim.command("write")
    assert path.read_bytes() == b"caf\xe9 cr\xe8me\n"


def test_errors_and_odd_items_are_silent(editor: Editor) -> None:
    begin(editor, "x = \n")
    editor.answer(METHOD, error={"code": -32603, "message": "boom"})
    editor.keys("A")
    editor.wait_for(METHOD)
    snippet = {"insertText": {"kind": "snippet", "value": "$1"}, "range": span(0, 4, 0, 4)}
    elsewhere = item("far", span(0, 0, 0, 2))
    editor.answer(METHOD, result=[snippet, elsewhere, None, 3, item("", span(0, 4, 0, 4))])
    editor.keys("1")
    editor.until(lambda: editor.got(METHOD)[-1]["position"]["character"] == 5)
    editor.settle()
    assert editor.screen[0] == "x = 1"
    assert editor.told == []
    assert any("boom" in line for line in editor.lua("return require('retouch.log').entries()"))


def test_by_hand_only(editor: Editor) -> None:
    begin(editor, "x = \n", settings={"trigger": "manual"})
    suggest(editor, item("value", span(0, 4, 0, 4)))
    editor.keys("A")
    editor.settle()
    assert editor.got(METHOD) == []
    editor.keys("<M-\\>")
    editor.sees("x = value")
    editor.keys("v")
    editor.settle()
    assert editor.screen[0] == "x = value"
    assert len(editor.got(METHOD)) == 1


def test_another_server_may_count_otherwise(editor: Editor) -> None:
    begin(editor, 's = "\N{GRINNING FACE}"\n', encoding="utf-16")
    editor.lua(
        "local command = vim.deepcopy(require('retouch.config').get().cmd)\n"
        "command[#command] = 'utf-8'\n"
        "vim.lsp.start({ name = 'other', cmd = command, root_dir = '/' })"
    )
    editor.until(lambda: editor.lua("return #vim.lsp.get_clients({ bufnr = 0 })") == 2)
    suggest(editor, item(" + t", span(0, 8, 0, 8)))
    editor.keys("A")
    editor.sees('"\N{GRINNING FACE}" + t')
    editor.keys("<M-l>")
    assert editor.text == ['s = "\N{GRINNING FACE}" + t']
    assert editor.told == []


def test_keys_do_their_usual_work_where_nothing_is_shown(editor: Editor) -> None:
    begin(editor, "x\n", mappings={"accept": "<Tab>"})
    editor.vim.command("set expandtab shiftwidth=2 softtabstop=2")
    editor.keys("A<Tab>y")
    assert editor.text == ["x y"]
    suggest(editor, item(" = 1", span(0, 3, 0, 3)))
    editor.keys("<BS>y")
    editor.sees("x y = 1")
    editor.keys("<Tab>")
    assert editor.text == ["x y = 1"]
