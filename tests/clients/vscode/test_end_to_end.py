"""The packed extension in a real editor."""

import sys
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
