"""The command line fixture."""

from pathlib import Path

import pytest

from tests.clients.cli.harness import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """A command line in an empty folder, with an engine that answers `pass`."""
    return Cli(tmp_path)
