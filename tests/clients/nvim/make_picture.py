"""`python -m tests.clients.nvim.make_picture`: the picture of the plugin's README, made anew.

Neovim, the language server and the default model as they are; what they show is what is stored.
"""

import tempfile
from pathlib import Path

from tests.clients.nvim.editor import PLUGIN, Editor
from tests.clients.nvim.frames import MASK
from tests.clients.nvim.installed import installed_neovim
from tests.clients.nvim.picture import Screen, Shot, svg
from tests.clients.nvim.real import language_server, running_engine

PATIENCE = 300.0

GHOST = """def total(prices):
    \"\"\"Add up the prices.\"\"\"
    result = 0
    for price in prices:
        result
"""

REWRITE = """def mean(values):
    \"\"\"The arithmetic mean.\"\"\"
    total = 0
    for value in values:
        total = total + value
    return total / len(values)
"""


def ghost(editor: Editor, screen: Screen) -> Shot:
    """Ghost text behind a word that was just typed."""
    editor.edit("total.py", GHOST)
    editor.keys("GA ")
    editor.until(lambda: editor.lua("return require('retouch').visible()"), PATIENCE)
    shot = screen.shoot("Ghost text, not in the file until it is accepted", 7)
    editor.keys("<Esc>")
    return shot


def rewrite(editor: Editor, screen: Screen) -> list[Shot]:
    """A block while it is written anew, and then."""
    editor.edit("mean.py", REWRITE)
    editor.vim.command("3,5Retouch rewrite")
    editor.until(lambda: half_done(editor.screen[2:5]), PATIENCE)
    shots = [screen.shoot(":3,5Retouch rewrite   (the file is unchanged)", 8)]
    editor.until(lambda: editor.text != REWRITE.splitlines(), PATIENCE)
    editor.vim.command("nohlsearch | echo ''")
    return [*shots, screen.shoot("The result, one undo step", 8)]


def half_done(rows: list[str]) -> bool:
    """Whether a canvas has about as many masks as letters."""
    text = "".join("".join(rows).split())
    return 0.25 * len(text) < text.count(MASK) < 0.7 * len(text)


def main() -> None:
    """Make the picture and store it."""
    with tempfile.TemporaryDirectory() as name, running_engine(Path(name)):
        editor = Editor(installed_neovim(), Path(name))
        try:
            screen = Screen(editor)
            settings = {"timeoutMs": 60_000}
            editor.lua(
                "require('retouch').setup(...)",
                {"cmd": language_server(Path(name)), "settings": settings},
            )
            shots = [ghost(editor, screen), *rewrite(editor, screen)]
        finally:
            editor.close()
    (PLUGIN / "canvas.svg").write_text(svg(shots, "Retouch in Neovim"))


if __name__ == "__main__":
    main()
