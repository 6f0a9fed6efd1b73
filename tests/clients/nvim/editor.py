"""Drives a real Neovim: keys in, lines and screen out; and the scripted server behind it."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pynvim

from tests.clients.nvim.forky import Program

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "clients" / "nvim"
SERVER = Path(__file__).with_name("scripted_server.py")
COLUMNS, LINES = 80, 20
PATIENCE = 20.0
"""Seconds after which something that should happen has failed to."""

_SCREEN = """
vim.cmd.redraw({ bang = true })
local rows = {}
for row = 1, vim.o.lines do
  local cells = {}
  for column = 1, vim.o.columns do
    cells[column] = vim.fn.screenstring(row, column)
  end
  rows[row] = (table.concat(cells):gsub('%s+$', ''))
end
return rows
"""

_EARS = """
_G.told = {}
vim.notify = function(text) table.insert(_G.told, text) end
vim.deprecate = function(name) table.insert(_G.told, 'deprecated: ' .. name) end
"""

_CLIENT = "local client = vim.lsp.get_clients({ name = 'retouch' })[1]\n"


class Editor:
    """A Neovim of its own with empty configuration folders below `home`."""

    def __init__(self, program: Program, home: Path) -> None:
        self.home = home
        self._typed = 0
        address = home / "nvim.sock"
        folders = {f"XDG_{name}_HOME": str(home) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
        options = f"set columns={COLUMNS} lines={LINES} noswapfile runtimepath^={PLUGIN}"
        self._process = subprocess.Popen(
            [*program.command, "--headless", "--clean", "--listen", str(address), "--cmd", options],
            env={**os.environ, "HOME": str(home), **folders, **program.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.vim: Any = None
        self.until(lambda: _listens(address))
        self.vim = pynvim.attach("socket", path=str(address))
        self.lua(_EARS)

    def close(self) -> None:
        """End Neovim and its servers; nothing of it may be out of date."""
        deprecated = [text for text in self.told if text.startswith("deprecated")]
        with suppress(OSError, EOFError):
            self.vim.command("qall!")  # Runs the connection to its end, so that it is closed.
        try:
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            self.vim.close()
        assert not deprecated, deprecated

    def lua(self, code: str, *arguments: Any) -> Any:
        """Run Lua; the arguments are `...` in it."""
        return self.vim.exec_lua(code, *arguments)

    def setup(self, encoding: str = "utf-16", **options: Any) -> None:
        """Call `setup()` with the scripted server."""
        command = [sys.executable, "-I", str(SERVER), encoding]
        self.lua("require('retouch').setup(...)", {"cmd": command, **options})

    def edit(self, name: str, text: str | bytes) -> Path:
        """Write a file and edit it; waits until a server is attached."""
        path = self.home / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.vim.command(f"edit! {path}")
        attached = "return #vim.lsp.get_clients({ bufnr = 0, name = 'retouch' }) == 1"
        self.until(lambda: self.lua(attached))
        return path

    def open(self, name: str, text: str | bytes) -> Path:
        """The same, and the scripted server has it."""
        path = self.edit(name, text)
        self.until(lambda: path.as_uri() in self.record()["texts"])
        return path

    def keys(self, keys: str) -> None:
        """Type keys, in Neovim's notation; waits until they are worked off."""
        self._typed += 1
        self.vim.input(f"{keys}<Cmd>let g:typed = {self._typed}<CR>")
        self.until(lambda: self.lua("return vim.g.typed") == self._typed)

    @property
    def text(self) -> list[str]:
        """The lines of the current buffer."""
        return list(self.vim.current.buffer[:])

    @property
    def cursor(self) -> tuple[int, int]:
        """Row from 1 and byte column of the cursor."""
        row, column = self.vim.current.window.cursor
        return row, column

    @property
    def screen(self) -> list[str]:
        """What a person sees, by rows, without blanks at their ends."""
        return list(self.lua(_SCREEN))

    @property
    def told(self) -> list[str]:
        """The messages a person got."""
        return list(self.lua("return _G.told"))

    def until(self, true: Callable[[], Any], patience: float = PATIENCE) -> Any:
        """Wait for something; fails with the screen if it doesn't come."""
        limit = time.monotonic() + patience
        while not (value := true()):
            if time.monotonic() > limit:
                screen = "\n".join(self.screen) if self.vim else "(none)"
                raise AssertionError("it did not happen; the screen:\n" + screen)
            time.sleep(0.01)
        return value

    def sees(self, *texts: str) -> list[str]:
        """Wait until all texts are on the screen."""
        self.until(lambda: all(text in "\n".join(self.screen) for text in texts))
        return self.screen

    def misses(self, *texts: str) -> list[str]:
        """Wait until none of the texts is on the screen."""
        self.until(lambda: not any(text in "\n".join(self.screen) for text in texts))
        return self.screen

    def settle(self) -> None:
        """Wait until all that was sent both ways so far has arrived."""
        self.record()
        self.lua("vim.wait(20)")

    def record(self) -> dict[str, Any]:
        """What the server has got: `messages`, `texts`."""
        found = self.lua(
            _CLIENT
            + "local answer = client and client:request_sync('test/record', {}, 10000, 0)\n"
            + "return vim.json.encode(answer and answer.result or { messages = {}, texts = {} })"
        )
        return dict(json.loads(found))

    def got(self, method: str) -> list[dict[str, Any]]:
        """The parameters of all messages of a method, oldest first."""
        messages = self.record()["messages"]
        return [message.get("params") or {} for message in messages if self._is(message, method)]

    @staticmethod
    def _is(message: dict[str, Any], method: str) -> bool:
        return message.get("method") == method

    def wait_for(self, method: str, count: int = 1) -> dict[str, Any]:
        """Wait for a message; its parameters."""
        self.until(lambda: len(self.got(method)) >= count)
        return self.got(method)[count - 1]

    def control(self, name: str, **params: Any) -> None:
        """Tell the scripted server something."""
        code = _CLIENT + "client:notify(...)"
        self.lua(code, f"test/{name}", params)

    def answer(self, method: str, **how: Any) -> None:
        """How the server answers a method from now on: `result`, `error` or `hold`."""
        self.control("answer", method=method, **how)

    def send(self, method: str, **params: Any) -> None:
        """A notification from the server; returns when it has been handled."""
        self.control("send", method=method, params=params)
        self.settle()

    def ask(self, method: str, **params: Any) -> None:
        """A request from the server."""
        self.control("ask", method=method, params=params)
        self.settle()

    def replies(self) -> list[Any]:
        """What the editor has answered to the server's requests."""
        messages = self.record()["messages"]
        return [message.get("result") for message in messages if "method" not in message]

    def reply(self, count: int = 1) -> Any:
        """Wait for an answer to a request of the server's."""
        self.until(lambda: len(self.replies()) >= count)
        return self.replies()[count - 1]

    @property
    def version(self) -> int:
        """The version of the current buffer."""
        return int(self.lua("return vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()]"))

    @property
    def uri(self) -> str:
        """The address of the current buffer."""
        return str(self.lua("return vim.uri_from_bufnr(0)"))


def _listens(address: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(address))
        except OSError:
            return False
    return True


def span(line: int, start: int, end_line: int, end: int) -> dict[str, Any]:
    """An LSP range."""
    return {
        "start": {"line": line, "character": start},
        "end": {"line": end_line, "character": end},
    }
