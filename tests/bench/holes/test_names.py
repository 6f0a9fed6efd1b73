"""What is cut out, and that any new name is right if it is the same everywhere."""

from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from tests.bench.common.sandbox import run_programs
from tests.bench.fill.lengths import OracleLength
from tests.bench.holes.arms import ARMS
from tests.bench.holes.names import Named, named
from tests.bench.revision.items import Program

SOURCE = """def total(values):
    # sum of all
    result = 0
    for value in values:
        result += value
    return result
"""
PROGRAM = Program("t", SOURCE, "assert total([1, 2]) == 3")


def test_every_mention_is_cut_out() -> None:
    (two,) = named([PROGRAM], 2, 5, 1)
    assert (two.name, len(two.pieces)) == ("value", 3)
    (three,) = named([PROGRAM], 3, 5, 1)
    assert (three.name, len(three.pieces)) == ("result", 4)
    assert three.source(["result"] * 3).startswith(SOURCE)
    assert not named([PROGRAM], 4, 5, 1)


def test_any_name_passes_if_the_holes_agree() -> None:
    (item,) = named([PROGRAM], 3, 5, 1)
    sources = [item.source(names) for names in (["a"] * 3, ["a", "a", "b"], ["a b"] * 3)]
    assert [outcome.passed for outcome in run_programs(sources)] == [True, False, False]


def test_every_arm_fills_every_hole(tiny: Model) -> None:
    item = Named("t", "in", ("a = ", "\nb = ", " + 1\n"), "")
    lengths = OracleLength(tiny.config, tiny.tokenizer)
    for fills, policy in ARMS.values():
        filled = fills(LocalEngine(tiny, EngineConfig(threads=1)), item, policy, lengths)
        assert len(filled.names) == 2 and filled.forwards >= 1
