"""Servers for tests of the language server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.engine import FakeServer, fake_server


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeServer]:
    """A server with scripted answers, of this test alone."""
    with fake_server(tmp_path / "state") as server:
        yield server
