"""The editors under test: Neovim 0.11 from its wheel or the PATH, 0.12 where it can be had."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pynvim = pytest.importorskip("pynvim")

from tests.clients.nvim.editor import Editor  # noqa: E402
from tests.clients.nvim.forky import Program, Unavailable, fetch  # noqa: E402
from tests.clients.nvim.installed import installed_neovim  # noqa: E402
from tests.clients.nvim.real import running_engine  # noqa: E402

Editors = dict[str, Program]


@pytest.fixture(scope="session")
def nvim() -> Program:
    """A Neovim of 0.11 or later."""
    try:
        return installed_neovim()
    except Unavailable as reason:
        pytest.skip(str(reason))


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


@pytest.fixture(scope="package")
def engine(default_model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A running engine with the default model; the folder by which language servers find it."""
    folder = tmp_path_factory.mktemp("engine")
    with running_engine(folder):
        yield folder
