"""Correct programs: solved problems of ../shared/data with their tests, held-out package files."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tests.bench.common.provenance import ROOT
from tests.bench.fill.data import MissingData
from tests.bench.fill.heldout import files, wheels
from tests.bench.revision.items import Program

FOLDER = ROOT.parent / "shared" / "data"
HUMANEVAL = "humaneval/HumanEval.jsonl.gz"
MBPP = "mbpp/mbpp_sanitized.jsonl"
FILE_CHARACTERS = 40_000


def solved(folder: Path = FOLDER) -> list[Program]:
    """HumanEval and MBPP solutions; measured on only. MissingData if they are not there."""
    for name in (HUMANEVAL, MBPP):
        if not (folder / name).is_file():
            raise MissingData(f"{name} is not in ../shared/data")
    return [*_humaneval(folder / HUMANEVAL), *_mbpp(folder / MBPP)]


def packages(folder: Path) -> list[Program]:
    """Files of the held-out packages, without tests; defaults are chosen on them."""
    found = files(wheels(folder))
    return [Program(name, text, "") for name, text in found if len(text) < FILE_CHARACTERS]


def _humaneval(path: Path) -> Iterator[Program]:
    with gzip.open(path) as file:
        for line in file:
            row = msgspec.json.decode(line)
            check = f"{row['test']}\ncheck({row['entry_point']})"
            yield Program(row["task_id"], row["prompt"] + row["canonical_solution"], check)


def _mbpp(path: Path) -> Iterator[Program]:
    for line in path.read_bytes().splitlines():
        row = msgspec.json.decode(line)
        source = row["code"].replace("\r\n", "\n").rstrip() + "\n"
        check = "\n".join([*row.get("test_imports", ()), *row["test_list"]])
        yield Program(f"MBPP/{row['task_id']}", source, check)
