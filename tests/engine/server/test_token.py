"""TokenFile: private, constant, replaced at once, never empty."""

import stat
from pathlib import Path

import pytest

from engine.errors import EngineError
from engine.server.token import TokenFile, ensure_token, read_token


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state" / "token"
    ensure_token(path)
    return path


def test_a_token_is_made_once_for_its_owner_alone(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    token = read_token(path)
    assert len(token) >= 40
    ensure_token(path)
    assert read_token(path) == token


def test_a_token_that_others_can_read_is_refused(path: Path) -> None:
    path.chmod(0o644)
    with pytest.raises(EngineError, match="chmod 600"):
        ensure_token(path)
    assert not TokenFile(path).accepts(path.read_text().strip())


@pytest.mark.parametrize("text", ["", " \n", "x" * 5000, "a\nb", "a\x00b", "\u00e9t\u00e9"])
def test_files_without_a_token_are_refused(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(EngineError):
        read_token(path)
    assert not TokenFile(path).accepts(text)
    assert not TokenFile(path).accepts("")


def test_bytes_that_are_no_text_are_no_token(path: Path) -> None:
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(EngineError, match="holds no token"):
        ensure_token(path)
    assert not TokenFile(path).accepts("x")


def test_a_token_file_that_cant_be_made_is_named(path: Path) -> None:
    with pytest.raises(EngineError, match="can't be used"):
        ensure_token(path / "token")


def test_a_new_token_drops_the_old_one(path: Path) -> None:
    tokens = TokenFile(path)
    old = read_token(path)
    assert tokens.accepts(old)
    assert not tokens.accepts(old + "x")
    assert not tokens.accepts(old[:-1])
    path.unlink()
    assert not tokens.accepts(old)
    ensure_token(path)
    assert not tokens.accepts(old)
    assert tokens.accepts(read_token(path))


def test_odd_characters_are_no_token(path: Path) -> None:
    assert not TokenFile(path).accepts("\u00e9\udcff")
