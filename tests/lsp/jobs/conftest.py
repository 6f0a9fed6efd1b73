"""Servers for tests of jobs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.jobs.engine import Serving, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serving]:
    """A server with scripted answers, of this test alone."""
    with serving(tmp_path / "state") as server:
        yield server
