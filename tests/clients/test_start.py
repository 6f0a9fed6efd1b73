"""The first command of a checkout, without what it installs."""

import os
import stat
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from clients import environment, start


@pytest.mark.skipif(os.name != "posix", reason="a process can't be replaced here")
def test_it_becomes_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    became: list[list[str]] = []
    monkeypatch.setattr(start, "ready", lambda: Path(sys.executable))
    monkeypatch.setattr(os, "execv", lambda _, command: became.append(command))
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess((), 0))
    start.main(["fill", "x.py"])
    start.main([])
    assert became == [
        [sys.executable, "-m", "clients.cli", "fill", "x.py"],
        [sys.executable, "-m", "clients.cli", "demo"],
    ]


@pytest.mark.skipif(os.name != "posix", reason="shell scripts stand for Python")
def test_a_half_made_environment_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()

    def program(status: int) -> None:
        python.write_text(f"#!/bin/sh\nexit {status}\n")
        python.chmod(python.stat().st_mode | stat.S_IXUSR)

    def create(folder: Path, **_: Any) -> None:
        made.append(folder)
        program(0)

    made: list[Path] = []
    monkeypatch.setattr(environment, "FOLDER", tmp_path)
    monkeypatch.setattr(venv, "create", create)
    program(1)
    assert environment.ready() == python
    assert made == [tmp_path]
    (tmp_path / "installed-plain").unlink()
    environment.ready()
    assert made == [tmp_path], "one with pip is kept"


@pytest.mark.skipif(os.name != "posix", reason="links stand for Python")
def test_an_environment_whose_python_has_gone_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[bool] = []

    def create(_: Path, *, clear: bool, **__: Any) -> None:
        made.append(clear)
        python.unlink()
        python.symlink_to(works)

    works = tmp_path / "works"
    works.write_text("#!/bin/sh\n")
    works.chmod(0o755)
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(works)
    monkeypatch.setattr(environment, "FOLDER", tmp_path)
    monkeypatch.setattr(venv, "create", create)
    environment.ready()
    assert not made
    python.unlink()
    python.symlink_to(tmp_path / "uninstalled")
    assert environment.ready() == python
    assert made == [True]


@pytest.mark.parametrize(
    "error", [subprocess.CalledProcessError(1, "ensurepip"), PermissionError(13, "denied")]
)
def test_an_environment_that_can_not_be_made_is_explained(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
) -> None:
    def create(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(environment, "FOLDER", tmp_path / "none")
    monkeypatch.setattr(venv, "create", create)
    with pytest.raises(SystemExit) as end:
        environment.ready()
    assert end.value.code == 3, "1 would mean that nothing changed"
    assert "install python3-venv" in capsys.readouterr().err


def test_an_interrupt_while_setting_up_is_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def create(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(environment, "FOLDER", tmp_path / "none")
    monkeypatch.setattr(venv, "create", create)
    with pytest.raises(SystemExit) as end:
        environment.ready()
    assert end.value.code == 130
    assert "interrupted" in capsys.readouterr().err
