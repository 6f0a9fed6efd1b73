"""Opens what is measured: the model once, and engines over it whose caches are empty."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from engine.backend import open_model
from engine.config import Dtype, EngineConfig
from engine.local import LocalEngine
from models.loader import Model


@dataclass(frozen=True, slots=True)
class Bench:
    """One loaded model and the settings of every engine that is opened over it."""

    model: Model
    config: EngineConfig

    @property
    def dtype(self) -> str:
        """The number type the weights are multiplied in."""
        return str(self.model.transformer.dtype).removeprefix("torch.")

    def engine(self, batch_jobs: int = 8) -> LocalEngine:
        """An engine that has seen nothing yet."""
        return LocalEngine(self.model, replace(self.config, batch_jobs=batch_jobs))


def open_bench(folder: Path | None, dtype: str, threads: int, prefix_tokens: int = 2048) -> Bench:
    """Load the model on the CPU."""
    config = EngineConfig(
        model=folder,
        device="cpu",
        dtype=cast(Dtype, dtype),
        threads=threads,
        prefix_tokens=prefix_tokens,
    )
    return Bench(open_model(config), config)
