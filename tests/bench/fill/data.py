"""Reads the infilling benchmarks from ../shared/data; measured on only, never tuned to."""

import gzip
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tests.bench.common.provenance import ROOT

FOLDER = ROOT.parent / "shared" / "data"
FILES = {
    "single-line": "humaneval_infilling/HumanEval-SingleLineInfilling.jsonl.gz",
    "random-span-light": "humaneval_infilling/HumanEval-RandomSpanInfillingLight.jsonl.gz",
    "safim-control": "safim/control_python_150.jsonl.gz",
}
"""SAFIM's holes are shown without the problem's description, the code alone."""
HOLE = "{{completion}}"
STDIO = """
import atexit, io, os, sys
SOURCE, TESTS = {source!r}, {tests!r}
for given, wanted in TESTS:
    ends = os.memfd_create("in"), os.memfd_create("out")
    os.write(ends[0], given.encode())
    os.lseek(ends[0], 0, os.SEEK_SET)
    os.dup2(ends[0], 0), os.dup2(ends[1], 1)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)
    try:
        exec(compile(SOURCE, "program", "exec"), {{"__name__": "__main__"}})
    except SystemExit:
        pass
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os.lseek(1, 0, os.SEEK_SET)
    told = os.read(1, 1 << 24).decode().lower().split()
    assert any(told == text.lower().split() for text in wanted), told[:20]
"""
"""Runs a program on each input, with descriptors of its own (Linux); compares words in any case."""


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


@dataclass(frozen=True, slots=True)
class StdioProblem(Problem):
    """A program that reads and writes; `test` is JSON of (input, accepted outputs)."""

    def program(self, middle: str) -> str:
        """A program that runs the filled one on every input and compares words."""
        tests = msgspec.json.decode(self.test)
        return STDIO.format(source=self.prefix + middle + self.suffix, tests=tests)


def read_problems(name: str, folder: Path = FOLDER) -> list[Problem]:
    """All problems of a benchmark in file order; MissingData if its file is not there."""
    path = folder / FILES[name]
    if not path.is_file():
        raise MissingData(f"{name}: ../shared/data/{FILES[name]} is not there")
    with gzip.open(path) as file:
        return [_problem(msgspec.json.decode(line)) for line in file if line.strip()]


def subset(problems: list[Problem], count: int, seed: int) -> list[Problem]:
    """The first `count` problems after a shuffle by `seed`."""
    shuffled = list(problems)
    random.Random(seed).shuffle(shuffled)
    return shuffled[:count]


def _problem(row: dict[str, Any]) -> Problem:
    if "unit_tests" in row:
        before, after = row["eval_prompt"].split(HOLE)
        tests = [(test["input"], test["output"]) for test in row["unit_tests"]]
        test = msgspec.json.encode(tests).decode()
        return StdioProblem(row["task_id"], before, after, row["ground_truth"], test, "")
    return Problem(
        task=row["task_id"],
        prefix=row["prompt"],
        suffix=row["suffix"],
        gold=row["canonical_solution"],
        test=row["test"],
        entry=row["entry_point"],
    )
