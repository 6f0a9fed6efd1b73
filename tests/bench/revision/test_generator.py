"""The benchmark's own rules: what is substituted, which spans are drawn, how they are scored."""

import argparse
import ast
import random
import re
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from protocol.messages import ClientMessage, Done, ReviseText, ServerMessage, Stats, Token
from tests.bench.common.records import Stamped
from tests.bench.revision import build
from tests.bench.revision.__main__ import Bench
from tests.bench.revision.items import (
    BUGS,
    SPAN_TOKENS,
    Item,
    Program,
    clean_items,
    misspelt_items,
    spans,
    substituted_items,
)
from tests.bench.revision.measure import auc, localisation
from tests.bench.revision.mutations import mutate, sites
from tests.bench.revision.typos import misspellings

SOURCE = '''import math


def total(values, start=0):
    """Sum of positive values, twice."""
    result = start
    for value in values:
        if value > 0 and value is not None:
            result += value * 2
        name = "x"
    return math.floor(result - 1)
'''
PROGRAM = Program("t", SOURCE, "assert total([1, -1]) == 1")


def length(text: str) -> int:
    return len(text.split())


def words(source: str) -> dict[str, tuple[str, ...]]:
    return {source[s.start : s.stop]: s.choices for s in sites(source, 0, len(source))}


def test_substitutions_keep_the_type() -> None:
    found = words(SOURCE)
    assert set(found[">"]) == {"<", "<=", ">=", "==", "!="}
    assert found["and"] == ("or",)
    assert set(found["+="]) == {"-=", "*=", "//=", "/="}
    assert found["2"] == ("3", "1", "0")
    assert set(found["result"]) <= {"start", "value", "values", "name"}
    assert not {"math", "total", "floor", "import", "None", "in", "is"} & set(found)


def test_a_mutation_says_where_it_is() -> None:
    dice = random.Random(3)
    for _ in range(50):
        chosen = dice.sample(sites(SOURCE, 0, len(SOURCE)), 3)
        mutation = mutate(SOURCE, chosen, dice)
        old = [SOURCE[site.start : site.stop] for site in sorted(chosen, key=lambda s: s.start)]
        new = [mutation.source[a:b] for a, b in mutation.places]
        assert all(a != b for a, b in zip(old, new, strict=True))
        restored = mutation.source
        for (start, stop), word in reversed(list(zip(mutation.places, old, strict=True))):
            restored = restored[:start] + word + restored[stop:]
        assert restored == SOURCE


def test_spans_are_whole_lines_of_a_body() -> None:
    for start, stop in spans(SOURCE):
        text = SOURCE[start:stop]
        assert text.startswith("    ") and text.endswith("\n") and '"""' not in text


def test_items_put_back_together_are_the_program() -> None:
    broken = list(substituted_items(PROGRAM, length, random.Random(1)))
    assert broken
    for item in [*broken, *clean_items(PROGRAM, length, random.Random(1))]:
        assert item.prefix + item.gold + item.suffix == SOURCE
        assert 3 <= length(item.text) <= SPAN_TOKENS
        ast.parse(item.prefix + item.text + item.suffix)
        assert bool(item.wrong) == (item.text != item.gold)


def test_a_misspelt_name_stands_elsewhere_too() -> None:
    items = list(misspelt_items(PROGRAM, length, random.Random(2)))
    assert items
    for item in items:
        ((start, stop),) = item.wrong
        slip = item.text[start:stop]
        assert slip.isidentifier() and not re.search(rf"\b{slip}\b", SOURCE)
        assert abs(len(item.text) - len(item.gold)) <= 1 and item.text != item.gold


def test_misspellings_are_one_slip_away() -> None:
    assert {"totl", "ttal", "toal"} < set(misspellings("total"))
    assert {"totaal", "toatl", "totsl"} < set(misspellings("total"))
    assert "total" not in misspellings("total") and misspellings("a") == []


def test_only_bugs_that_fail_and_golds_that_pass_are_kept() -> None:
    def passes(sources: Sequence[str]) -> list[bool]:
        return ["> 0" in source for source in sources]

    kept = build.bugs([PROGRAM], length, passes, 5, 1, BUGS["substitutions"])
    assert kept and all("> 0" not in item.program(item.text) for item in kept)
    assert build.bugs([PROGRAM], length, passes, 5, 1, BUGS["substitutions"]) == kept
    assert len(build.clean([PROGRAM], length, passes, 3, seed=1)) == 3


def test_localisation_is_the_chance_to_score_a_broken_token_lower() -> None:
    item = Item("i", "", "a < b", "", "a > b", "", ((2, 3),))
    tokens = [
        Token("a", 0.9, 0),
        Token(" >", 0.2, 0, revised_from=" <"),
        Token(" b", 0.1, 0),
        Token("x", 0.0, 0, revised_from="", locked=True),
    ]
    assert localisation(item, tokens) == 0.5
    assert localisation(item, tokens[:2]) == 1.0
    assert localisation(item, tokens[1:2]) is None


def test_ties_count_half() -> None:
    labels = np.array([True, False, False])
    assert auc(labels, np.array([1.0, 1.0, 0.0])) == 0.75


class Reader:
    """An engine that takes a second for a text it has not read, and no time for one that it has."""

    def __init__(self) -> None:
        self._read: set[str] = set()
        self._outbox: deque[ServerMessage] = deque()

    def send(self, message: ClientMessage) -> None:
        """See EngineClient."""
        assert isinstance(message, ReviseText)
        stats = Stats(forwards=1, wall_ms=0.0 if message.prefix in self._read else 1000.0)
        self._read.add(message.prefix)
        self._outbox.append(Done(message.id, message.text, "stop", (), stats))

    def receive(self) -> ServerMessage | None:
        """See EngineClient."""
        return self._outbox.popleft() if self._outbox else None

    def close(self) -> None:
        """See EngineClient."""


def test_each_method_reads_the_context_of_an_item_itself(tmp_path: Path) -> None:
    options = argparse.Namespace(set="crb", strength=0.3, rounds=4, guard=None)
    bench = Bench(options, Reader, Stamped(tmp_path / "records.jsonl", ("a commit",)))
    item = next(clean_items(PROGRAM, length, random.Random(1)))
    for method in ("posterior", "edit", "p2"):
        assert bench.record(method, item)["ms"] == 1000.0
