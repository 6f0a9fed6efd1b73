"""What a constraint does to answers: `python -m tests.bench.constraints.quality json|humaneval`.

`json`: the extraction tasks, held to their schemas and free. `humaneval`: single-line infilling,
held to the syntax of Python and free. Each policy's two arms are compared problem by problem; a
second run goes on where the first one stopped.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

import jsonschema_rs

from engine.backend import open_model
from engine.client import EngineClient
from engine.config import EngineConfig
from engine.local import LocalEngine
from protocol.constraint import Constraint, JsonSchema, Syntax
from protocol.messages import CanvasSpec, Done, Error, Fill, Sampling
from tests.bench.common.provenance import ROOT, load, provenance, stamp
from tests.bench.common.records import Stamped, write_json
from tests.bench.common.sandbox import Limits, run_programs
from tests.bench.common.stats import paired
from tests.bench.constraints.extraction import Task, tasks
from tests.bench.fill.data import MissingData, Problem, read_problems, subset
from tests.bench.fill.drive import fill_all

OUT = ROOT / "build" / "bench-constraints"
Record = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Measure and print; 1 if data is missing."""
    options = _parser().parse_args(arguments)
    config = EngineConfig(options.model, dtype=options.dtype, threads=options.threads)
    model = open_model(config)
    engine = LocalEngine(model, config)
    records = Stamped(options.out / "quality.jsonl", stamp(model))
    print(f"load {load()}", flush=True)
    rows = []
    try:
        for policy in options.policies.split(","):
            rows.append(_row(engine, records, options, policy))
            print(json.dumps(rows[-1]), flush=True)
    except MissingData as error:
        print(f"skipped: {error}")
        return 1
    finally:
        engine.close()
    about = provenance(options.threads)
    write_json(options.out / f"quality-{options.set}.json", {"about": about, "rows": rows})
    return 0


def _row(
    engine: EngineClient, records: Stamped, options: argparse.Namespace, policy: str
) -> Record:
    """Both arms of a policy, side by side."""
    measure = _json if options.set == "json" else _humaneval
    free, held = (measure(engine, records, options, policy, on) for on in (False, True))
    right = [[record["right"] == record["of"] for record in arm] for arm in (free, held)]
    return {
        "set": options.set,
        "policy": policy,
        "free": _summary(free),
        "held": _summary(held),
        "held against free": asdict(paired(right[1], right[0])),
    }


def _summary(records: Sequence[Record]) -> Record:
    forwards = sum(record["forwards"] for record in records)
    ratios = sorted(record["ratio"] for record in records)
    tenth = len(ratios) // 10
    return {
        "problems": len(records),
        "valid": sum(record["valid"] for record in records),
        "right": sum(record["right"] == record["of"] for record in records),
        "facts": sum(record["right"] for record in records) / sum(r["of"] for r in records),
        "tokens_per_forward": sum(record["tokens"] for record in records) / max(1, forwards),
        "forwards": forwards / len(records),
        "length_ratio_p10_p50_p90": [ratios[tenth], median(ratios), ratios[-1 - tenth]],
        "log_valid": _mean([r["log_valid"] for r in records if r["log_valid"] is not None]),
        "finishes": {f: [r["finish"] for r in records].count(f) for f in _finishes(records)},
    }


def _finishes(records: Sequence[Record]) -> list[str]:
    return sorted({record["finish"] for record in records})


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 3) if values else None


def _json(
    engine: EngineClient, records: Stamped, options: argparse.Namespace, policy: str, held: bool
) -> list[Record]:
    found = []
    for task in tasks(options.count, options.seed):
        key = records.key("json", task.name, options.seed, policy, held)
        record = records.get(key)
        if record is None:
            constraint = JsonSchema(task.schema) if held else None
            end = _fill(engine, task.prefix, "\n", policy, constraint)
            record = records.add(key, **_judged(task, end))
        found.append(record)
    return found


def _judged(task: Task, end: Done | Error) -> Record:
    text = end.text if isinstance(end, Done) else ""
    return {
        "task": task.name,
        "text": text,
        "valid": _valid(task.schema, text),
        "right": task.right(text),
        "of": len(task.facts),
        "ratio": round(len(text.strip()) / len(task.gold), 3),
        **_cost(end),
    }


def _valid(schema: str, text: str) -> bool:
    try:
        return jsonschema_rs.is_valid(json.loads(schema), json.loads(text))
    except (ValueError, RecursionError):
        return False


def _humaneval(
    engine: EngineClient, records: Stamped, options: argparse.Namespace, policy: str, held: bool
) -> list[Record]:
    problems = subset(read_problems("single-line"), options.count, options.seed)
    keys = [records.key("line", asdict(p), policy, held) for p in problems]
    for key, problem in zip(keys, problems, strict=True):
        if records.get(key) is None:
            constraint = Syntax(language="python") if held else None
            end = _fill(engine, problem.prefix, problem.suffix, policy, constraint, "solution.py")
            records.add(key, **_passed(problem, end))
    found = [records.get(key) for key in keys]
    return [record for record in found if record is not None]


def _passed(problem: Problem, end: Done | Error) -> Record:
    text = end.text if isinstance(end, Done) else ""
    (outcome,) = run_programs([problem.program(text)], Limits())
    try:
        compile(problem.prefix + text + problem.suffix, "solution.py", "exec")
        valid = True
    except (SyntaxError, ValueError):
        valid = False
    return {
        "task": problem.task,
        "text": text,
        "valid": valid,
        "right": int(outcome.passed),
        "of": 1,
        "ratio": round(len(text.strip()) / max(1, len(problem.gold.strip())), 3),
        **_cost(end),
    }


def _fill(
    engine: EngineClient,
    prefix: str,
    suffix: str,
    policy: str,
    constraint: Constraint | None,
    path: str | None = None,
) -> Done | Error:
    fill = Fill(
        id="q",
        prefix=prefix,
        suffix=suffix,
        canvas=CanvasSpec(),
        sampling=Sampling(policy=policy),  # type: ignore[arg-type]
        constraint=constraint,
        path=path,
    )
    (end,) = fill_all(engine, [fill], 1)
    return end


def _cost(end: Done | Error) -> Record:
    if isinstance(end, Error):
        return {"finish": end.code, "forwards": 0, "tokens": 0, "log_valid": None}
    return {
        "finish": end.finish,
        "forwards": end.stats.forwards,
        "tokens": len(end.tokens),
        "log_valid": end.log_valid,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=["json", "humaneval"])
    parser.add_argument("--policies", default="causal,speculate,threshold")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", type=Path, default=None)
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
