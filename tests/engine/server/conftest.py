"""Servers that several tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.server.config import ServerConfig
from engine.server.token import ensure_token, read_token
from tests.engine.server.inline import InlineHub
from tests.engine.server.running import Running, running


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    """A server without a token."""
    with running() as it:
        yield it


@pytest.fixture(scope="module")
def slow() -> Iterator[Running]:
    """A server whose engine takes 20 ms a step."""
    with running(InlineHub(step_seconds=0.02)) as it:
        yield it


@pytest.fixture(scope="module")
def token_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A token file."""
    path = tmp_path_factory.mktemp("state") / "token"
    ensure_token(path)
    return path


@pytest.fixture(scope="module")
def token(token_file: Path) -> str:
    """The token in it."""
    return read_token(token_file)


@pytest.fixture(scope="module")
def locked(token_file: Path) -> Iterator[Running]:
    """A server that wants the token."""
    config = ServerConfig(port=0, token_file=token_file, allowed_origins=("https://good.example",))
    with running(config=config) as it:
        yield it
