"""Neovim, the language server and the default model together."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.nvim.editor import Editor
from tests.clients.nvim.forky import Program
from tests.clients.nvim.frames import MASK
from tests.clients.nvim.real import language_server, standing_still

pytestmark = [pytest.mark.nvim, pytest.mark.model, pytest.mark.e2e, pytest.mark.timeout(900)]

PATIENCE = 180.0
"""Seconds for the model, on a machine that may be busy."""

SUM = '''def total(prices):
    """Add up the prices."""
    result = 0
    for price in prices:
'''

SLOW = '''def mean(values):
    """The arithmetic mean."""
    total = 0
    for value in values:
        total = total + value
    return total / len(values)


print(mean([1, 2, 3]))
'''


@pytest.fixture(scope="module")
def writer(
    nvim: Program, engine: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Editor]:
    """One Neovim with the real language server for all tests."""
    editor = Editor(nvim, tmp_path_factory.mktemp("nvim"))
    editor.lua(
        "vim.api.nvim_create_autocmd('User', { pattern = 'RetouchEnded', callback = function(event)"
        " _G.ended = event.data.reason end })\n"
        "require('retouch').setup(...)",
        {
            "cmd": language_server(engine),
            "settings": {"timeoutMs": 60_000, "debounceMs": 10},
        },
    )
    yield editor
    editor.close()


def visible(editor: Editor) -> bool:
    return bool(editor.lua("return require('retouch').visible()"))


def finished(editor: Editor) -> Any:
    """Wait for the end of a job; its reason."""
    return editor.until(lambda: editor.lua("return _G.ended"), PATIENCE)


def start(editor: Editor, command: str, method: str = "rewrite") -> None:
    takes = "require('retouch.server').takes(vim.lsp.get_clients({ name = 'retouch' })[1], ...)"
    if not editor.lua(f"return {takes}", method):
        pytest.skip(f"this language server does not know {method} yet")
    editor.lua("_G.ended = nil")
    editor.vim.command(command)


def test_ghost_text_is_accepted_in_parts_and_undone(writer: Editor) -> None:
    writer.edit("ghost.py", SUM)
    writer.keys("Go        ")
    writer.until(lambda: visible(writer), PATIENCE)
    before, shown = writer.text[-1], writer.screen[len(writer.text) - 1]
    assert len(shown) > len(before)
    writer.keys("<M-w>")
    word = writer.text[-1]
    assert len(word) > len(before) and shown.startswith(word)
    writer.until(lambda: visible(writer) or word == shown.rstrip(), PATIENCE)
    writer.keys("<M-l><Esc>")
    assert writer.text[len(SUM.splitlines())].startswith(word)
    while writer.text[-1] != before or len(writer.text) > len(SUM.splitlines()) + 1:
        writer.keys("u")
        assert "\n".join(writer.text).startswith(SUM.rstrip()), "undone too much"
    assert writer.told == []


def test_a_rewrite_is_seen_and_undone_in_one_step(writer: Editor) -> None:
    writer.edit("rewrite.py", SLOW)
    start(writer, "3,6Retouch rewrite use sum()")
    writer.until(lambda: MASK in "\n".join(writer.screen), PATIENCE)
    assert writer.text == SLOW.splitlines()
    writer.keys("Go# typed meanwhile<Esc>")
    assert finished(writer) == "done"
    assert MASK not in "\n".join(writer.screen)
    assert writer.text[:2] == SLOW.splitlines()[:2]
    assert writer.text[-1] == "# typed meanwhile"
    assert writer.text[2:6] != SLOW.splitlines()[2:6]
    writer.keys("u")
    assert writer.text == [*SLOW.splitlines(), "# typed meanwhile"]
    writer.keys("u")
    assert writer.text == SLOW.splitlines()


def test_escape_stops_it_without_a_trace(writer: Editor) -> None:
    writer.edit("cancel.py", SLOW)
    start(writer, "3,6Retouch rewrite")
    writer.until(lambda: MASK in "\n".join(writer.screen), PATIENCE)
    writer.keys("<Esc>")
    assert writer.screen[: len(writer.text)] == SLOW.splitlines()
    assert finished(writer) == "cancelled"
    assert writer.text == SLOW.splitlines()


def test_a_value_of_yaml_keeps_to_the_schema_of_its_file(writer: Editor) -> None:
    schema = {"properties": {"level": {"enum": ["quiet", "loud"]}, "port": {"type": "integer"}}}
    text = "# yaml-language-server: $schema=./app.schema.json\nport: 80\nlevel: ___\n"
    writer.edit("app.schema.json", json.dumps(schema))
    writer.vim.command("write!")
    writer.edit("app.yaml", text)
    start(writer, "%Retouch fill", "fillHoles")
    assert finished(writer) == "done"

    assert writer.text[-1] in ("level: quiet", "level: loud")


def drawn(editor: Editor) -> list[str]:
    """Words of the running canvas."""
    return list(editor.vim.funcs.getcompletion("Retouch lock ", "cmdline"))


def test_a_word_is_replaced_while_the_rest_goes_on(writer: Editor, engine: Path) -> None:
    writer.edit("pin.py", SLOW)
    start(writer, "3,6Retouch rewrite")
    with standing_still(engine, lambda: drawn(writer), PATIENCE):
        word = drawn(writer)[0]
        writer.vim.command(f"Retouch lock {word}")
        writer.vim.command(f"Retouch pin {word} kept_by_hand")
    assert finished(writer) == "done"
    assert "kept_by_hand" in "\n".join(writer.text)
    writer.keys("u")
    assert writer.text == SLOW.splitlines()


def test_a_word_is_thrown_back_and_the_job_goes_on(writer: Editor, engine: Path) -> None:
    writer.edit("throw.py", SLOW)
    start(writer, "3,6Retouch rewrite")
    with standing_still(engine, lambda: drawn(writer), PATIENCE):
        writer.vim.command(f"Retouch throw {drawn(writer)[0]}")
    assert finished(writer) == "done"
    assert writer.text[:2] == SLOW.splitlines()[:2]


def test_an_edit_inside_is_a_conflict(writer: Editor) -> None:
    writer.edit("conflict.py", SLOW)
    start(writer, "3,6Retouch rewrite")
    writer.until(lambda: MASK in "\n".join(writer.screen), PATIENCE)
    writer.keys("4GAx<Esc>")
    assert finished(writer) == "conflict"
    assert writer.text[3] == "    for value in values:x"


def test_a_dos_file_with_emoji(writer: Editor) -> None:
    smile = "\N{GRINNING FACE}"
    lines = [
        "def greet(name):",
        f'    text = "{smile}{smile} hello"; size = ',
        "    return text",
        "",
    ]
    path = writer.edit("dos.py", "\r\n".join(lines).encode())
    writer.vim.command("call cursor(2, 999)")
    start(writer, "Retouch fill")
    assert finished(writer) == "done"
    writer.vim.command("write")
    written = path.read_bytes()
    assert written.count(b"\r\n") == written.count(b"\n") == written.count(b"\r")
    text = written.decode().split("\r\n")
    assert text[0] == lines[0]
    assert text[1].startswith(lines[1]) and len(text[1]) > len(lines[1])
    assert text[-2:] == lines[-2:]
    writer.keys("u")
    assert writer.text == lines[:-1]


def test_revision_and_heat(writer: Editor) -> None:
    odd = SLOW.replace("total / len(values)", "total / len(print)")
    writer.edit("revise.py", odd)
    start(writer, "6Retouch heat", "heat")
    heat = (
        "local space = vim.api.nvim_get_namespaces()['retouch.heat']\n"
        "return #vim.api.nvim_buf_get_extmarks(0, space, 0, -1, {})"
    )
    writer.until(lambda: writer.lua(heat), PATIENCE)
    start(writer, "6Retouch revise 0.5", "revise")
    assert finished(writer) in ("done", "unchanged")
    assert [*writer.text[:5], *writer.text[6:]] == [*odd.splitlines()[:5], *odd.splitlines()[6:]]
