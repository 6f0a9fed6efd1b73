"""The benchmarks of a checkpoint: every table gathered, a failure said, options that exist."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from models.training import benchmarks as module
from models.training.benchmarks import ROOT, RUNS, benchmarks


def writes(out: Path, seen: list[list[str]], fails: str = "") -> module.Start:
    """A start that writes the table that a command would."""

    def start(words: Sequence[str]) -> int:
        seen.append(list(words))
        name = list(RUNS)[len(seen) - 1]
        (out / f"{name}.json").write_text(json.dumps({"rows": [name]}))
        return 3 if name == fails else 0

    return start


def test_all_tables_are_gathered(tmp_path: Path) -> None:
    seen: list[list[str]] = []
    tables = benchmarks(tmp_path / "model", tmp_path, 40, writes(tmp_path, seen))
    assert [tables[name] for name in RUNS] == [{"rows": [name]} for name in RUNS]
    assert json.loads((tmp_path / "benchmarks.json").read_text()) == tables
    assert all(str(tmp_path / "model") in words for words in seen)


def test_a_failure_is_said_and_what_is_done_is_kept(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"tests\.bench\.fill curve .* status 3"):
        benchmarks(tmp_path, tmp_path, 40, writes(tmp_path, [], "curve"))
    assert "quality" in json.loads((tmp_path / "benchmarks.json").read_text())


def test_without_the_repository_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match="in the repository"):
        benchmarks(tmp_path, tmp_path, 40, writes(tmp_path, []))


@pytest.mark.parametrize("name", RUNS)
def test_the_commands_take_these_options(name: str, tmp_path: Path) -> None:
    words = RUNS[name](tmp_path, tmp_path, 40)
    command = [sys.executable, "-m", words[0], "--help"]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert [word for word in words if word.startswith("--") and word not in told] == []
