"""Quality runs score what is filled in, go on where they stopped, and pair with the controls."""

from dataclasses import replace
from pathlib import Path

import pytest

from models.loader import DEFAULT_MODEL, read_config
from models.tokenizer import read_tokenizer
from protocol.messages import Fill
from tests.bench.common.records import Stamped
from tests.bench.fill.arms import Arm
from tests.bench.fill.data import FILES, MissingData, Problem, read_problems, subset
from tests.bench.fill.lengths import OracleLength
from tests.bench.fill.quality import Quality, summary
from tests.bench_tests.fill.fakes import TableEngine

PROBLEMS = [
    Problem(str(n), f"def f(x):\n    y = {n}\n", "    return y\n", "    y += x\n", "", "")
    for n in range(4)
]
CHECKED = [
    Problem(p.task, p.prefix, p.suffix, p.gold, f"check = lambda _: f(1) == {n + 1} or 1 / 0", "f")
    for n, p in enumerate(PROBLEMS)
]


@pytest.fixture(scope="module")
def oracle() -> OracleLength:
    config = read_config(DEFAULT_MODEL)
    return OracleLength(config, read_tokenizer(DEFAULT_MODEL, config))


def answer(fill: Fill) -> str | None:
    """Right for problem 0 and 1, wrong for 2, refused for 3."""
    return {"0": "    y += x\n", "1": "    y += x\n", "2": "    y = 0\n"}.get(fill.id)


def test_answers_are_executed_and_scored(oracle: OracleLength, tmp_path: Path) -> None:
    engine = TableEngine(answer)
    quality = Quality(engine, oracle, Stamped(tmp_path / "q.jsonl", ["commit"]))
    records = quality.run(Arm("default"), "toy", CHECKED)
    assert [record["passed"] for record in records] == [True, True, False, False]
    row = summary(Arm("default"), records, {"causal": records[::-1]})
    assert (row["passed"], row["errors"], row["exact"], row["nfe"]) == (2, 1, 2, 3.0)
    assert row["against causal"]["difference"] == 0.0


def test_a_second_run_asks_for_nothing(oracle: OracleLength, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    first = Quality(TableEngine(answer), oracle, Stamped(path, ["commit"]))
    records = first.run(Arm("default"), "toy", CHECKED[:2])
    engine = TableEngine(answer)
    again = Quality(engine, oracle, Stamped(path, ["commit"]))
    assert again.run(Arm("renamed"), "toy", CHECKED[:2]) == records
    assert not engine.seen
    other = Quality(engine, oracle, Stamped(path, ["another commit"]))
    other.run(Arm("default"), "toy", CHECKED[:2])
    assert len(engine.seen) == 2


def test_a_task_of_the_same_name_with_another_text_is_asked(
    oracle: OracleLength, tmp_path: Path
) -> None:
    engine, path = TableEngine(answer), tmp_path / "q.jsonl"
    Quality(engine, oracle, Stamped(path, ["commit"])).run(Arm("default"), "toy", CHECKED[:1])
    other = [replace(CHECKED[0], prefix="def f(x):\n    y = 7\n")]
    Quality(engine, oracle, Stamped(path, ["commit"])).run(Arm("default"), "toy", other)
    assert len(engine.seen) == 2


def test_oracle_length_counts_what_moves_into_the_hole(oracle: OracleLength) -> None:
    """newline+indent is a token of the hole, its closing newline one of the suffix."""
    assert oracle.tokens("def f():\n", "    return 1\n", "print(2)\n") == 4  # \n___, return, _, 1
    assert oracle.tokens("value = ", "1", "\n") == 2
    assert oracle.tokens("", "x\n", "y\n") == 1


@pytest.mark.parametrize("name", FILES)
def test_true_middles_pass(name: str, tmp_path: Path, oracle: OracleLength) -> None:
    try:
        problems = subset(read_problems(name), 8, 42)
    except MissingData as error:
        pytest.skip(str(error))
    assert problems == subset(read_problems(name), 8, 42)
    engine = TableEngine(lambda fill: problems[int(fill.id)].gold)
    quality = Quality(engine, oracle, Stamped(tmp_path / "q.jsonl", ["commit"]))
    assert all(r["passed"] for r in quality.run(Arm("gold", length="oracle"), name, problems))
