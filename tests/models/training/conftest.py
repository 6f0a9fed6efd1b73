"""A tiny checkpoint, a tiny shard made from text written here, and what a trainer needs of both."""

import random
from pathlib import Path

import pytest
import torch

from models.config import ModelConfig
from models.loader import Model, read_config
from models.training.kernels import Fused
from models.training.network import Network, read_base
from models.training.settings import Settings
from models.training.shards import Document, write_shard
from tests.tiny import RETOUCH, SHAPE, write_checkpoint


def source(number: int) -> str:
    """A module of simple functions that differ in names and numbers."""
    rng = random.Random(number)
    lines = [f'"""Module {number}."""', "", "import os"]
    for index in range(12):
        name, value = rng.choice(["load", "save", "find", "keep"]), rng.randrange(100)
        lines += ["", "", f"def {name}_{index}(path, limit={value}):", f"    # keep {name}"]
        lines += [f"    if path == limit and path != {value}:", f"        return path + {value}"]
        lines += [f"    total = limit + {value}", f'    return {name}(total, "text", path)']
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint folder whose layout is the one of training."""
    path = tmp_path_factory.mktemp("checkpoint")
    layout = {"suffix": [0, 128], "reference": [128, 512], "prefix_origin": 512}
    write_checkpoint(path, {**SHAPE, "retouch": {**RETOUCH, "layout": layout}})
    return path


@pytest.fixture(scope="session")
def config(folder: Path) -> ModelConfig:
    """That of the checkpoint."""
    return read_config(folder)


@pytest.fixture(scope="session")
def shards(tmp_path_factory: pytest.TempPathFactory, tiny: Model) -> Path:
    """Two splits of generated modules, tokenised with the tiny tokenizer."""
    path = tmp_path_factory.mktemp("shards")
    for split, numbers in (("train", range(6)), ("held", range(6, 8))):
        documents = [
            Document(tiny.tokenizer.encode(source(n)), f"p{n // 3}", "Python", f"p{n // 3}/m{n}.py")
            for n in numbers
        ]
        write_shard(path / split, documents)
    return path


def make_network(folder: Path, config: ModelConfig, rank: int | None = None) -> Network:
    """An fp32 network over the base in `folder`, not compiled."""
    base = read_base(folder, config, torch.float32, torch.device("cpu"))
    return Network(config, base, rank or config.adapter_rank, Fused(compiled=False))


def settings(folder: Path, shards: Path) -> Settings:
    """A run of few steps from untrained adapters."""
    return Settings(
        shards=str(shards),
        model=str(folder),
        compiled=False,
        fresh=True,
        rank=4,
        rows=300,
        pass_rows=150,
        warm=1,
        held_count=4,
        steps=4,
    )
