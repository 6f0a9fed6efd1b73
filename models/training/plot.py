"""A run's losses as a PNG: `python -m models.training.plot RUN OUT.png`; needs matplotlib."""

import json
import sys
from pathlib import Path
from typing import Any

SMOOTH = 0.95


def read_log(run: Path) -> list[dict[str, Any]]:
    """The run's log lines."""
    return [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]


def smoothed(values: list[float]) -> list[float]:
    """Exponential average without the bias of its start."""
    out, mean, weight = [], 0.0, 0.0
    for value in values:
        mean, weight = SMOOTH * mean + value, SMOOTH * weight + 1
        out.append(mean / weight)
    return out


def plot(run: Path, out: Path) -> None:
    """Training loss by kind of row, and held-out NLL by mask rate, over canvas rows."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    steps = [line for line in read_log(run) if "real" in line]
    held = [line for line in read_log(run) if "held" in line]
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    for kind in ("real", "tail", "noise"):
        rows = [line["canvas_rows"] / 1e6 for line in steps]
        axes.plot(rows, smoothed([line[kind] for line in steps]), alpha=0.5, label=f"train, {kind}")
    for rate in held[-1]["held"] if held else ():
        points = [(line["canvas_rows"] / 1e6, line["held"].get(rate)) for line in held]
        axes.plot(*zip(*points, strict=True), "o-", label=f"held out, {rate}")
    axes.set(xlabel="million canvas rows", ylabel="nats a token", title=run.name)
    axes.legend()
    figure.savefig(out, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: python -m models.training.plot RUN OUT.png")
    plot(Path(sys.argv[1]), Path(sys.argv[2]))
