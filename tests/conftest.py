"""Fixtures that several packages' tests share, and the order: end-to-end tests last."""

import dataclasses
from pathlib import Path

import pytest
import torch

from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import DEFAULT_MODEL, Model, load
from models.tokenizer import Tokenizer
from tests.tiny import byte_tokenizer, tiny_model


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("e2e") is not None)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A tiny random model in fp32."""
    return tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def lacking(tiny: Model) -> Model:
    """The tiny model, whose vocabulary can't spell U+0004 and U+001D."""
    tokenizer = Tokenizer(byte_tokenizer("\x04\x1d"), tiny.config.vocabulary)
    return dataclasses.replace(tiny, tokenizer=tokenizer)


@pytest.fixture
def tiny_engine(tiny: Model) -> LocalEngine:
    """An engine on the tiny model."""
    return LocalEngine(tiny, EngineConfig(threads=1))


@pytest.fixture(scope="session")
def default_model_folder() -> Path:
    """The folder of the model that ships with the package."""
    if not (DEFAULT_MODEL / "config.json").is_file():
        pytest.skip("the default model's weights are not here")
    return DEFAULT_MODEL


@pytest.fixture(scope="session")
def default_model(default_model_folder: Path) -> Model:
    """The default model in fp32, on one thread."""
    torch.set_num_threads(1)
    return load(default_model_folder, torch.float32, torch.device("cpu"))
