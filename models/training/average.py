"""The mean of two checkpoints' canvas adapters: `python -m models.training.average A B OUT`.

A and B are of one run, an earlier and a later state, as `export` writes them. Matrices are averaged
one by one, which along one trajectory often writes better texts than either end (stochastic weight
averaging, arXiv 1803.05407). OUT gets canvas-*.safetensors and their index.
"""

import sys
from pathlib import Path

from models.config import ModelConfig
from models.loader import read_config
from models.training.adapters import read_adapters, write_adapters


def average(first: Path, second: Path, out: Path) -> list[str]:
    """The files written; ValueError if the two are not of one shape."""
    config = read_config(first)
    if _shape(config) != _shape(read_config(second)):
        raise ValueError(f"{first} and {second} are not of one shape.")
    ours, theirs = (read_adapters(folder, config) for folder in (first, second))
    mean = {n: ((ours[n].float() + theirs[n].float()) / 2).bfloat16() for n in ours}
    return write_adapters(mean, out)


def _shape(config: ModelConfig) -> tuple[object, ...]:
    """What two checkpoints must have in common for their adapters to be averaged."""
    return config.adapter_rank, config.layers, config.hidden, config.layout


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit("usage: python -m models.training.average A B OUT")
    print("\n".join(average(*map(Path, sys.argv[1:]))))
