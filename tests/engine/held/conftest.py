"""An engine on the tiny model whose compile process ends with the test."""

from collections.abc import Iterator

import pytest

from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model


@pytest.fixture(scope="module")
def engine(tiny: Model) -> Iterator[LocalEngine]:
    """One engine for a module: what it compiled stays."""
    found = LocalEngine(tiny, EngineConfig(threads=1))
    yield found
    found.close()
