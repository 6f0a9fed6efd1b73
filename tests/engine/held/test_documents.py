"""Languages of whole documents: what stands around the hole belongs to them."""

import json
import re
from typing import Any

import jsonschema_rs
import pytest

from engine.local import LocalEngine
from protocol.constraint import Choices, Constraint, JsonSchema, Regex
from protocol.messages import CanvasSpec, Done, Error, Fill, Sampling
from protocol.requests import NextHole
from tests.engine.held.asking import SCHEMA, done, fill, heard, refused

DOCUMENT = JsonSchema(SCHEMA, scope="document")
POLICIES = ["causal", "speculate", "threshold", "fixed"]


def valid(text: str) -> bool:
    return jsonschema_rs.is_valid(json.loads(SCHEMA), json.loads(text))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("prefix", "suffix"),
    [
        ('{\n  "name": "ab",\n  "', "\n}\n"),
        ("", ""),
        ('{"name": "a', 'b", "ok": true}'),
        ('{"name": "ab", "ok": true', ""),
        ('{\r\n  "name": "ab",\r\n  ', "\r\n}\r\n"),
        ('{"ok": tr', ', "name": ""}'),
    ],
)
def test_the_document_is_valid(engine: LocalEngine, prefix: str, suffix: str, policy: Any) -> None:
    end = done(engine, fill(DOCUMENT, policy, prefix=prefix, suffix=suffix))
    assert valid(prefix + end.text + suffix)


@pytest.mark.parametrize(
    ("constraint", "prefix", "suffix", "why"),
    [
        (DOCUMENT, '{\n "nome": "', '"}', r"breaks the constraint at line 2, column 4: '.*\"no'"),
        (DOCUMENT, '{"name": "ab", ', "] }", "check the text behind it"),
        (DOCUMENT, '{"name": "abcdefg', '"', "breaks the constraint at line 1, column 17"),
        (Regex("a+", scope="document"), "a", "b", "check the text behind it"),
    ],
)
def test_what_can_not_be_is_said_before_the_first_pass(
    engine: LocalEngine, constraint: Constraint, prefix: str, suffix: str, why: str
) -> None:
    error = refused(engine, fill(constraint, prefix=prefix, suffix=suffix))
    assert (error.code, error.param) == ("constraint_unsatisfiable", "constraint")
    assert re.search(why, error.message), error.message


@pytest.mark.parametrize("policy", ["causal", "fixed", "threshold"])
def test_holes_that_share_a_document(engine: LocalEngine, policy: Any) -> None:
    betweens = ('", "ok": ', ', "n": ')
    request = Fill(
        "several",
        '{"name": "',
        "}",
        constraint=DOCUMENT,
        sampling=Sampling(policy=policy),
        holes=tuple(NextHole(text, canvas=CanvasSpec(tokens=8)) for text in betweens),
    )
    end = done(engine, request)
    first, second, third = end.holes
    assert valid(f'{{"name": "{first}{betweens[0]}{second}{betweens[1]}{third}}}')
    assert end.log_valid is not None


@pytest.mark.parametrize("policy", ["causal", "fixed", "threshold"])
def test_holes_with_languages_of_their_own(engine: LocalEngine, policy: Any) -> None:
    request = Fill(
        "several",
        "x = ",
        "\n",
        constraint=Regex("[0-9]{2}"),
        sampling=Sampling(policy=policy),
        holes=(
            NextHole("\ny = ", constraint=Choices(("red", "blue"))),
            NextHole("\nz = ", canvas=CanvasSpec(tokens=3, pinned=True)),
        ),
    )
    end = done(engine, request)
    assert len(end.holes[0]) == 2 and end.holes[0].isdigit()
    assert end.holes[1] in ("red", "blue")


def test_a_later_hole_that_can_not_be_filled_is_known_at_once(engine: LocalEngine) -> None:
    request = Fill(
        "several",
        "a",
        "a",
        constraint=Regex("a+cb{40}a", scope="document"),
        holes=(NextHole("c", canvas=CanvasSpec(tokens=2)),),
    )
    error = refused(engine, request)
    assert error.code == "constraint_unsatisfiable"


def test_a_canvas_that_is_too_short_says_so_beside_others_too(engine: LocalEngine) -> None:
    request = Fill(
        "several",
        "x = ",
        "\n",
        constraint=Regex("[0-9]{60}"),
        canvas=CanvasSpec(tokens=8),
        sampling=Sampling(policy="fixed"),
        holes=(NextHole("\ny = "),),
    )
    (error,) = heard(engine, request)
    assert isinstance(error, Error)
    assert error.code == "constraint_unsatisfiable"
    assert "at least 60 tokens" in error.message
    plain = fill(None)
    assert isinstance(heard(engine, plain)[-1], Done), "nothing of it stayed"
