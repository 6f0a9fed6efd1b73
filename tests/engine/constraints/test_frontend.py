"""The ladder of bounds and the caps: what is tightened, what is refused, in bounded time."""

import json
from itertools import pairwise

import pytest

from engine.constraints.errors import TooLargeError, UnsatisfiableError
from engine.constraints.frontend import language_of
from engine.constraints.limits import Bounds, Limits, deeper, tighter
from engine.constraints.regex import BEYOND_ASCII
from engine.constraints.spec import Choices, Ebnf, JsonSchema, Lengths, Regex


def test_bounds_are_tightened_until_the_caps_hold() -> None:
    schema = {"type": "array", "items": {"type": "string", "maxLength": 400}, "maxItems": 300}
    found = language_of(JsonSchema(schema=json.dumps(schema)), Limits(seconds=20.0))
    assert found.dfa.states < 30_000
    assert any("strings longer than" in note for note in found.notes)
    assert any("repetitions above" in note for note in found.notes)
    assert found.dfa.accepts(b'["a", "b"]')


def test_ladders_only_tighten() -> None:
    for ladder in (tighter(Bounds(any_order=5)), deeper(Bounds())):
        for wide, narrow in pairwise(ladder):
            assert narrow.depth <= wide.depth
            assert narrow.repeat <= wide.repeat
            assert narrow.any_depth <= wide.any_depth
            assert narrow.any_order <= wide.any_order


def test_an_empty_remainder_is_not_called_unsatisfiable() -> None:
    deep = 'root ::= "a" r1 "b"\n' + "".join(
        f'r{i} ::= "a" r{i + 1} "b" | root root\n' for i in range(1, 12)
    )
    with pytest.raises(TooLargeError, match="recursion deeper than"):
        language_of(Ebnf(grammar=deep + 'r12 ::= "x" root "y"'), Limits())
    with pytest.raises(UnsatisfiableError):
        language_of(Regex(pattern="[^\\s\\S]"), Limits())


def test_character_bounds_cut_any_language() -> None:
    dfa = language_of(Regex(pattern="a*|b{4}", min_chars=2, max_chars=3), Limits()).dfa
    assert [dfa.accepts(b"a" * n) for n in range(5)] == [False, False, True, True, False]
    assert not dfa.accepts(b"bbbb")
    plain = language_of(Lengths(min_chars=1, max_chars=2), Limits()).dfa
    assert plain.accepts("é😀".encode())
    assert not plain.accepts(b"abc")
    assert not plain.accepts(b"")


def test_a_pattern_keeps_to_ascii_where_its_classes_would_be_too_large() -> None:
    wide = language_of(Regex(pattern=r"\w+ \d{4}"), Limits())
    assert wide.dfa.accepts("naïve 2001".encode())
    assert wide.notes == ()
    narrow = language_of(Regex(pattern=r"\w{1,200}"), Limits(seconds=20.0))
    assert narrow.dfa.accepts(b"a" * 200)
    assert not narrow.dfa.accepts("naïve".encode())
    assert narrow.notes == (BEYOND_ASCII,)


def test_choices_are_whole_texts() -> None:
    dfa = language_of(Choices(texts=("New York", "New York City", "")), Limits()).dfa
    assert dfa.accepts(b"New York City")
    assert dfa.accepts(b"")
    assert not dfa.accepts(b"New")


def test_many_choices_stay_small() -> None:
    texts = tuple(f"option number {i} of many" for i in range(5000))
    assert language_of(Choices(texts=texts), Limits(seconds=30.0)).dfa.states < 10_000


def test_a_large_schema_ends_in_bounded_time() -> None:
    keys = {f"k{i}": {"type": ["string", "null"], "maxLength": i % 50} for i in range(15_000)}
    source = json.dumps({"type": "object", "properties": keys})
    assert len(source) > 800_000
    with pytest.raises(TooLargeError):
        language_of(JsonSchema(schema=source), Limits(seconds=1.0))
