"""pass@1 on the infilling benchmarks: every arm, problem by problem, resumable."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from engine.client import EngineClient
from protocol.messages import Done, Error
from tests.bench.common.records import Stamped
from tests.bench.common.sandbox import Limits, run_programs
from tests.bench.common.stats import mean, paired, wilson
from tests.bench.fill.arms import Arm, Gap
from tests.bench.fill.data import Problem
from tests.bench.fill.drive import fill_all
from tests.bench.fill.lengths import OracleLength

CONTROLS = ("causal", "prefix only, greedy")
CHUNK = 40
PATH = "solution.py"
Record = dict[str, Any]


class Quality:
    """Runs arms over problems."""

    def __init__(self, client: EngineClient, oracle: OracleLength, records: Stamped) -> None:
        self._client = client
        self._oracle = oracle
        self._records = records

    def run(self, arm: Arm, benchmark: str, problems: Sequence[Problem]) -> list[Record]:
        """One record for each problem, in order; those that exist are not made again."""
        keys = [self._records.key(benchmark, asdict(p), arm.settings()) for p in problems]
        todo = [n for n, key in enumerate(keys) if self._records.get(key) is None]
        for at in range(0, len(todo), CHUNK):
            chunk = todo[at : at + CHUNK]
            self._run(arm, [(keys[n], problems[n]) for n in chunk])
        found = [self._records.get(key) for key in keys]
        return [record for record in found if record is not None]

    def _run(self, arm: Arm, work: list[tuple[str, Problem]]) -> None:
        fills = [arm.fill(str(number), self._gap(p)) for number, (_, p) in enumerate(work)]
        began = time.perf_counter()
        ends = {int(end.id or 0): end for end in fill_all(self._client, fills, arm.in_flight)}
        seconds = (time.perf_counter() - began) / len(work)
        answers = [_text(ends[number]) for number in range(len(work))]
        programs = [p.program(text) for (_, p), text in zip(work, answers, strict=True)]
        outcomes = run_programs(programs, Limits())
        for number, (key, problem) in enumerate(work):
            self._records.add(
                key,
                task=problem.task,
                arm=arm.name,
                passed=outcomes[number].passed,
                detail=outcomes[number].detail[:120],
                exact=answers[number].strip() == problem.gold.strip(),
                seconds=round(seconds, 4),
                **_cost(ends[number]),
            )

    def _gap(self, problem: Problem) -> Gap:
        tokens = self._oracle.tokens(problem.prefix, problem.gold, problem.suffix)
        lines = problem.gold.rstrip("\n").count("\n") + 1
        return Gap(problem.prefix, problem.suffix, PATH, tokens, lines)


def summary(arm: Arm, records: list[Record], controls: dict[str, list[Record]]) -> Record:
    """One row of the table; paired with each control over the same problems."""
    passed = [bool(record["passed"]) for record in records]
    forwards = sum(record["forwards"] for record in records)
    row: Record = {
        "arm": arm.name,
        "length": arm.length,
        "context": arm.context,
        "problems": len(passed),
        "passed": sum(passed),
        "interval": wilson(sum(passed), len(passed)),
        "exact": sum(record["exact"] for record in records),
        "nfe": mean([record["forwards"] for record in records]),
        "tokens_per_nfe": sum(r["tokens"] for r in records) / forwards if forwards else 0.0,
        "seconds_per_fill": mean([record["seconds"] for record in records]),
        "in_flight": arm.in_flight,
        "errors": sum(record["finish"] == "error" for record in records),
    }
    for name, theirs in controls.items():
        if name != arm.name and len(theirs) == len(passed):
            row[f"against {name}"] = asdict(paired(passed, [bool(r["passed"]) for r in theirs]))
    return row


def _text(end: Done | Error) -> str:
    return end.text if isinstance(end, Done) else ""


def _cost(end: Done | Error) -> Record:
    if isinstance(end, Error):
        return {"finish": "error", "text": end.message, "forwards": 0, "tokens": 0}
    return {
        "finish": end.finish,
        "text": end.text,
        "forwards": end.stats.forwards,
        "tokens": len(end.tokens),
    }
