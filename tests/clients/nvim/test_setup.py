"""Options, keys, finding the server, `:checkhealth`, the help file: what a person meets first."""

import re
import sys
from pathlib import Path
from typing import Any

import pynvim
import pytest

from tests.clients.nvim.editor import PLUGIN, SERVER, Editor

pytestmark = pytest.mark.nvim


def fault(editor: Editor, **options: Any) -> str:
    """What `setup()` says to options that are wrong."""
    with pytest.raises(pynvim.NvimError) as caught:
        editor.setup(**options)
    return str(caught.value)


def health(editor: Editor) -> str:
    editor.vim.command("checkhealth retouch")
    return "\n".join(editor.text)


def test_every_fault_is_named(editor: Editor) -> None:
    assert "gost: no such option (did you mean ghost?)" in fault(editor, gost=1)
    assert "ghost.renderer" in fault(editor, ghost={"renderer": "magic"})
    said = fault(editor, mappings={"acept": "<Tab>"}, diff_first="yes", filetypes=3)
    assert "mappings.acept: no such option (did you mean accept?)" in said
    assert "diff_first: expected boolean, got string" in said
    assert "filetypes: expected table, got number" in said
    assert "mappings: expected a table or false" in fault(editor, mappings=True)
    assert editor.lua("return require('retouch.config').get()") is None
    editor.setup(settings={"maxLine": 3})
    assert "settings.maxLine (did you mean maxLines?)" in editor.told[-1]


def test_settings_reach_the_server(editor: Editor) -> None:
    editor.setup(settings={"maxLines": 5, "debounceMs": 20}, diff_first=True)
    editor.open("a.py", "x\n")
    first = editor.got("initialize")[0]
    assert first["capabilities"]["experimental"]["retouch"] == {"denoise": 1, "commit": 1}
    assert "inlineCompletion" in first["capabilities"]["textDocument"]
    wanted = {"maxLines": 5, "debounceMs": 20, "diffFirst": True}
    assert first["initializationOptions"] == wanted
    changed = editor.wait_for("workspace/didChangeConfiguration")
    assert changed["settings"] == {"retouch": wanted}


def test_nothing_happens_before_setup(editor: Editor) -> None:
    (editor.home / "a.py").write_text("x\n")
    editor.vim.command(f"edit {editor.home / 'a.py'}")
    assert editor.lua("return #vim.lsp.get_clients()") == 0
    assert editor.lua("return vim.fn.maparg('<M-l>', 'i')") == ""
    assert editor.lua("return vim.fn.exists(':Retouch')") == 2
    assert editor.lua("return package.loaded['retouch']") is None


def test_keys_that_are_taken_are_left_alone(editor: Editor) -> None:
    editor.vim.command("inoremap <M-l> mine")
    editor.vim.command("inoremap <M-x> yours")
    editor.setup(mappings={"accept_word": "<M-x>"})
    editor.setup(mappings={"accept_word": "<M-x>"})
    editor.keys("i<M-l><M-x>")
    assert editor.text == ["mineyours"]
    assert "<M-l> (accept)" in health(editor)


def test_no_keys_at_all(editor: Editor) -> None:
    editor.setup(mappings=False)
    assert editor.lua("return vim.fn.maparg('<M-]>', 'i')") == ""
    assert "Retouch" in editor.vim.command_output("verbose imap <Plug>(retouch-accept)")


def test_buffers_that_are_no_files_get_no_server(editor: Editor) -> None:
    editor.setup()
    editor.vim.command("enew | set filetype=python")
    editor.vim.command("edit fugitive://x//y.py | set filetype=python")
    editor.lua("vim.wait(50)")
    assert editor.lua("return #vim.lsp.get_clients()") == 0


def test_only_some_file_types(editor: Editor) -> None:
    editor.setup(filetypes=["rust"])
    (editor.home / "a.py").write_text("x\n")
    editor.vim.command(f"edit {editor.home / 'a.py'}")
    editor.lua("vim.wait(50)")
    assert editor.lua("return #vim.lsp.get_clients()") == 0
    editor.open("a.rs", "x\n")


def test_own_callbacks_are_kept(editor: Editor) -> None:
    command = [sys.executable, "-I", str(SERVER), "utf-16"]
    editor.lua(
        "require('retouch').setup({ cmd = ..., lsp = {"
        " on_attach = function() _G.attached = true end,"
        " capabilities = { textDocument = { hover = { contentFormat = { 'plaintext' } } } } } })",
        command,
    )
    editor.open("a.py", "x\n")
    assert editor.lua("return _G.attached")
    sent = editor.got("initialize")[0]["capabilities"]
    assert sent["textDocument"]["hover"]["contentFormat"] == ["plaintext"]
    assert sent["experimental"]["retouch"]["commit"] == 1


