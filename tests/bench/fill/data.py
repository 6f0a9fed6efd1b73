"""Reads the infilling benchmarks from ../shared/data; measured on only, never tuned to."""

import gzip
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tests.bench.common.provenance import ROOT

FOLDER = ROOT.parent / "shared" / "data" / "humaneval_infilling"
FILES = {
    "single-line": "HumanEval-SingleLineInfilling.jsonl.gz",
    "random-span-light": "HumanEval-RandomSpanInfillingLight.jsonl.gz",
}


class MissingData(Exception):
    """A benchmark can't run here; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A hole in a solved program, and the test that a filled program must pass."""

    task: str
    prefix: str
    suffix: str
    gold: str
    test: str
    entry: str

    def program(self, middle: str) -> str:
        """The whole program with `middle` in the hole, ending with its test."""
        solution = self.prefix + middle + self.suffix
        return f"{solution}\n{self.test}\ncheck({self.entry})\n"


def read_problems(name: str, folder: Path = FOLDER) -> list[Problem]:
    """All problems of a benchmark in file order; MissingData if its file is not there."""
    path = folder / FILES[name]
    if not path.is_file():
        raise MissingData(f"{name}: {path.name} is not in ../shared/data/humaneval_infilling")
    with gzip.open(path) as file:
        return [_problem(msgspec.json.decode(line)) for line in file if line.strip()]


def subset(problems: list[Problem], count: int, seed: int) -> list[Problem]:
    """The first `count` problems after a shuffle by `seed`."""
    shuffled = list(problems)
    random.Random(seed).shuffle(shuffled)
    return shuffled[:count]


def _problem(row: dict[str, Any]) -> Problem:
    return Problem(
        task=row["task_id"],
        prefix=row["prompt"],
        suffix=row["suffix"],
        gold=row["canonical_solution"],
        test=row["test"],
        entry=row["entry_point"],
    )
