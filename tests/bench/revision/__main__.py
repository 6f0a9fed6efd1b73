"""`python -m tests.bench.revision crb|heldout`: what each method of revision fixes and harms.

`crb` breaks HumanEval and MBPP solutions and runs their tests; `heldout` breaks lines of packages
that no training saw, for choosing defaults. A second run goes on where the first one stopped.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

import torch

from engine.backend import open_model
from engine.client import EngineClient
from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.revise import MethodName
from tests.bench.common.provenance import ROOT, load, provenance, stamp
from tests.bench.common.records import Stamped, write_bytes, write_json
from tests.bench.common.sandbox import run_programs
from tests.bench.fill.data import MissingData
from tests.bench.revision import build
from tests.bench.revision.data import packages, solved
from tests.bench.revision.items import BUGS, Item, Length, Program
from tests.bench.revision.measure import record, revise
from tests.bench.revision.table import markdown, row

OUT = ROOT / "build" / "bench-revision"


def main(arguments: list[str]) -> int:
    """Measure and write the table; 1 if data is missing."""
    options = _parser().parse_args(arguments)
    torch.set_num_threads(options.threads)
    config = EngineConfig(options.model, dtype=options.dtype, threads=options.threads)
    model = open_model(config)
    try:
        programs = solved() if options.set == "crb" else packages(options.out / "wheels")
    except MissingData as error:
        print(f"skipped: {error}", flush=True)
        return 1
    broken, clean = _items(options, programs, model)
    print(f"{len(broken)} bugs, {len(clean)} clean spans; load {load()}", flush=True)
    about = provenance(options.threads)
    records = Stamped(options.out / f"{options.set}.jsonl", stamp(model))
    part, parts = map(int, options.part.split("/"))
    bench = Bench(options, partial(LocalEngine, model, config), records)
    methods: list[MethodName] = options.methods.split(",")
    for item in [*broken, *clean][part - 1 :: parts]:
        for method in methods:
            bench.record(method, item)
    if parts == 1:
        rows = [
            row(method, bench.run(method, broken), bench.run(method, clean)) for method in methods
        ]
        print(markdown(rows), flush=True)
        write_json(options.out / f"{options.set}.json", {"about": about, "rows": rows})
        write_bytes(options.out / f"{options.set}.md", markdown(rows).encode())
    return 0


@dataclass(frozen=True, slots=True)
class Bench:
    """What measures items, and what was measured.

    Attributes:
        engine: opens one that has read nothing, so that each method pays for its own context.
    """

    options: argparse.Namespace
    engine: Callable[[], EngineClient]
    records: Stamped

    def record(self, method: MethodName, item: Item) -> dict[str, Any]:
        """What became of one item, now or earlier."""
        options = self.options
        fields = {"strength": options.strength, "rounds": options.rounds}
        fields |= {} if options.guard is None else {"guard": options.guard}
        key = self.records.key(method, fields, asdict(item))
        if (done := self.records.get(key)) is not None:
            return done
        with closing(self.engine()) as client:
            end = revise(client, item, method, **fields)
        return self.records.add(key, method=method, **record(item, end))

    def run(self, method: MethodName, items: Sequence[Item]) -> list[dict[str, Any]]:
        """A record for each item, with whether its program passes."""
        found = [self.record(method, item) for item in items]
        texts = [one["text"] for one in found]
        if self.options.set == "crb":
            passed = _run([item.program(text) for item, text in zip(items, texts, strict=True)])
        else:
            passed = [text == item.gold for item, text in zip(items, texts, strict=True)]
        return [{**one, "passed": ok} for one, ok in zip(found, passed, strict=True)]


def _items(
    options: argparse.Namespace, programs: Sequence[Program], model: Model
) -> tuple[list[Item], list[Item]]:
    if options.set == "heldout":
        return heldout_items(programs, model, options)
    tokens = _length(model)
    draw = BUGS[options.kind]
    bugs = build.bugs(programs, tokens, _run, options.bugs, options.seed, draw)
    return bugs, build.clean(programs, tokens, _run, options.clean, options.seed)


def heldout_items(
    programs: Sequence[Program], model: Model, options: argparse.Namespace
) -> tuple[list[Item], list[Item]]:
    """Bugs and clean spans without tests: every substitution counts as a bug."""
    tokens = _length(model)
    draw = BUGS[options.kind]
    bugs = build.bugs(programs, tokens, _alternating(), options.bugs, options.seed, draw)
    return bugs, build.clean(programs, tokens, _all_pass, options.clean, options.seed)


def _length(model: Model) -> Length:
    return lambda text: len(model.tokenizer.encode(text))


def _run(sources: Sequence[str]) -> list[bool]:
    return [outcome.passed for outcome in run_programs(sources)]


def _all_pass(sources: Sequence[str]) -> list[bool]:
    return [True] * len(sources)


def _alternating() -> build.Passes:
    """`bugs` asks for the broken text first, for the sound one next."""
    state = [True]

    def passes(sources: Sequence[str]) -> list[bool]:
        state[0] = not state[0]
        return [state[0]] * len(sources)

    return passes


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.revision", description=__doc__)
    add = parser.add_argument
    add("set", choices=("crb", "heldout"))
    add("--out", type=Path, default=OUT, help="folder of results and downloads")
    add("--bugs", type=int, default=100)
    add("--kind", choices=sorted(BUGS), default="substitutions", help="what is wrong in a bug")
    add("--clean", type=int, default=300)
    add("--methods", default=",".join(get_args(MethodName)), help="with commas between them")
    add("--strength", type=float, default=0.3)
    add("--rounds", type=int, default=4)
    add("--guard", type=float, help="nats a change must gain; the engine's default if not given")
    add("--model", type=Path, help="folder of a checkpoint; the packaged one by default")
    add("--dtype", default="auto", choices=("auto", "bfloat16", "float32"))
    add("--threads", type=int, default=torch.get_num_threads())
    add("--seed", type=int, default=42)
    add("--part", default="1/1", metavar="I/N", help="each N-th item from the I-th on; no table")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
