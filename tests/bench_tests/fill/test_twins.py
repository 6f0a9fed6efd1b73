"""Lines beside a twin: which line is whose, and what a fill that copies is told apart by."""

import pytest

from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from tests.bench.fill.arms import Arm, sampling
from tests.bench.fill.data import MissingData
from tests.bench.fill.twins import WHERE, TwinPlace, measure, twin_places
from tests.bench_tests.fill.fakes import TableEngine

TEXT = "".join(
    f"def total_{n}(first, last):\n    small = first\n    return first + last * {n}\n\n\n"
    for n in range(40)
)
NAMES = ("total", "count", "scale", "level", "width", "speed")
FILES = [(f"{name}.py", TEXT.replace("total", name)) for name in NAMES]


def test_a_place_is_a_line_with_its_twin_in_sight() -> None:
    places = twin_places(FILES, 8, 3)
    assert places == twin_places(FILES, 8, 3) != twin_places(FILES, 8, 4)
    assert [p.where for p in places].count("behind") == [p.where for p in places].count("before")
    for each in places:
        assert each.copy != each.place.line
        assert each.place.prefix.endswith("\n") and each.place.suffix.startswith("\n")
        seen = each.place.suffix if each.where == "behind" else each.place.prefix
        assert each.copy in seen


def test_too_few_twins_are_a_reason_to_skip() -> None:
    with pytest.raises(MissingData, match="only 0 twins"):
        twin_places([("a.py", "x = 1\n" * 900)], 8, 3)


def test_what_is_right_and_what_is_copied_is_counted_for_each_side() -> None:
    places = twin_places(FILES, 8, 3)
    lines: dict[str | int | None, TwinPlace] = {str(n): each for n, each in enumerate(places)}
    told = TableEngine(lambda fill: lines[fill.id].place.line)
    copies = TableEngine(lambda fill: lines[fill.id].copy)
    for client, counts in ((told, (4, 0)), (copies, (0, 4))):
        rows = measure(client, Arm("any"), places)
        assert [row["where"] for row in rows] == list(WHERE)
        assert [(row["right"], row["copied"]) for row in rows] == [counts, counts]


def test_an_engine_can_be_measured(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    arm = Arm("fixed", sampling(policy="fixed", steps=2))
    rows = measure(engine, arm, twin_places(FILES, 2, 3))
    assert [row["places"] for row in rows] == [1, 1]
