"""The edit benchmark's own rules: which lines are touched, how large a diff is."""

from engine.client import EngineClient
from protocol.messages import Fill
from tests.bench.edit.arms import ARMS
from tests.bench.edit.data import Task, diff_size, sizes
from tests.bench_tests.fill.fakes import TableEngine

SOURCE, GOLD = "a\nb\nc\nd\n", "a\nB\nX\nc\nD\n"
TASK = Task("t", "louder", SOURCE, GOLD, "def check():\n    pass")


def test_a_diff_counts_lines_taken_and_added() -> None:
    assert diff_size(SOURCE, SOURCE) == 0
    assert diff_size(SOURCE, GOLD) == 2 + 3
    assert sizes(TASK, "a\nb\nc\n") == (1, 5)


def test_touched_lines_reach_from_the_first_difference_to_the_last() -> None:
    start, stop = TASK.touched
    assert SOURCE[start:stop] == "b\nc\nd\n" and TASK.gold_lines == 4
    same = Task("t", "", SOURCE, SOURCE, "")
    assert same.touched == (len(SOURCE), len(SOURCE)) and same.gold_lines == 1
    more = Task("t", "", "a\nb\n", "a\nx\ny\nb\n", "")
    assert more.touched == (2, 2) and more.gold_lines == 2


def test_a_rewrite_tells_the_old_text_and_puts_the_answer_in_its_place() -> None:
    engine: EngineClient = TableEngine(lambda fill: "B\n")
    edited = ARMS["rewrite, w=2"](engine, TASK)
    assert edited.text == "a\nB\n"
    (fill,) = engine.seen  # type: ignore[attr-defined]
    assert isinstance(fill, Fill)
    assert (fill.instruction, fill.old_text, fill.guidance) == ("louder", "b\nc\nd\n", 2.0)
    ARMS["rewrite, not told"](engine, TASK)
    assert engine.seen[-1].instruction is None  # type: ignore[attr-defined]
