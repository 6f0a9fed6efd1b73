"""`:Retouch`: what each subcommand asks the server, its completion, and what it says otherwise."""

from typing import Any

import pytest

from tests.clients.nvim.editor import Editor, span
from tests.clients.nvim.frames import MASK, frame, job, line

pytestmark = pytest.mark.nvim


def asked(editor: Editor, command: str, method: str) -> dict[str, Any]:
    """Run a command; what the server got for it."""
    count = len(editor.got(f"retouch/{method}"))
    editor.keys(f":{command.replace('<', '<LT>')}<CR>")
    found = editor.wait_for(f"retouch/{method}", count + 1)
    found.pop("textDocument", None)
    return found


def test_ranges_and_selections(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", 'one = "\N{GRINNING FACE} two"\nthree\nfour\n')
    assert asked(editor, "Retouch rewrite", "rewrite")["range"] == span(0, 0, 0, 14)
    assert asked(editor, "2,3Retouch rewrite", "rewrite")["range"] == span(1, 0, 2, 4)
    assert asked(editor, "%Retouch revise", "revise")["range"] == span(0, 0, 2, 4)
    editor.keys("gg0f\N{GRINNING FACE}vj<Esc>")
    assert asked(editor, "'<,'>Retouch rewrite", "rewrite")["range"] == span(0, 7, 1, 5)
    editor.keys("gg0f\N{GRINNING FACE}v<Esc>")
    assert asked(editor, "'<,'>Retouch rewrite", "rewrite")["range"] == span(0, 7, 0, 9)
    editor.keys("ggVj<Esc>")
    assert asked(editor, "'<,'>Retouch rewrite", "rewrite")["range"] == span(0, 0, 1, 5)
    editor.keys("gg0vj$<Esc>")
    assert asked(editor, "'<,'>Retouch rewrite", "rewrite")["range"] == span(0, 0, 1, 5)


def test_instruction_and_strength(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "one\n")
    wanted = 'use  "quotes" | and bars'
    assert asked(editor, f"Retouch rewrite {wanted}", "rewrite")["instruction"] == wanted
    assert "instruction" not in asked(editor, "Retouch rewrite", "rewrite")
    assert asked(editor, "Retouch revise 0.25", "revise")["strength"] == 0.25
    assert "strength" not in asked(editor, "Retouch revise", "revise")
    for wrong in ("2", "-1", "much", "nan"):
        editor.vim.command(f"Retouch revise {wrong}")
        assert "from 0 to 1" in editor.told[-1]
    assert len(editor.got("retouch/revise")) == 2


def test_fill_at_the_cursor(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "x = \n\ny\n")
    editor.keys("gg0")
    empty = asked(editor, "Retouch fill", "rewrite")
    assert empty["range"] == span(0, 0, 0, 0) and empty["empty"] is True
    editor.keys("$")
    assert asked(editor, "Retouch fill", "rewrite")["range"] == span(0, 4, 0, 4)
    editor.keys("j")
    assert asked(editor, "Retouch fill", "rewrite")["range"] == span(1, 0, 1, 0)
    editor.keys("kI<Right><Cmd>Retouch fill<CR>")
    assert editor.wait_for("retouch/rewrite", 4)["range"] == span(0, 1, 0, 1)


def test_reroll_knows_its_word_from_the_answer(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "x = old + 1\n")
    where = span(0, 4, 0, 7)
    editor.answer("retouch/reroll", result={"jobId": "job-1", "range": where})
    editor.keys("fl")
    assert asked(editor, "Retouch reroll", "reroll")["position"] == {"line": 0, "character": 5}
    editor.settle()
    frame(editor, where, MASK * 3)
    assert editor.screen[0] == f"x = {MASK * 3} + 1"


def test_accept_takes_what_a_job_has(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    assert asked(editor, "Retouch accept", "accept") == {"jobId": "job-1"}
    assert editor.told == []
    editor.answer("retouch/accept", result={"ok": False})
    asked(editor, "Retouch accept", "accept")
    editor.until(lambda: "nothing to take" in (editor.told or [""])[-1])


def test_cancel_one_buffer_or_all(editor: Editor) -> None:
    editor.setup()
    job(editor, "a\n", "Retouch rewrite")
    editor.vim.command("Retouch revise")
    job(editor, "b\n", "Retouch rewrite", name="b.py")
    editor.vim.command("Retouch cancel")
    assert [each["jobId"] for each in editor.got("retouch/cancel")] == ["job-3"]
    editor.vim.command("Retouch! cancel")
    cancelled = [each["jobId"] for each in editor.got("retouch/cancel")]
    assert cancelled == ["job-3", "job-1", "job-2"]


def test_words_of_the_canvas_are_locked_thrown_back_and_pinned(editor: Editor) -> None:
    editor.setup()
    job(editor, "old one\nold two\n", "1,2Retouch rewrite")
    smile = "\N{GRINNING FACE}"
    frame(editor, span(0, 0, 1, 7), f"x = {smile} + one", line("return one"), seq=7)
    at = {"jobId": "job-1", "hole": 0, "seq": 7}
    assert asked(editor, "Retouch lock return", "lock") == {**at, "start": 13, "stop": 19}
    assert asked(editor, "Retouch throw one", "throwBack") == {**at, "start": 9, "stop": 12}
    pinned = asked(editor, "Retouch pin one two + three", "revisePin")
    assert pinned == {**at, "start": 9, "stop": 12, "text": "two + three"}
    editor.keys("gg0")
    assert asked(editor, "Retouch lock", "lock") == {**at, "start": 0, "stop": 1}
    editor.keys("jl")
    assert asked(editor, "Retouch throw", "throwBack") == {**at, "start": 13, "stop": 19}
    editor.vim.command("Retouch lock missing")
    assert "no such word" in editor.told[-1]
    editor.answer("retouch/lock", result={"ok": False, "reason": "it is still masked"})
    asked(editor, "Retouch lock x", "lock")
    editor.until(lambda: "still masked" in editor.told[-1])
    assert editor.vim.funcs.getcompletion("Retouch lock r", "cmdline") == ["return"]


def test_masks_are_no_words_to_complete(editor: Editor) -> None:
    editor.setup()
    job(editor, "old one\nold two\n", "1,2Retouch rewrite")
    smile = "\N{GRINNING FACE}"
    frame(editor, span(0, 0, 1, 7), line(f"x = {MASK * 3} {smile}"), line(MASK * 4))
    editor.until(lambda: editor.vim.funcs.getcompletion("Retouch lock ", "cmdline"))
    offered = set(editor.vim.funcs.getcompletion("Retouch lock ", "cmdline"))
    assert {"x", "="} <= offered and not any(MASK in word for word in offered)


def test_without_a_job_there_is_no_word(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "old\n")
    for command in ("lock", "throw", "pin a b"):
        editor.vim.command(f"Retouch {command}")
        assert "no job" in editor.told[-1]
    editor.vim.command("Retouch pin a")
    assert "a word of the canvas and the text" in editor.told[-1]


def test_toggle(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "old\n")
    editor.vim.command("Retouch toggle")
    assert editor.wait_for("retouch/toggle") == {"enable": False}
    editor.keys("Ax")
    editor.settle()
    assert editor.got("textDocument/inlineCompletion") == []
    editor.keys("<Esc>")
    editor.vim.command("Retouch toggle")
    assert editor.wait_for("retouch/toggle", 2) == {"enable": True}
    editor.keys("Ax")
    editor.wait_for("textDocument/inlineCompletion")
    assert editor.told == ["Retouch: off", "Retouch: on"]


def test_toggle_where_the_settings_switch_it_off(editor: Editor) -> None:
    editor.setup(settings={"enable": False})
    editor.open("a.py", "old\n")
    editor.keys("Ax<Esc>")
    editor.settle()
    assert editor.got("textDocument/inlineCompletion") == editor.got("retouch/toggle") == []
    editor.vim.command("Retouch toggle")
    assert editor.wait_for("retouch/toggle") == {"enable": True}
    assert editor.told == ["Retouch: on"]
    editor.keys("Ax")
    editor.wait_for("textDocument/inlineCompletion")
    editor.keys("<Esc>")
    editor.lua("vim.lsp.get_clients({ name = 'retouch' })[1]:stop(true)")
    editor.until(lambda: not editor.lua("return #vim.lsp.get_clients({ name = 'retouch' })"))
    editor.open("b.py", "old\n")
    assert editor.wait_for("retouch/toggle") == {"enable": True}  # the one that was started now
    editor.vim.command("Retouch toggle")
    assert editor.wait_for("retouch/toggle", 2) == {"enable": False}


def test_status_and_log(editor: Editor) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    editor.send("retouch/didChangeStatus", state="working", message="12 tokens", jobs=1)
    said = editor.vim.command_output("Retouch status")
    assert "working: 12 tokens" in said and "rewrite, job job-1" in said and "utf-16" in said
    stats = {"steps": 7, "forwards": 9, "tokens": 12, "ms": 300}
    editor.send("retouch/ended", jobId="job-1", reason="failed", message="no room", stats=stats)
    assert editor.told == ["Retouch: rewrite failed: no room"]
    editor.vim.command("Retouch log")
    text = "\n".join(editor.text)
    assert "rewrite job-1: failed no room" in text and "steps = 7" in text and "lsp.log" in text


def test_the_status_line(editor: Editor) -> None:
    status = "return require('retouch').status()"
    editor.setup()
    assert editor.lua(status) == ""
    editor.open("a.py", "old\n")
    for state, text in (
        ("starting", "retouch starting"),
        ("idle", "retouch"),
        ("disabled", "retouch off"),
        ("working", "retouch ..."),
    ):
        editor.send("retouch/didChangeStatus", state=state, message=None, step=None, jobs=0)
        assert editor.lua(status) == text
    editor.send("retouch/didChangeStatus", state="working", step=3, steps=12, jobs=1)
    assert editor.lua(status) == "retouch 3/12"
    editor.send("retouch/didChangeStatus", state="offline", message="no server", jobs=0)
    editor.send("retouch/didChangeStatus", state="offline", message="no server", jobs=0)
    assert editor.lua(status) == "retouch offline"
    assert editor.told == []  # The server says so itself.
    assert editor.lua("return require('retouch').status_info().message") == "no server"


def test_completion(editor: Editor) -> None:
    editor.setup()

    def complete(text: str) -> list[str]:
        return list(editor.vim.funcs.getcompletion(text, "cmdline"))

    assert complete("Retouch re") == ["reroll", "revise", "rewrite"]
    assert complete("'<,'>Retouch! c") == ["cancel"]
    assert complete("Retouch revise 0.") == ["0.2", "0.5", "0.8"]
    assert complete("Retouch rewrite ") == complete("Retouch nonsense ") == []
    assert {"fill", "heat", "accept", "toggle", "status", "log", "lock"} <= set(
        complete("Retouch ")
    )


def test_what_can_not_be_done_is_told(editor: Editor) -> None:
    editor.vim.command("Retouch rewrite")
    assert "setup()" in editor.told[-1]
    editor.setup()
    editor.vim.command("Retouch rewrite")
    assert "not attached" in editor.told[-1]
    editor.open("a.py", "old\n")
    editor.vim.command("Retouch nonsense")
    assert "no such subcommand" in editor.told[-1] and "rewrite" in editor.told[-1]
    editor.vim.command("Retouch fill me in")
    assert "at most 0" in editor.told[-1]
    editor.answer("retouch/rewrite", error={"code": -32602, "message": "the span is too long"})
    editor.vim.command("Retouch rewrite")
    editor.until(lambda: "too long" in editor.told[-1])
    editor.vim.command("Retouch accept")
    assert "nothing to accept" in editor.told[-1]


def test_heat(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "x = odd + 1\nrest\n")
    sure = {"range": span(0, 0, 0, 1), "confidence": 0.97}
    odd = {"range": span(0, 4, 0, 7), "confidence": 0.04, "best": "even", "why": "unlikely here"}
    editor.answer("retouch/heat", result={"version": editor.version, "tokens": [sure, odd]})
    assert asked(editor, "Retouch heat", "heat")["range"] == span(0, 0, 1, 4)
    editor.keys("4l")
    editor.sees('4%, rather "even", unlikely here')
    marks = editor.lua(
        "local space = vim.api.nvim_get_namespaces()['retouch.heat']\n"
        "return vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })"
    )
    assert [mark[3].get("hl_group") for mark in marks] == [None, "RetouchHeat1"]
    editor.keys("2h")
    editor.misses("even")
    editor.vim.command("Retouch heat")
    editor.keys("2l")
    editor.settle()
    assert "%" not in editor.screen[0]
    asked(editor, "1Retouch heat", "heat")
    editor.keys("0l4l")
    editor.sees("unlikely here")
    editor.keys("x")
    editor.misses("unlikely here")


def test_heat_of_a_text_that_has_changed_is_not_shown(editor: Editor) -> None:
    editor.setup()
    editor.open("a.py", "odd\n")
    editor.answer("retouch/heat", hold=True)
    asked(editor, "Retouch heat", "heat")
    editor.keys("Ax<Esc>0")
    tokens = [{"range": span(0, 0, 0, 3), "confidence": 0.04}]
    editor.control("release", method="retouch/heat", result={"tokens": tokens})
    editor.settle()
    assert "4%" not in editor.screen[0]
    editor.answer("retouch/heat", result={"tokens": [{"confidence": "high"}]})
    asked(editor, "Retouch heat", "heat")
    editor.until(lambda: editor.told and "heat failed" in editor.told[-1])
