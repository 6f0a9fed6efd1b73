"""Replacing files: all or nothing, and what belongs to the file stays."""

import errno
import os
from pathlib import Path

import pytest

from clients.cli.errors import BadInput
from clients.cli.replace_file import replace_file


def only(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_content_and_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o750)
    replace_file(path, b"new", b"old")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o7777 == 0o750
    assert only(tmp_path) == ["a.py"]


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes here")
def test_extended_attributes_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    replace_file(path, b"new", b"old")
    assert os.getxattr(path, "user.note") == b"kept"


@pytest.mark.parametrize("content", [b"other", b"old and more", b""])
def test_a_file_that_changed_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(content)
    with pytest.raises(BadInput, match="changed while"):
        replace_file(path, b"new", b"old")
    assert path.read_bytes() == content
    assert only(tmp_path) == ["a.py"]


def test_a_file_that_went_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="unchanged"):
        replace_file(tmp_path / "a.py", b"new", b"old")
    assert only(tmp_path) == []


@pytest.mark.parametrize(
    ("call", "number", "words"),
    [
        ("fsync", errno.ENOSPC, "no space left"),
        ("fsync", errno.EDQUOT, "no space left"),
        ("fsync", errno.EIO, "can't be written"),
        ("fchmod", errno.EPERM, "no permission"),
    ],
)
def test_a_failure_leaves_the_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, words: str
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(BadInput, match=words):
        replace_file(path, b"new", b"old")
    assert path.read_bytes() == b"old"
    assert only(tmp_path) == ["a.py"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")

    def on_full_disk(prefix: str, suffix: str, dir: Path) -> tuple[int, str]:
        name = dir / f"{prefix}x{suffix}"
        name.touch()
        return os.open("/dev/full", os.O_WRONLY), str(name)

    monkeypatch.setattr("tempfile.mkstemp", on_full_disk)
    with pytest.raises(BadInput, match="no space left"):
        replace_file(path, b"new", b"old")
    assert path.read_bytes() == b"old"
    assert only(tmp_path) == ["a.py"]


def test_a_file_without_write_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(BadInput, match="no permission to write"):
        replace_file(path, b"new", b"old")
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_write_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(BadInput, match="no permission to write"):
            replace_file(path, b"new", b"old")
    finally:
        tmp_path.chmod(0o700)
    assert path.read_bytes() == b"old"


def test_an_interrupt_leaves_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace_file(path, b"new", b"old")
    assert path.read_bytes() == b"old"
    assert only(tmp_path) == ["a.py"]
