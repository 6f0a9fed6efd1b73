"""Fills are kept in flight, every one ends once, and a refusal does not stop the others."""

from protocol.messages import Done, Error, Fill
from tests.bench.fill.drive import fill_all
from tests.bench_tests.fill.fakes import TableEngine


def fills(count: int) -> list[Fill]:
    return [Fill(str(number), f"{number}", "") for number in range(count)]


def test_all_end_with_at_most_so_many_in_flight() -> None:
    engine = TableEngine(lambda fill: fill.prefix)
    ends = list(fill_all(engine, fills(20), 8))
    assert sorted(int(end.id or -1) for end in ends) == list(range(20))
    assert engine.most_live == 8


def test_a_refused_fill_is_an_end_too() -> None:
    engine = TableEngine(lambda fill: None if fill.id == "1" else "x")
    ends = {end.id: end for end in fill_all(engine, fills(3), 2)}
    assert isinstance(ends["1"], Error)
    assert isinstance(ends["2"], Done)
