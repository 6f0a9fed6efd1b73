"""Revisions that keep to a language."""

import pytest

from engine.local import LocalEngine
from protocol.constraint import Choices, Constraint, JsonSchema, Lengths, Regex, Syntax
from protocol.messages import Done, Error, ReviseText, ServerMessage


def revised(engine: LocalEngine, constraint: Constraint, text: str) -> list[ServerMessage]:
    request = ReviseText("r", "x = ", text, "\n", guard=0.0, strength=1.0, constraint=constraint)
    engine.send(request)
    return list(iter(engine.receive, None))


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (Choices(("blue", "red ", "deep")), "blue"),
        (Regex("[a-z]{3,9}"), "return"),
        (JsonSchema('{"type":"string"}'), '"abcd"'),
        (Lengths(max_chars=5), "12345"),
        (Syntax(language="python"), "[1, 2]"),
    ],
)
def test_whatever_is_kept_keeps_to_it(
    engine: LocalEngine, constraint: Constraint, text: str
) -> None:
    free = revised(engine, Regex("[\\s\\S]{0,20}"), text)[-1]
    assert isinstance(free, Done)
    end = revised(engine, constraint, text)[-1]
    assert isinstance(end, Done), end
    match constraint:
        case Choices(choices=choices):
            assert end.text in choices
        case Regex():
            assert end.text.islower() and end.text.isalpha()
        case JsonSchema():
            assert end.text[0] == end.text[-1] == '"'
        case Lengths():
            assert len(end.text) <= 5
        case Syntax():
            compile(f"x = {end.text}\n", "x.py", "exec")


def test_a_text_that_is_outside_already_is_refused(engine: LocalEngine) -> None:
    (error,) = revised(engine, Regex("[0-9]+"), "blue")
    assert isinstance(error, Error)
    assert error.code == "constraint_unsatisfiable"
    assert "as it stands" in error.message


def test_best_effort_says_so_instead(engine: LocalEngine) -> None:
    accepted, *_, end = revised(engine, Regex("[0-9]+", best_effort=True), "blue")
    assert any("not guaranteed" in note for note in accepted.notes)  # type: ignore[union-attr]
    assert isinstance(end, Done)


def test_a_revision_counts_no_tokens(engine: LocalEngine) -> None:
    (error,) = revised(engine, Lengths(exact_tokens=3), "blue")
    assert isinstance(error, Error)
    assert error.code == "unsupported"
