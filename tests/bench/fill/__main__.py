"""`python -m tests.bench.fill`: every number about fills, as one table and one picture."""

import argparse
import signal
import sys
from pathlib import Path
from typing import Any

import torch

from tests.bench.common.pause import paused
from tests.bench.common.provenance import ROOT, load
from tests.bench.common.records import read_json, write_bytes, write_json
from tests.bench.fill.arms import parse_arm, policies
from tests.bench.fill.data import FILES, MissingData
from tests.bench.fill.picture import png
from tests.bench.fill.report import markdown
from tests.bench.fill.sections import NAMES, Options, run_section

OUT = ROOT / "build" / "bench-fill"


def main(arguments: list[str]) -> int:
    """Measure the chosen sections and write the table of all that have been measured."""
    parsed = _parser().parse_args(arguments)
    options = _options(parsed)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is paused goes on
    options.say(f"load {load()}, {options.threads} threads, results in {options.out}")
    torch.set_num_threads(options.threads)
    skipped = 0
    with paused(parsed.pause):
        for name in parsed.sections or NAMES:
            try:
                write_json(options.out / f"{name}.json", run_section(name, options))
            except MissingData as error:
                skipped += 1
                options.say(f"{name} skipped: {error}")
            _write_table(options.out)
    options.say(f"load {load()}; see {options.out / 'table.md'}")
    return 1 if skipped else 0


def _write_table(out: Path) -> None:
    """table.md, table.json and picture.png from the sections on disk."""
    found = {name: result for name in NAMES if (result := read_json(out / f"{name}.json"))}
    write_json(out / "table.json", found)
    write_bytes(out / "table.md", markdown(found).encode())
    if (picture := png(found)) is not None:
        write_bytes(out / "picture.png", picture)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.fill", description=__doc__)
    add = parser.add_argument
    add("sections", nargs="*", type=_section, help=f"of {', '.join(NAMES)}; all by default")
    add("--out", type=Path, default=OUT, help="folder of results; a second run goes on from there")
    add("--benchmarks", nargs="+", choices=tuple(FILES), help="for the quality section; all")
    add("--problems", type=int, default=500, help="problems of each benchmark")
    add(
        "--lines",
        type=int,
        default=200,
        help="held-out lines for curve, batch, twins, forms and (a quarter) context",
    )
    add("--repetitions", type=int, default=20, help="repetitions of the speed section")
    add("--policies", default=",".join(policies()), help="policies, with commas between them")
    add("--deadlines", default="150,300", help="deadlines in ms for the quality section, or empty")
    add("--branches", type=int, default=4, help="texts side by side in searched arms; 1: no arms")
    add("--arm", action="append", default=[], help='one more arm: NAME={"policy": "fixed", ...}')
    add("--model", type=Path, help="folder of a checkpoint; the packaged one by default")
    add("--dtype", default="auto", choices=("auto", "bfloat16", "float32"))
    add("--threads", type=int, default=torch.get_num_threads(), help="threads of every contestant")
    add("--seed", type=int, default=42)
    add("--contexts", default="200,1000,2000,4000", help="tokens of context in the speed section")
    add("--gguf", type=Path, help="the base model's GGUF; downloaded by default")
    add("--pause", metavar="PID", help="process (or file of pids) whose group is stopped meanwhile")
    return parser


def _section(name: str) -> str:
    if name not in NAMES:
        raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(NAMES)}")
    return name


def _options(parsed: argparse.Namespace) -> Options:
    return Options(
        out=parsed.out,
        model=parsed.model,
        dtype=parsed.dtype,
        threads=parsed.threads,
        seed=parsed.seed,
        benchmarks=tuple(parsed.benchmarks or FILES),
        problems=parsed.problems,
        lines=parsed.lines,
        repetitions=parsed.repetitions,
        policies=tuple(filter(None, parsed.policies.split(","))),
        branches=parsed.branches,
        deadlines=tuple(int(ms) for ms in parsed.deadlines.split(",") if ms),
        extra=tuple(map(parse_arm, parsed.arm)),
        contexts=tuple(int(n) for n in parsed.contexts.split(",")),
        gguf=parsed.gguf,
        say=_say,
    )


def _say(text: Any) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
