"""Helix with the configuration that EDITORS.md tells: actions, one edit, one undo step."""

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.clients.nvim.conftest import Editors
from tests.clients.nvim.editor import PATIENCE, ROOT, SERVER, span
from tests.clients.nvim.real import language_server

pytestmark = [pytest.mark.forky, pytest.mark.nvim]

TEXT = "first = 1\nold = 2\nlast = 3\n"


class Helix:
    """Helix in a terminal of its own, by tmux."""

    def __init__(self, words: list[str], environment: dict[str, str], home: Path) -> None:
        self._socket = str(home / "tmux.sock")
        said = [f"{name}={value}" for name, value in environment.items()]
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", "90", "-y", "24", "env", *said, *words
        )

    def _tmux(self, *words: str) -> str:
        command = ["tmux", "-S", self._socket, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def keys(self, *keys: str) -> None:
        """Type keys, in tmux's notation."""
        self._tmux("send-keys", *keys)

    @property
    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def sees(self, text: str, patience: float = PATIENCE) -> None:
        self.until(lambda: text in self.screen, patience)

    def until(self, true: Callable[[], bool], patience: float = PATIENCE) -> None:
        """Wait for something; fails with the screen."""
        limit = time.monotonic() + patience
        while not true():
            assert time.monotonic() < limit, self.screen
            time.sleep(0.05)

    def close(self) -> None:
        self._tmux("kill-server")


def documented() -> str:
    """The languages.toml of EDITORS.md."""
    text = (ROOT / "clients" / "EDITORS.md").read_text()
    found = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


Start = Callable[[list[str]], Helix]


@pytest.fixture
def start(newer: Editors, tmp_path: Path) -> Iterator[Start]:
    """Starts Helix on a.py, with the command of the documented server replaced."""
    if not shutil.which("tmux"):
        pytest.skip("there is no tmux here")
    running: list[Helix] = []
    program = newer["helix"]

    def begin(command: list[str]) -> Helix:
        config = tmp_path / "config" / "helix"
        config.mkdir(parents=True)
        toml = documented()
        toml = toml.replace('command = "retouch"', f"command = {json.dumps(command[0])}")
        toml = toml.replace('args = ["lsp"]', f"args = {json.dumps(command[1:])}")
        (config / "languages.toml").write_text(toml)
        (tmp_path / "a.py").write_text(TEXT)
        environment = {
            "HOME": str(tmp_path),
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "TERM": "xterm-256color",
            **program.environment,
        }
        running.append(Helix([*program.command, str(tmp_path / "a.py")], environment, tmp_path))
        running[-1].sees("old = 2")
        return running[-1]

    yield begin
    for helix in running:
        helix.close()


def script(path: Path) -> dict[str, Any]:
    """A server that offers to rewrite the second line and does."""
    title = "Retouch: rewrite selection"
    uri, where = path.as_uri(), span(1, 0, 1, 7)
    action = {
        "title": title,
        "kind": "refactor.rewrite",
        "command": {"title": title, "command": "retouch.rewrite", "arguments": [uri, where]},
    }
    edit = {
        "textDocument": {"uri": uri, "version": 0},
        "edits": [{"range": span(1, 0, 1, 3), "newText": "new"}],
    }
    request = {
        "id": "edit-1",
        "method": "workspace/applyEdit",
        "params": {"label": "Retouch", "edit": {"documentChanges": [edit]}},
    }
    return {
        "answers": {"textDocument/codeAction": [action]},
        "after": {"workspace/executeCommand": [request]},
    }


def act(helix: Helix, patience: float = PATIENCE) -> None:
    """Select the second line and take the first Retouch action."""

    def menu() -> bool:
        helix.keys("Escape")
        time.sleep(0.2)  # Else it is one key with what follows.
        helix.keys("g", "g", "j", "x", "Space", "a")
        time.sleep(0.3)
        return "Retouch: rewrite selection" in helix.screen

    helix.until(menu, patience)
    helix.keys("Enter")


def written(path: Path) -> str:
    """What the file holds: nothing while Helix replaces it."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""


def test_an_action_is_taken_and_undone(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    told = tmp_path / "script.json"
    told.write_text(json.dumps(script(path)))
    helix = start([sys.executable, "-I", str(SERVER), "utf-8", str(told)])
    act(helix)
    helix.sees("new = 2")
    helix.keys(":w", "Enter")
    helix.until(lambda: written(path) == TEXT.replace("old", "new"))
    helix.keys("u")
    helix.sees("old = 2")


@pytest.mark.model
@pytest.mark.e2e
@pytest.mark.timeout(900)
def test_the_real_server_rewrites_a_line(start: Start, engine: Path, tmp_path: Path) -> None:
    if find_spec("lsp_server.features.code_actions") is None:
        pytest.skip("this language server has no code actions yet")
    path = tmp_path / "a.py"
    helix = start(language_server(engine))
    act(helix, 180.0)
    helix.until(lambda: "[+]" in helix.screen, 180.0)
    helix.keys(":w", "Enter")
    helix.until(lambda: written(path) not in ("", TEXT))
    lines = path.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("first = 1", "last = 3")
    helix.keys("u")
    helix.keys(":w", "Enter")
    helix.until(lambda: written(path) == TEXT)
