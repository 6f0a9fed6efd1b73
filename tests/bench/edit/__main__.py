"""`python -m tests.bench.edit`: EditEval, edits that are asked for in words and tested.

A rewrite is given the lines that the person's edit touches (oracle place) and their number.
"""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from tests.bench.common.provenance import ROOT, load, provenance, stamp
from tests.bench.common.records import Stamped, write_bytes, write_json
from tests.bench.common.sandbox import run_programs
from tests.bench.common.stats import mean, percentile, wilson
from tests.bench.edit.arms import ARMS
from tests.bench.edit.data import Task, sizes, tasks, total
from tests.bench.fill.data import MissingData
from tests.bench.fill.engines import Bench, open_bench

OUT = ROOT / "build" / "bench-edit"
COLUMNS = (
    "arm",
    "tasks",
    "pass",
    "95%",
    "gold's text",
    "unchanged",
    "diff lines",
    "gold's",
    "NFE",
    "s",
)


def main(arguments: list[str]) -> int:
    """Measure and write the table; 1 if data is missing."""
    options = _parser().parse_args(arguments)
    torch.set_num_threads(options.threads)
    try:
        wanted = tasks(options.tasks, options.seed)
    except MissingData as error:
        print(f"skipped: {error}", flush=True)
        return 1
    bench = open_bench(options.model, options.dtype, options.threads)
    about = provenance(options.threads)
    records = Stamped(options.out / "records.jsonl", stamp(bench.model))
    rows: list[dict[str, Any]] = []
    for arm in options.arms.split(";"):
        rows.append(_row(arm, wanted, _measured(bench, records, arm, wanted)))
        print(markdown(rows[-1:]), f"load {load()}", flush=True)
        write_json(options.out / "edit.json", {"about": about, "rows": rows})
        write_bytes(options.out / "edit.md", markdown(rows).encode())
    return 0


def _measured(bench: Bench, records: Stamped, arm: str, wanted: list[Task]) -> list[dict[str, Any]]:
    """A record for each task, made now or earlier."""
    client, found = bench.engine(), []
    for task in wanted:
        key = records.key(arm, asdict(task))
        if (done := records.get(key)) is None:
            edited = ARMS[arm](client, task)
            done = records.add(
                key, task=task.name, text=edited.text, forwards=edited.forwards, ms=edited.ms
            )
        found.append(done)
    return found


def _row(arm: str, wanted: list[Task], found: list[dict[str, Any]]) -> dict[str, Any]:
    pairs = list(zip(wanted, found, strict=True))
    passed = [o.passed for o in run_programs([task.program(one["text"]) for task, one in pairs])]
    ours, gold = total([sizes(task, one["text"]) for task, one in pairs])
    return {
        "arm": arm,
        "tasks": len(pairs),
        "pass": mean(passed),
        "interval": wilson(sum(passed), len(passed)),
        "exact": mean([one["text"] == task.gold for task, one in pairs]),
        "unchanged": mean([one["text"] == task.source for task, one in pairs]),
        "lines": ours / len(pairs),
        "gold_lines": gold / len(pairs),
        "forwards": mean([one["forwards"] for one in found]),
        "seconds": percentile([one["ms"] / 1000 for one in found], 0.5),
    }


def markdown(rows: list[dict[str, Any]]) -> str:
    """The table; `s` is the median time of an edit."""
    text = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for one in rows:
        low, high = one["interval"]
        cells = (
            one["arm"],
            one["tasks"],
            f"{100 * one['pass']:.1f}%",
            f"{100 * low:.1f}-{100 * high:.1f}%",
            f"{100 * one['exact']:.1f}%",
            f"{100 * one['unchanged']:.1f}%",
            f"{one['lines']:.1f}",
            f"{one['gold_lines']:.1f}",
            f"{one['forwards']:.1f}",
            f"{one['seconds']:.2f}",
        )
        text.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(text) + "\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.edit", description=__doc__)
    add = parser.add_argument
    add("--out", type=Path, default=OUT, help="folder of results; a second run goes on from there")
    add("--tasks", type=int, default=194, help="how many of the 194, shuffled by the seed")
    add("--arms", default=";".join(ARMS), help="with semicolons between them")
    add("--model", type=Path, help="folder of a checkpoint; the packaged one by default")
    add("--dtype", default="auto", choices=("auto", "bfloat16", "float32"))
    add("--threads", type=int, default=torch.get_num_threads())
    add("--seed", type=int, default=42)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
