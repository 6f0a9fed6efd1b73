"""EditEval: a source, what is asked of it, the edit a person made, and tests."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import msgspec

from tests.bench.common.provenance import ROOT
from tests.bench.fill.data import MissingData

FILE = ROOT.parent / "shared" / "data" / "editeval" / "edit_eval.jsonl"
PLACE = "{{Code}}"


@dataclass(frozen=True, slots=True)
class Task:
    """One edit that is asked for; `gold` is a person's answer to it."""

    name: str
    instruction: str
    source: str
    gold: str
    check: str

    def program(self, text: str) -> str:
        """`text` with the tests behind it."""
        return f"{text}\n{self.check}\ncheck()\n"

    @property
    def touched(self) -> tuple[int, int]:
        """[start, stop) in characters: the lines of the source between which the gold differs."""
        old, new = lines(self.source), lines(self.gold)
        changes = SequenceMatcher(None, old, new, False).get_opcodes()
        parts = [(a, b) for tag, a, b, _, _ in changes if tag != "equal"]
        start, stop = (parts[0][0], parts[-1][1]) if parts else (len(old), len(old))
        before = sum(map(len, old[:start]))
        return before, before + sum(map(len, old[start:stop]))

    @property
    def gold_lines(self) -> int:
        """Lines that the gold has in the place of what it touches."""
        start, stop = self.touched
        kept = len(lines(self.source[:start])) + len(lines(self.source[stop:]))
        return max(1, len(lines(self.gold)) - kept)


def tasks(count: int, seed: int, path: Path = FILE) -> list[Task]:
    """The first `count` tasks after a shuffle by `seed`; MissingData without the file."""
    if not path.is_file():
        raise MissingData("editeval/edit_eval.jsonl is not in ../shared/data")
    rows = [msgspec.json.decode(line) for line in path.read_bytes().splitlines() if line.strip()]
    random.Random(seed).shuffle(rows)
    return [
        Task(
            row["task_id"],
            row["instruction"].strip(),
            _within(row.get("context") or PLACE, row["input"]),
            _within(row.get("context") or PLACE, row["output"]),
            row["test"],
        )
        for row in rows[:count]
    ]


def lines(text: str) -> list[str]:
    """Lines with their ends."""
    return text.splitlines(keepends=True)


def diff_size(old: str, new: str) -> int:
    """Lines that a diff takes away and adds."""
    before, after = lines(old), lines(new)
    return sum(
        (b - a) + (d - c)
        for tag, a, b, c, d in SequenceMatcher(None, before, after, False).get_opcodes()
        if tag != "equal"
    )


def sizes(task: Task, text: str) -> tuple[int, int]:
    """Size of the answer's diff and of the gold's."""
    return diff_size(task.source, text), diff_size(task.source, task.gold)


def _within(context: str, code: str) -> str:
    """The code in its place in the context, with one newline at the end."""
    whole = context.replace(PLACE, code) if PLACE in context else f"{context}\n{code}"
    return whole.replace("\r\n", "\n").rstrip() + "\n"


def total(pairs: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Lines of all answers' diffs and of all gold ones."""
    return sum(ours for ours, _ in pairs), sum(gold for _, gold in pairs)
