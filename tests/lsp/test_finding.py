"""Finding a server by what it left in a folder: the runtime file, its lock, the token."""

import re
from pathlib import Path

import pytest
from filelock import FileLock

from lsp_server.link.finding import LinkError, find_endpoint, fixed_endpoint, read_token
from protocol.runtime import FILE, LOCK, MOST_BYTES, parse_runtime


def test_a_lock_that_cant_be_opened_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / LOCK).touch()
    (tmp_path / FILE).write_text(
        '{"pid":1,"host":"127.0.0.1","port":9,"version":"0","model":"m","token_file":null}'
    )

    def refuse(lock: FileLock, timeout: float) -> None:
        raise PermissionError(13, "Permission denied", lock.lock_file)

    monkeypatch.setattr(FileLock, "acquire", refuse)
    with pytest.raises(LinkError, match=re.escape(str(tmp_path)) + ".*Permission denied"):
        find_endpoint(tmp_path)


def test_a_token_in_a_folder_that_cant_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refuse)
    with pytest.raises(LinkError, match="can't be used"):
        fixed_endpoint(tmp_path, "127.0.0.1", 7)


def test_what_a_dead_server_left_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text(
        '{"pid":1,"host":"127.0.0.1","port":9,"version":"0","model":"m","token_file":null}'
    )
    assert find_endpoint(tmp_path) is None
    assert parse_runtime(b"{}") is None
    assert parse_runtime(b" " * (MOST_BYTES + 1)) is None
    assert parse_runtime(b"\xff") is None


def test_a_token_that_others_can_read_is_not_shown(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret\n")
    token.chmod(0o644)
    with pytest.raises(LinkError, match="chmod 600"):
        read_token(token)
    token.chmod(0o600)
    assert read_token(token) == "secret"
    for wrong in ("", "a\nb", "é"):
        token.write_text(wrong)
        with pytest.raises(LinkError, match="holds no token"):
            read_token(token)
