"""The gates: a wrong automaton is found, results are checked, checks end in bounded time."""

import re

import pytest

from engine.constraints.checkers import checker_of, matches_python
from engine.constraints.errors import InvalidConstraintError, TooLargeError, UnsupportedError
from engine.constraints.frontend import ByteLanguage, language_of
from engine.constraints.gates import second_gate, third_gate
from engine.constraints.limits import Bounds, Limits
from engine.constraints.regex import full_match
from engine.constraints.spec import Choices, Ebnf, JsonSchema, Lark, Lengths, Regex


def wrong(pattern: str) -> ByteLanguage:
    return ByteLanguage(full_match(pattern, Limits(), Bounds()).dfa, ())


@pytest.mark.parametrize(
    "spec",
    [
        Regex(pattern="b+"),
        JsonSchema(schema='{"type": "integer"}'),
        Choices(texts=("b",)),
        Lengths(min_chars=50),
        Lark(grammar='start: "b"'),
    ],
)
def test_an_automaton_for_another_language_is_refused(spec: Regex) -> None:
    with pytest.raises(UnsupportedError, match="refuse"):
        second_gate(spec, wrong("a{1,3}"))


def test_a_right_automaton_passes_with_its_notes() -> None:
    spec = JsonSchema(schema='{"type": "string", "maxLength": 5000}')
    assert second_gate(spec, language_of(spec, Limits())) == ("strings longer than 256 characters",)


def test_catastrophic_patterns_do_not_hang() -> None:
    assert matches_python("(a|aa)+b", [b"a" * 200], 0.1) is None
    assert matches_python("a+", [b"aa"], 1.0) is True
    check = third_gate(Regex(pattern="(x+x+)+y"))
    assert check(b"x" * 5000) is not None
    assert check(b"xxy") is None


@pytest.mark.parametrize(
    ("spec", "good", "bad"),
    [
        (Regex(pattern="a|ab"), b"ab", b"abc"),
        (Choices(texts=("a", "ab")), b"ab", b"b"),
        (JsonSchema(schema='{"maximum": 3}'), b"2", b"4"),
        (JsonSchema(schema="{}"), b"[1]", b"NaN"),
        (JsonSchema(schema="{}"), b"1e9", b"1e999"),
        (JsonSchema(schema="{}"), b'"\\u0000"', b'"\x00"'),
        (Lengths(min_chars=2, max_chars=3), "äö".encode(), b"a"),
        (Regex(pattern="a*", max_chars=2), b"aa", b"aaa"),
        (Lark(grammar='start: "a" | "b"'), b"b", b"c"),
        (Ebnf(grammar='root ::= "a"'), b"a", b"\xff"),
    ],
)
def test_results_are_judged(spec: Regex, good: bytes, bad: bytes) -> None:
    check = third_gate(spec)
    assert check(good) is None
    assert check(bad) is not None


@pytest.mark.parametrize(
    "pattern", [r"\w", r"\W", r"[^\w.]", r"[\W_]", r"\s", r"\S", r"\d", r"[^\D]"]
)
def test_the_last_gate_has_the_classes_of_python(pattern: str) -> None:
    check = third_gate(Regex(pattern=pattern))
    for text in "aé²٣_ .[\u0301\u200dⒶ\x1c\u2028":
        assert (check(text.encode()) is None) == bool(re.fullmatch(pattern, text)), text


@pytest.mark.parametrize("pattern", [r"\w", r"\W", r"[^\w\s]", r"\d", r"\D"])
def test_the_last_gate_lets_pass_what_only_a_newer_unicode_knows(pattern: str) -> None:
    assert third_gate(Regex(pattern=pattern))("\u1c89".encode()) is None


def test_a_bad_schema_has_no_checker() -> None:
    with pytest.raises(InvalidConstraintError, match="invalid schema"):
        checker_of(JsonSchema(schema='{"type": 3}'))


def test_the_ladder_of_bounds_ends_in_an_error() -> None:
    with pytest.raises(TooLargeError):
        language_of(Regex(pattern="(a{4000}){4000}"), Limits(seconds=0.5))
