"""The command line over the model that ships: one answer, and weights that are damaged."""

import json
import os
import shutil
import sys
from io import BytesIO
from pathlib import Path

import pytest

from clients.cli.demo import EXAMPLES
from clients.cli.doctor import model_folder
from clients.cli.main import main
from clients.cli.program import Program, open_local_engine
from clients.cli.settings import Settings
from tests.clients.cli.harness import Stream

pytestmark = [pytest.mark.model, pytest.mark.e2e]


def retouch(*arguments: str) -> tuple[int, bytes, str]:
    """Exit code, standard output, standard error of a run on the real engine."""
    stdout, stderr = BytesIO(), Stream()
    environ = {"RETOUCH_CONFIG": os.devnull, "RETOUCH_THREADS": "1"}
    program = Program(open_local_engine, environ, sys.stdin.buffer, stdout, stderr)
    code = main(arguments, program)
    return code, stdout.getvalue(), stderr.getvalue()


def test_a_line_is_filled(tmp_path: Path) -> None:
    path = tmp_path / "orders.py"
    shutil.copyfile(EXAMPLES / "orders.py", path)
    before = path.read_text("utf-8").splitlines(keepends=True)
    code, out, err = retouch("fill", str(path), "--lines", "21", "--in-place", "--json")
    assert code == 0, err
    found = json.loads(out)
    after = path.read_text("utf-8").splitlines(keepends=True)
    assert after == [*before[:20], *found["text"].splitlines(keepends=True), *before[21:]]
    assert "".join(token["text"] for token in found["tokens"]) == found["text"].removesuffix("\n")
    assert found["nfe"] >= found["steps"] > 0
    assert found["written"] and found["model"]


@pytest.mark.parametrize("damage", ["cut", "missing"])
def test_damaged_weights_are_an_engine_failure(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for file in model_folder(Settings()).iterdir():
        (folder / file.name).symlink_to(file)
    shard = folder / "base-00001-of-00009.safetensors"
    shard.unlink()
    if damage == "cut":
        shard.write_bytes((model_folder(Settings()) / shard.name).read_bytes()[:100_000])
    path = tmp_path / "code.py"
    path.write_text("x = 1\n")
    code, out, err = retouch("fill", str(path), "--at", "1:1", "-i", "--model", str(folder))
    assert code == 3, err
    assert "base-00001" in err and "Traceback" not in err
    assert out == b""
    assert path.read_text() == "x = 1\n"
