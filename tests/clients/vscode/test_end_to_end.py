"""The packed extension in a real editor."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.vscode.conftest import Editor, Extension

pytestmark = [pytest.mark.vscode, pytest.mark.e2e, pytest.mark.timeout(1200)]
ROOT = Path(__file__).parents[3]
SCRIPT = "tests.clients.vscode.scripted_server"


def program(where: Path, text: str) -> Path:
    """An executable shell script."""
    where.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    where.chmod(0o755)
    return where


def test_with_a_scripted_server(
    extension: Extension, editor: Editor, packed: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pygls")
    log = tmp_path / "asked.jsonl"
    start = f'cd "{ROOT}" && exec "{sys.executable}" -m {SCRIPT} "{log}"'
    python = program(
        tmp_path / "python", f'case "$*" in *"-m lsp_server"*) {start} ;; *) echo 0 ;; esac'
    )
    plan = editor.plan(packed, python, log)
    assert "fail 0" in extension.npm("run", "e2e", "scripted", RETOUCH_E2E=plan)


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Path]:
    """A runtime folder of our own; the engine that was started in it is stopped."""
    folder = tmp_path / "runtime"
    yield folder
    for file in folder.glob("*.json"):
        pid = json.loads(file.read_text(encoding="utf-8")).get("pid")
        if isinstance(pid, int) and pid > 1:
            os.kill(pid, signal.SIGTERM)


@pytest.mark.model
@pytest.mark.usefixtures("default_model_folder")
def test_with_the_default_model(
    extension: Extension, editor: Editor, packed: Path, tmp_path: Path, runtime: Path
) -> None:
    look = [sys.executable, "-I", "-c", "import lsp_server"]
    if subprocess.run(look, capture_output=True, check=False).returncode:
        pytest.skip("the language server is not installed in this Python")
    start = f'exec "{sys.executable}" "$@" --folder "{runtime}"'
    python = program(
        tmp_path / "python",
        f'case "$*" in *"-m lsp_server"*) {start} ;; *) exec "{sys.executable}" "$@" ;; esac',
    )
    plan = editor.plan(packed, python, tmp_path / "unused")
    assert "fail 0" in extension.npm("run", "e2e", "model", RETOUCH_E2E=plan)
