"""All that decides a training run."""

from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from models.layout import Layout
from models.loader import DEFAULT_MODEL
from models.training.masks import ReadingName

NAME = "settings.json"
"""In a run's folder."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that decides a run; rows and steps are per optimiser step and over all processes."""

    shards: str
    model: str = str(DEFAULT_MODEL)
    workers: int = 1
    device: str = "cpu"
    compiled: bool = True
    reading: ReadingName = "canvas"
    """Whose adapters are trained; those of the causal reading are a set of their own."""
    fresh: bool = False
    """Start from untrained adapters instead of the model's."""
    rank: int = 64
    """Of the adapters; 0 trains whole matrices instead, which only `ablations` does."""
    origin: int = 512
    """Where the prefix starts; below 512 there is less room for references."""
    noisy: bool = True
    """Whether one slot of a canvas shows wrong tokens that are to be put right."""
    align: float = 0.0
    """Weight of the distance to the frozen base's rows (see models.training.align)."""
    rows: int = 2400
    pass_rows: int = 1200
    steps: int = 1_000_000
    seconds: float = 1e9
    """The run ends after so many steps, or so many seconds of this start."""
    warm: int = 30
    decay_from: float = 1.0
    """Part of the run after which the rate falls."""
    samplers: int = 0
    """Processes that prepare passes ahead; 0 prepares them in line."""
    rate: float = 1e-3
    weight_decay: float = 0.01
    clip: float = 1.0
    average: float = 0.995
    seed: int = 1
    save_seconds: float = 600.0
    held_every: int = 2
    """Held-out figures at every so many saves."""
    held_count: int = 96
    edits: float = 0.15
    taught: float = 0.0
    """Share of the items whose lines the causal reading writes (see models.training.teacher)."""
    soft: float = 0.0
    """What the causal reading expects weighs so much in the targets of slots it can speak for."""


def read_settings(run: Path) -> Settings:
    """Those that the run in the folder `run` was started with."""
    return msgspec.json.decode((run / NAME).read_bytes(), type=Settings)


def learning_rate(settings: Settings, step: int, progress: float) -> float:
    """Warm-up, stable, then linear decay to 3 % over the last part of the run."""
    warm = min(1.0, (step + 1) / settings.warm)
    left = (1 - progress) / max(1e-9, 1 - settings.decay_from)
    return settings.rate * warm * (max(0.03, left) if progress >= settings.decay_from else 1.0)


def layout(origin: int) -> Layout:
    """Windows before a prefix that starts at `origin`, 128 or more."""
    usual = Layout()
    return replace(usual, reference_stop=min(usual.reference_stop, origin), prefix_origin=origin)
