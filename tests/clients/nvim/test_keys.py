"""Keys that were mapped before do their old work where there is no suggestion."""

import pytest

from tests.clients.nvim.editor import Editor
from tests.clients.nvim.frames import ended, job

pytestmark = pytest.mark.nvim

SPEAKING = """
vim.keymap.set('i', '<M-f>', function() vim.api.nvim_put({ 'called' }, 'c', false, true) end)
vim.keymap.set('i', '<M-h>', function() return 'a<Left>' end, { expr = true })
vim.keymap.set('i', '&', function() return '&' end, { expr = true, remap = true })
"""


@pytest.mark.parametrize(
    ("before", "key", "text"),
    [
        ("inoremap <M-x> ab", "<M-x>", "ab-"),
        ("imap <M-x> ab", "<M-x>", "Zb-"),
        ('inoremap <expr> <M-x> "a\\<Left>b"', "<M-x>", "b-a"),
        ('imap <expr> <M-x> "a\\<Left>b<"', "<M-x>", "b<-Z"),
        ("inoremap <expr> <M-x> 1 + 1", "<M-x>", "2-"),
        ("imap @ @", "@", "@-"),
        ("", "<M-f>", "called-"),
        ("", "<M-h>", "-a"),
        ("", "&", "&-"),
        ("", "%", "%-"),
    ],
)
def test_a_key_does_its_old_work(editor: Editor, before: str, key: str, text: str) -> None:
    editor.lua(SPEAKING)
    editor.vim.command("imap a Z")
    editor.vim.command(before)
    for _ in range(2):
        editor.setup(mappings={"accept_word": key})
    editor.keys(f"i{key}-")
    assert editor.text == [text]


def test_a_key_of_one_buffer_is_no_others(editor: Editor) -> None:
    editor.vim.command("inoremap @ all")
    editor.vim.command("inoremap <buffer> @ here")
    editor.setup(mappings={"dismiss": "@"})
    editor.keys("i@-<Esc>")
    assert editor.text == ["here-"]
    editor.vim.command("enew!")
    editor.keys("i@-")
    assert editor.text == ["all-"]


@pytest.mark.parametrize("command", ["nunmap <buffer> <Esc>", "nnoremap <buffer> <Esc> ix"])
def test_an_escape_that_a_person_has_changed_meanwhile_stays(editor: Editor, command: str) -> None:
    editor.setup()
    job(editor, "old\n", "Retouch rewrite")
    editor.vim.command(command)
    here = "return vim.fn.maparg('<Esc>', 'n', false, true).rhs"
    mapped = editor.lua(here)
    ended(editor)
    assert editor.lua(here) == mapped and editor.told == []
