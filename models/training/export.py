"""Write a run's averaged adapters as checkpoint shards: `python -m models.training.export RUN OUT`.

OUT gets canvas-*.safetensors (of a run with reading=causal: causal-*), their index and a
config.json with the layout they were trained in; together with the base's files this is a model.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from models.config import ModelConfig, read_json
from models.training.adapters import adapter_tensors, write_adapters
from models.training.masks import ReadingName
from models.training.state import TrainingState
from models.training.trainer import Settings, build

RANKS: dict[ReadingName, str] = {"canvas": "adapter_rank", "causal": "causal_rank"}


def export(run: Path, out: Path) -> list[str]:
    """The files written."""
    settings = msgspec.json.decode((run / "settings.json").read_bytes(), type=Settings)
    network, config, _ = build(replace(settings, compiled=False, device="cpu"))
    state = TrainingState(network, settings.rate, settings.weight_decay)
    state.resume(run / "state.safetensors")
    state.swap_average()
    names = write_adapters(adapter_tensors(network, settings.reading), out, settings.reading)
    raw = read_json(Path(settings.model) / "config.json")
    _write_config(out / "config.json", raw, config, settings)
    return names


def _write_config(path: Path, raw: dict[str, Any], config: ModelConfig, settings: Settings) -> None:
    layout = config.layout
    raw["retouch"][RANKS[settings.reading]] = settings.rank
    raw["retouch"]["layout"] = {
        "suffix": [layout.suffix_start, layout.suffix_stop],
        "reference": [layout.reference_start, layout.reference_stop],
        "prefix_origin": layout.prefix_origin,
    }
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(raw, indent=1) + "\n")
    partial.replace(path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: python -m models.training.export RUN OUT")
    print("\n".join(export(Path(sys.argv[1]), Path(sys.argv[2]))))
