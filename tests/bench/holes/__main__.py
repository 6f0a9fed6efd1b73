"""`python -m tests.bench.holes`: do several holes agree on a name, filled together or not?

From HumanEval and MBPP solutions every mention of a local name is cut out. Any name passes the
tests, if it is a new one and the same in all holes. Lengths are known (oracle).
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
from tests.bench.common.stats import mean, paired, wilson
from tests.bench.fill.data import MissingData
from tests.bench.fill.engines import Bench, open_bench
from tests.bench.fill.lengths import OracleLength
from tests.bench.holes.arms import ARMS
from tests.bench.holes.names import Named, named
from tests.bench.revision.data import solved

OUT = ROOT / "build" / "bench-holes"
LEAD = "canvas, together"
COLUMNS = ("holes", "arm", "items", "pass", "95%", "agree", "true name", "NFE", "p")


def main(arguments: list[str]) -> int:
    """Measure and write the table; 1 if data is missing."""
    options = _parser().parse_args(arguments)
    torch.set_num_threads(options.threads)
    try:
        programs = solved()
    except MissingData as error:
        print(f"skipped: {error}", flush=True)
        return 1
    bench = open_bench(options.model, options.dtype, options.threads)
    about = provenance(options.threads)
    records = Stamped(options.out / "records.jsonl", stamp(bench.model))
    rows: list[dict[str, Any]] = []
    for holes in (2, 3):
        items = named(programs, holes, options.items, options.seed)
        found = {arm: _measured(bench, records, arm, items) for arm in options.arms.split(";")}
        rows += [_row(holes, arm, found) for arm in found]
        print(markdown(rows), f"load {load()}", flush=True)
        write_json(options.out / "holes.json", {"about": about, "rows": rows})
        write_bytes(options.out / "holes.md", markdown(rows).encode())
    return 0


def _measured(bench: Bench, records: Stamped, arm: str, items: list[Named]) -> list[dict[str, Any]]:
    """A record for each item, made now or earlier."""
    fills, policy = ARMS[arm]
    client = bench.engine()
    lengths = OracleLength(bench.model.config, bench.model.tokenizer)
    found = []
    for item in items:
        key = records.key(arm, asdict(item))
        if (done := records.get(key)) is None:
            filled = fills(client, item, policy, lengths)
            done = records.add(key, names=filled.names, forwards=filled.forwards)
        found.append(done)
    pairs = list(zip(found, items, strict=True))
    passed = run_programs([item.source(one["names"]) for one, item in pairs])
    return [
        {
            **one,
            "passed": outcome.passed,
            "agree": len(set(one["names"])) == 1 and one["names"][0].isidentifier(),
            "exact": set(one["names"]) == {item.name},
        }
        for (one, item), outcome in zip(pairs, passed, strict=True)
    ]


def _row(holes: int, arm: str, found: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Figures of an arm; p is of its pass rate against the lead's, over the same items."""
    records = found[arm]
    passed = [bool(one["passed"]) for one in records]
    row = {
        "holes": holes,
        "arm": arm,
        "items": len(records),
        "pass": mean(passed),
        "interval": wilson(sum(passed), len(passed)),
        "agree": mean([one["agree"] for one in records]),
        "exact": mean([one["exact"] for one in records]),
        "forwards": mean([one["forwards"] for one in records]),
        "p": None,
    }
    if arm != LEAD and LEAD in found and records:
        row["p"] = paired([bool(one["passed"]) for one in found[LEAD]], passed).p_value
    return row


def markdown(rows: list[dict[str, Any]]) -> str:
    """The table."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for one in rows:
        low, high = one["interval"]
        cells = (
            one["holes"],
            one["arm"],
            one["items"],
            f"{100 * one['pass']:.1f}%",
            f"{100 * low:.1f}-{100 * high:.1f}%",
            f"{100 * one['agree']:.1f}%",
            f"{100 * one['exact']:.1f}%",
            f"{one['forwards']:.1f}",
            "" if one["p"] is None else f"{one['p']:.3f}",
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.holes", description=__doc__)
    add = parser.add_argument
    add("--out", type=Path, default=OUT, help="folder of results; a second run goes on from there")
    add("--items", type=int, default=100, help="items of two holes, and as many of three")
    add("--arms", default=";".join(ARMS), help="with semicolons between them")
    add("--model", type=Path, help="folder of a checkpoint; the packaged one by default")
    add("--dtype", default="auto", choices=("auto", "bfloat16", "float32"))
    add("--threads", type=int, default=torch.get_num_threads())
    add("--seed", type=int, default=42)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
