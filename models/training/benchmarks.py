"""A checkpoint on the benchmarks: `python -m models.training.benchmarks MODEL OUT [PROBLEMS]`.

Runs the commands of `tests/bench` that say how good a model is (pass@1 of fills, passes against
quality on held-out lines with its picture, EditEval) and gathers their tables with commit and seed
in OUT/benchmarks.json. Each command goes on where it was stopped. What chooses a checkpoint are
held-out packages alone: `evaluate`, and the curve's token agreement; never pass@1 or EditEval.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SEED = 42
POLICIES = "causal,speculate,threshold"
Command = Callable[[Path, Path, int], list[str]]
Start = Callable[[Sequence[str]], int]


def _fill(section: str, model: Path, out: Path) -> list[str]:
    words = ["tests.bench.fill", section, "--model", str(model), "--out", str(out)]
    return [*words, "--seed", str(SEED), "--policies", POLICIES]


def _quality(model: Path, out: Path, problems: int) -> list[str]:
    return [*_fill("quality", model, out), "--problems", str(problems), "--deadlines", ""]


def _curve(model: Path, out: Path, problems: int) -> list[str]:
    return [*_fill("curve", model, out), "--lines", str(max(8, problems // 4))]


def _edit(model: Path, out: Path, problems: int) -> list[str]:
    return ["tests.bench.edit", "--model", str(model), "--out", str(out), "--seed", str(SEED)]


RUNS: dict[str, Command] = {"quality": _quality, "curve": _curve, "edit": _edit}
"""The commands by the name of the table that each writes."""


def benchmarks(model: Path, out: Path, problems: int, start: Start) -> dict[str, Any]:
    """All tables; SystemExit if a command fails, with what is measured kept for the next run."""
    if not (ROOT / "tests" / "bench").is_dir():
        raise SystemExit("The benchmarks are in the repository, not in the installed package.")
    model, out = model.resolve(), out.resolve()
    tables: dict[str, Any] = {"model": str(model), "seed": SEED, "problems": problems}
    for name, command in RUNS.items():
        words = command(model, out, problems)
        if status := start([sys.executable, "-m", *words]):
            raise SystemExit(f"`python -m {' '.join(words)}` ended with status {status}.")
        tables[name] = json.loads((out / f"{name}.json").read_bytes())
        (out / "benchmarks.json").write_text(json.dumps(tables, indent=1), "utf-8")
    return tables


def _run(words: Sequence[str]) -> int:
    return subprocess.run(words, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    count = int(sys.argv[3]) if len(sys.argv) == 4 else 500
    print(json.dumps(benchmarks(Path(sys.argv[1]), Path(sys.argv[2]), count, _run), indent=1))
