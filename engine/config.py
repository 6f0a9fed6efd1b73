"""What an engine is started with; checked once, passed down, never read from the environment."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Device = Literal["auto", "cpu", "cuda", "mps"]
Dtype = Literal["auto", "bfloat16", "float32"]


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Settings of one engine.

    Attributes:
        model: folder of the checkpoint; None is the model in the package.
        threads: CPU threads; None takes as many physical cores as are free now.
        cache_bytes: most bytes of key/value tensors kept between fills.
        prefix_tokens: most tokens of text before the hole that the model sees.
        batch_jobs: most fills that take a step together.
        constraint_cache: folder of compiled constraints; None keeps them in memory alone.
    """

    model: Path | None = None
    device: Device = "auto"
    dtype: Dtype = "auto"
    threads: int | None = None
    cache_bytes: int = 512 << 20
    prefix_tokens: int = 2048
    batch_jobs: int = 8
    constraint_cache: Path | None = None

    def __post_init__(self) -> None:
        if self.threads is not None and not 1 <= self.threads <= 1024:
            raise ValueError(f"threads must be 1 to 1024, not {self.threads}")
        if not 256 <= self.prefix_tokens <= 7168:
            raise ValueError(f"prefix_tokens must be 256 to 7168, not {self.prefix_tokens}")
        if self.cache_bytes < 0 or self.batch_jobs < 1:
            raise ValueError("cache_bytes can't be negative and batch_jobs is at least 1")