def test_how_the_server_is_found(editor: Editor) -> None:
    find = (
        "local command, problem = require('retouch.server').command(...) return command or problem"
    )
    assert editor.lua(find, {"cmd": [sys.executable, "x"]}) == [sys.executable, "x"]
    python = {"python": sys.executable}
    assert editor.lua(find, python) == [sys.executable, "-I", "-m", "lsp_server"]
    missing = editor.lua(find, {"python": "/no/such/python"})
    assert "/no/such/python" in missing and "setup()" in missing
    editor.lua("vim.env.PATH = ...", str(editor.home))
    assert '"retouch" is not an executable' in editor.lua(find, {})
    program = editor.home / "retouch"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert editor.lua(find, {}) == ["retouch", "lsp"]


def test_a_server_that_is_missing_is_told_once(editor: Editor) -> None:
    editor.lua("require('retouch').setup({ python = '/no/such/python' })")
    editor.lua("require('retouch').setup({ python = '/no/such/python' })")
    assert len(editor.told) == 1 and "/no/such/python" in editor.told[0]
    assert "/no/such/python" in health(editor)


def test_a_server_that_fails_is_told(editor: Editor) -> None:
    editor.lua("require('retouch').setup({ cmd = { 'sh', '-c', 'exit 3' } })")
    path = editor.home / "a.py"
    path.write_text("x\n")
    editor.vim.command(f"silent! edit {path}")
    editor.until(lambda: editor.told)
    assert "exit code 3" in editor.told[-1]
    editor.vim.command("Retouch log")
    editor.until(lambda: "status 3" in "\n".join(editor.text))


def test_health(editor: Editor) -> None:
    assert "setup() was not called" in health(editor)
    editor.vim.command("bwipeout!")
    editor.setup()
    assert "not connected" in health(editor)
    editor.vim.command("bwipeout!")
    editor.open("a.py", "x\n")
    editor.lua("vim.g.loaded_copilot = 1")
    said = health(editor)
    assert "methods of version 1, utf-16" in said
    assert "state: idle model loaded" in said
    assert "others suggest text too: copilot" in said
    assert sys.executable in said
    assert "ERROR" not in said


def test_health_asks_for_the_version(editor: Editor) -> None:
    program = editor.home / "retouch"
    program.write_text("#!/bin/sh\necho retouch 9.9\n")
    program.chmod(0o755)
    editor.lua("require('retouch').setup({ cmd = { ..., 'lsp' } })", str(program))
    assert "version: retouch 9.9" in health(editor)
    editor.vim.command("bwipeout!")
    broken = editor.home / "retouch-broken"
    broken.write_text("#!/bin/sh\necho no torch >&2; exit 1\n")
    broken.chmod(0o755)
    editor.lua("require('retouch').setup({ cmd = { ... } })", str(broken))
    said = health(editor)
    assert "can not be run" in said and "no torch" in said


def test_help(editor: Editor, tmp_path: Path) -> None:
    """Every link leads somewhere, and everything that can be named is explained."""
    text = (PLUGIN / "doc" / "retouch.txt").read_text()
    folder = tmp_path / "doc"
    folder.mkdir()
    (folder / "retouch.txt").write_text(text)
    editor.vim.command(f"helptags {folder}")
    tags = {row.split("\t")[0] for row in (folder / "tags").read_text().splitlines()}
    for link in re.findall(r"\|(retouch[^|\s]*)\|", text):
        assert link in tags, link
    assert max(map(len, text.splitlines())) <= 78
    names = editor.vim.funcs.getcompletion("Retouch ", "cmdline")
    assert {f":Retouch-{name}" for name in names} <= tags
    plugs = re.findall(r"<Plug>\(retouch-[a-z-]+\)", editor.vim.command_output("map | imap"))
    groups = editor.vim.funcs.getcompletion("Retouch", "highlight")
    options = editor.lua("return vim.tbl_keys(require('retouch.config').defaults)")
    for name in (*plugs, *groups, *options):
        assert name in text, name


def test_the_readme_names_every_option(editor: Editor) -> None:
    text = (PLUGIN / "README.md").read_text()
    for name in editor.lua("return vim.tbl_keys(require('retouch.config').defaults)"):
        assert name in text, name


def test_lua_files_stay_small() -> None:
    for path in PLUGIN.rglob("*.lua"):
        lines = path.read_text().splitlines()
        assert len(lines) <= 300, path
        assert max(map(len, lines)) <= 100, path
        assert lines[0].startswith("---"), path
