"""Does it matter? `python -m models.training.ablations SHARDS OUT [SECONDS [NAME ...]]`.

Trains every variant from untrained adapters for the same time (SECONDS, 300 by default, on two
processes) and puts their held-out losses side by side, in OUT/ablations.json and OUT/ablations.md.
A variant that is done isn't trained again; one that had other settings is refused. Runs this short
say what learns faster, not what is best in the end.
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from models.training.plot import read_log
from models.training.settings import NAME, Settings, read_settings
from models.training.trainer import train

VARIANTS: dict[str, dict[str, Any]] = {
    "rank 64": {},
    "rank 32": {"rank": 32},
    "rank 128": {"rank": 128},
    "whole matrices, rate 1e-4": {"rank": 0, "rate": 1e-4},
    "whole matrices, rate 3e-4": {"rank": 0, "rate": 3e-4},
    "no noisy slot": {"noisy": False},
    "aligned to the base": {"align": 10.0},
    "prefix from 128": {"origin": 128},
    "prefix from 1024": {"origin": 1024},
}
ROWS = 1200
"""Half of the usual ones a step: so short a run is better off with more steps."""
WARM = 15
DECAY = 0.6
AVERAGE = 0.97
Figures = dict[str, Any]


def ablations(
    usual: Settings, out: Path, names: Sequence[str], trained: Callable[[Settings, Path], None]
) -> list[Figures]:
    """The figures of each variant, after training those that are not done."""
    rows = []
    for name in names:
        folder = out / name.replace(" ", "-")
        if not _done(folder, varied(usual, name)):
            trained(varied(usual, name), folder)
        rows.append({"variant": name, **_figures(folder)})
        (out / "ablations.json").write_text(json.dumps(rows, indent=1), "utf-8")
        (out / "ablations.md").write_text(markdown(rows), "utf-8")
    return rows


def varied(usual: Settings, name: str) -> Settings:
    """The settings of a variant; SystemExit with the names there are if it is none."""
    if name not in VARIANTS:
        raise SystemExit(f"There is no variant {name!r}; there are: {', '.join(VARIANTS)}.")
    return replace(usual, **VARIANTS[name])


def _done(folder: Path, settings: Settings) -> bool:
    """Whether a run there came to its end: the last line of its log are the held-out figures.

    SystemExit if it had other settings: going on from there would mix the two.
    """
    log = folder / "log.jsonl"
    if (folder / NAME).exists() and read_settings(folder) != settings:
        raise SystemExit(f"{folder} was trained with other settings. Give another OUT.")
    return log.exists() and "held" in (read_log(folder) or [{}])[-1]


def _figures(folder: Path) -> Figures:
    last = read_log(folder)[-1]
    return {"rows": last["canvas_rows"], "steps": last["step"], **last["held"]}


def markdown(rows: Sequence[Figures]) -> str:
    """The table: nats a token at each rate of masks, and of the end marks (`tail`)."""
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    for row in rows:
        cells = [f"{v:.3f}" if isinstance(v, float) else f"{v:,}" for v in list(row.values())[1:]]
        lines.append("| " + " | ".join([row["variant"], *cells]) + " |")
    return "\n".join(lines) + "\n"


def usual_settings(shards: str, seconds: float) -> Settings:
    """What the variants have in common."""
    return Settings(
        shards=shards,
        workers=2,
        fresh=True,
        rows=ROWS,
        seconds=seconds,
        warm=WARM,
        decay_from=DECAY,
        average=AVERAGE,
        save_seconds=seconds,
        held_every=1_000_000,
        edits=0.0,
    )


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    chosen = sys.argv[4:] or list(VARIANTS)
    where = Path(sys.argv[2])
    where.mkdir(parents=True, exist_ok=True)
    time = float(sys.argv[3]) if len(sys.argv) > 3 else 300.0
    print(markdown(ablations(usual_settings(sys.argv[1], time), where, chosen, train)))
