"""Answers are kept under a stamp that changes with what they come from, and with nothing else."""

import subprocess
from pathlib import Path

import pytest

from tests.bench.common import provenance

GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a file in each place that counts or doesn't."""
    for name in ("engine/a.py", "tests/bench/fill/a.py", "models/training/a.py", "README.md"):
        write(tmp_path / name, "first")
    write(tmp_path / ".gitignore", "build/")
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*GIT, *command], cwd=tmp_path, check=True)
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    "name", ["engine/a.py", "engine/new.py", "tests/bench/fill/a.py", "tests/bench/new/b.py"]
)
def test_what_asks_and_what_answers_count(name: str, root: Path) -> None:
    clean = provenance.commit()
    write(root / name, "second")
    second = provenance.commit()
    write(root / name, "third")
    assert "+" not in clean
    assert len({clean, second, provenance.commit()}) == 3


@pytest.mark.parametrize(
    "name",
    ["models/training/a.py", "models/training/new.py", "engine/NOTES.md", "engine/build/x", "a.py"],
)
def test_other_files_leave_answers_as_they_are(name: str, root: Path) -> None:
    clean = provenance.commit()
    write(root / name, "second")
    assert provenance.commit() == clean
