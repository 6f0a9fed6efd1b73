"""Twins differ where their heads say so, and nothing else in the text changes."""

import random
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from models.config import ModelConfig
from models.loader import Model
from models.training.edits import parsed
from models.training.samples import Mix, Sampler
from models.training.shards import Shard
from models.training.twins import Twins, draw_twins
from tests.models.training.conftest import source

BEFORE, BEHIND = "import json\n\n\n", "\n\n\nprint(1)\n"
SUM = "def total(first, second):\n    both = [first, second]\n    return first + second"
LOAD = "    def load_users(self, path):\n        users = self.load(path)\n        return users"
SCRIPT = "export function readLines(path) {\n  const lines = split(path);\n  return lines;\n}"


def drawn(function: str, count: int = 60) -> list[Twins]:
    text = BEFORE + function + BEHIND
    found = [draw_twins(text, random.Random(seed)) for seed in range(count)]
    return [twins for twins in found if twins]


def told(twins: Twins) -> list[str]:
    return [twins.text[slice(*span)] for span in twins.lines]


def test_an_operator_is_the_one_that_the_head_names() -> None:
    plus = [twins for twins in drawn(SUM) if "return first - second" in twins.text]
    assert plus
    for twins in plus:
        assert sorted(told(twins)) == ["\n    return first + second", "\n    return first - second"]
        names = re.findall(r"def (\w+)_total\(", twins.text)
        at = names.index(next(n for n in names if n in ("add", "plus", "increase", "sum")))
        assert told(twins)[at].endswith("+ second")


def test_both_orders_occur_and_the_function_itself_stays_among_them() -> None:
    first = [twins.text.index("load_users") for twins in drawn(LOAD) if LOAD in twins.text]
    assert len(set(first)) > 1


def test_words_change_in_every_case_and_place() -> None:
    scripts = [twins for twins in drawn(SCRIPT) if twins.text.count("function") == 2]
    assert scripts
    for twins in scripts:
        one, other = re.findall(r"function (\w+)\(path\)", twins.text)
        assert one != other and twins.text.count("export function") == 2
        assert twins.text.endswith("}" + BEHIND)


@given(st.integers(0, 1_000_000))
def test_nothing_else_changes(seed: int) -> None:
    rng, text = random.Random(seed), source(seed % 9)
    twins = draw_twins(text, rng)
    if twins is None:
        return
    assert len(twins.text) > len(text) and twins.lines
    lines = twins.text.split("\n")
    ends = [line for line in text.split("\n") if line in lines]
    assert len(ends) >= text.count("\n")  # one function has new words, or only its twin
    for start, stop in twins.lines:
        assert twins.text[start] == "\n" and "\n" not in twins.text[start + 1 : stop]
        assert twins.text[stop] == "\n"
    assert not parsed(text) or parsed(twins.text)


def test_there_are_none_in_text_without_functions() -> None:
    assert draw_twins("x = 1\n" * 40, random.Random(1)) is None
    assert draw_twins(BEFORE + SUM, random.Random(1)) is None  # no end in sight
    assert draw_twins(BEFORE + SUM.replace("total", "tötal") + BEHIND, random.Random(1)) is None


def test_training_holes_are_in_the_lines_that_differ(
    shards: Path, tiny: Model, config: ModelConfig
) -> None:
    mix = Mix(twins=1, header=0, context=0, no_prefix=0, windows=((384, 1.0),))
    sampler = Sampler(Shard(shards / "train"), tiny.tokenizer, config, mix, "causal")
    rng, twice = random.Random(3), 0
    for _ in range(30):
        item = sampler.item(rng)
        text = tiny.tokenizer.bytes_of(item.segments[0].ids[1:]).decode()
        heads = re.findall(r"def (\w+)\(", text)
        twice += len(heads) > 1
        for hole in item.holes:
            shown = tiny.tokenizer.bytes_of(hole.slots[0].ids[1:-1])
            assert shown.decode().split("\0")[0] in text
    assert twice > 10
