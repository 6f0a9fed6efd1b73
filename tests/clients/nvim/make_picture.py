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

GHOST = """def area(width, height):
    \"\"\"The area of a rectangle.\"\"\"
    retur
"""

REWRITE = """import json


def load(path):
    \"\"\"Read a JSON file.\"\"\"
    ...
    ...


def save(path, data):
    \"\"\"Write a JSON file.\"\"\"
    with open(path, "w") as file:
        json.dump(data, file)
"""
FIRST, LAST = 6, 7


def ghost(editor: Editor, screen: Screen) -> Shot:
    """Ghost text behind a word that was just typed."""
    editor.edit("area.py", GHOST)
    editor.keys("GAn")
    editor.until(lambda: editor.lua("return require('retouch').visible()"), PATIENCE)
    shot = screen.shoot("Ghost text, not in the file until it is accepted", 5)
    editor.keys("<Esc>")
    return shot


def rewrite(editor: Editor, screen: Screen) -> list[Shot]:
    """A block while it is written anew, and then."""
    editor.edit("files.py", REWRITE)
    editor.vim.command(f"{FIRST},{LAST}Retouch rewrite")
    editor.until(lambda: half_done(editor.screen[FIRST - 1 : FIRST + 3]), PATIENCE)
    shots = [screen.shoot(f":{FIRST},{LAST}Retouch rewrite   (the file is unchanged)", 15)]
    editor.until(lambda: editor.text != REWRITE.splitlines(), PATIENCE)
    return [*shots, screen.shoot("The result, one undo step", 15)]


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
