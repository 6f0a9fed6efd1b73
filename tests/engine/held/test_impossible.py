"""Bad and impossible requests: one clear error in bounded time, and the engine goes on."""

import json
from typing import Any

import pytest

from engine.local import LocalEngine
from protocol.constraint import Choices, Constraint, Ebnf, JsonSchema, Lark, Lengths, Regex, Syntax
from protocol.messages import Done
from tests.engine.held.asking import done, fill, heard, refused

DEEP = '{"properties":{"a":' * 150 + "true" + "}}" * 150
BLOW_UP = "\n".join(f"r{n} ::= r{n + 1} r{n + 1} r{n + 1}" for n in range(30))
LARGE = json.dumps({"enum": [f"value {n}" for n in range(90_000)]})
RECURSIVE = {
    "$ref": "#/$defs/n",
    "$defs": {"n": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/n"}}] * 40}},
}


@pytest.mark.parametrize(
    ("constraint", "code", "why"),
    [
        (JsonSchema('{"$ref": "http://example.org/x"}'), "unsupported", "another document"),
        (JsonSchema('{"uniqueItems": true, "type": "array"}'), "unsupported", "uniqueItems"),
        (JsonSchema("{"), "constraint_invalid", "schema"),
        (JsonSchema('{"type": 3}'), "constraint_invalid", "type"),
        (JsonSchema("false"), "constraint_unsatisfiable", "no text"),
        (
            JsonSchema('{"type":"string","minLength":5,"maxLength":2}'),
            "constraint_unsatisfiable",
            "no text",
        ),
        (Regex("(?=a)b"), "unsupported", "look-ahead"),
        (Regex("(a"), "constraint_invalid", "pattern"),
        (Regex("a\0b"), "constraint_invalid", "NUL"),
        (Regex("(a{1000}){1000}(b{1000}){1000}"), "too_large", ""),
        (Choices(("a\0",)), "constraint_invalid", "NUL"),
        (Ebnf("root = x"), "constraint_invalid", "line 1"),
        (Ebnf("root ::= missing"), "constraint_invalid", "missing"),
        (Lark("begin: /a/"), "constraint_invalid", "start"),
        (Syntax(language="klingon"), "unsupported", "there are python"),
        (Regex("a{30}", max_chars=10), "constraint_unsatisfiable", "no text"),
        (Regex("[a-z]{9}é", exact_tokens=2), "constraint_unsatisfiable", "exactly 2 tokens"),
    ],
)
def test_what_is_impossible_is_named(
    engine: LocalEngine, constraint: Constraint, code: str, why: str
) -> None:
    error = refused(engine, fill(constraint))
    assert error.code == code, error.message
    assert why.lower() in error.message.lower()
    assert error.param == "constraint"


@pytest.mark.parametrize("policy", ["causal", "speculate", "threshold"])
@pytest.mark.parametrize("init", [("abc",), (None, "abc")])
def test_a_warm_start_that_breaks_the_constraint_is_left_out(
    engine: LocalEngine, policy: Any, init: tuple[str | None, ...]
) -> None:
    assert done(engine, fill(Regex("[0-9]{1,6}"), policy, init=init)).text.isdigit()


def test_lone_surrogates_are_refused(engine: LocalEngine) -> None:
    assert refused(engine, fill(Regex("a\ud800"))).code == "constraint_invalid"


@pytest.mark.parametrize(
    "constraint",
    [
        JsonSchema(DEEP),
        JsonSchema(json.dumps(RECURSIVE)),
        JsonSchema(LARGE),
        Regex("(.*a){1,100000}"),
        Regex("(a|a)*(a|aa)*b" * 20),
        Regex("(x+x+)+y"),
        Ebnf(f"root ::= r0\n{BLOW_UP}\nr30 ::= [a-z]*"),
        Lark('start: "(" start start start ")" | "a"'),
    ],
)
def test_large_requests_end_in_bounded_time(engine: LocalEngine, constraint: Constraint) -> None:
    """The caps are those of the compile process: 10 seconds of its clock, then it is killed."""
    last = heard(engine, fill(constraint))[-1]
    assert isinstance(last, Done) or last.code in (
        "too_large",
        "unsupported",
        "constraint_unsatisfiable",
        "constraint_invalid",
    )
    assert done(engine, fill(Regex("ok"))).text == "ok"


@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_a_hole_that_is_too_short_says_what_is_needed(engine: LocalEngine, policy: Any) -> None:
    error = refused(engine, fill(Regex("[0-9]{9}"), policy, tokens=4, prefix="x("))
    assert error.code == "constraint_unsatisfiable"
    assert error.message == "The constraint needs at least 9 tokens; the hole has 4."


@pytest.mark.parametrize(
    ("constraint", "note", "finish"),
    [
        (
            JsonSchema('{"type":"array","uniqueItems":true}', best_effort=True),
            "uniqueItems",
            "constraint",
        ),
        # Nothing can judge this one, so that only the note tells.
        (Regex("(?=a)[a-b]+", best_effort=True), "look-ahead", "length"),
    ],
)
def test_best_effort_is_said_and_marked(
    engine: LocalEngine, constraint: Constraint, note: str, finish: str
) -> None:
    accepted, *_, end = heard(engine, fill(constraint))
    (told,) = accepted.notes  # type: ignore[union-attr]
    assert "not guaranteed" in told and note in told
    assert isinstance(end, Done)
    assert end.finish == finish, "noise does not keep to a schema by chance"
    assert end.log_valid is None


def test_best_effort_changes_nothing_where_the_language_is_guaranteed(engine: LocalEngine) -> None:
    accepted, *_, end = heard(engine, fill(Regex("[a-b]{3}", best_effort=True)))
    assert isinstance(end, Done)
    assert len(end.text) == 3 and end.finish != "constraint"
    assert accepted.notes == ()  # type: ignore[union-attr]


def test_best_effort_in_a_document_that_is_broken_already(engine: LocalEngine) -> None:
    request = fill(Regex("a+", scope="document", best_effort=True), prefix="b", suffix="")
    accepted, *_, end = heard(engine, request)
    assert any("already breaks" in text for text in accepted.notes)  # type: ignore[union-attr]
    assert isinstance(end, Done)
    assert end.finish == "constraint"


def test_malformed_is_an_error_even_with_best_effort(engine: LocalEngine) -> None:
    assert refused(engine, fill(Regex("(a", best_effort=True))).code == "constraint_invalid"


def test_what_was_cut_from_a_language_is_told(engine: LocalEngine) -> None:
    accepted, *_ = heard(engine, fill(JsonSchema('{"type":"object"}'), tokens=40))
    assert any("nested deeper" in note for note in accepted.notes)  # type: ignore[union-attr]


def test_lengths_hold_together_with_a_language(engine: LocalEngine) -> None:
    end = done(engine, fill(Regex("[a-z]*", min_chars=4, max_chars=6)))
    assert 4 <= len(end.text) <= 6
    assert len(done(engine, fill(Lengths(max_chars=2))).text) <= 2
