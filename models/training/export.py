"""Write a run's averaged adapters as shards: `python -m models.training.export RUN OUT [SCALE]`.

OUT gets canvas-*.safetensors (of a run with reading=causal: causal-*), their index and a
config.json with the layout they were trained in; together with the base's files this is a model.
SCALE multiplies their low-rank terms: a little less than 1 draws them back to the base, which can
do better on texts that no training saw (weight-space ensembling, arXiv 2109.01903).
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from models.config import ModelConfig, read_json
from models.training.adapters import adapter_tensors, write_adapters
from models.training.masks import ReadingName
from models.training.settings import Settings, read_settings
from models.training.state import TrainingState
from models.training.trainer import build

RANKS: dict[ReadingName, str] = {"canvas": "adapter_rank", "causal": "causal_rank"}


def export(run: Path, out: Path, scale: float = 1.0) -> list[str]:
    """The files written."""
    settings = read_settings(run)
    network, config, _ = build(replace(settings, compiled=False, device="cpu"))
    state = TrainingState(network, settings.rate, settings.weight_decay)
    state.resume(run / "state.safetensors")
    state.swap_average()
    tensors = adapter_tensors(network, settings.reading)
    for name in tensors:
        if name.endswith("_b"):
            tensors[name] = tensors[name] * scale
    names = write_adapters(tensors, out, settings.reading)
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
    if len(sys.argv) not in (3, 4):
        raise SystemExit("usage: python -m models.training.export RUN OUT [SCALE]")
    files = export(Path(sys.argv[1]), Path(sys.argv[2]), float((*sys.argv, "1")[3]))
    print("\n".join(files))
