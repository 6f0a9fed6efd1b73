"""Documents of YAML, TOML and JSON under a schema: values by construction, the rest judged."""

import json
from typing import Any

import pytest

from engine.constraints.data import documents
from engine.local import LocalEngine
from protocol.constraint import Syntax
from protocol.messages import Done, Error
from tests.engine.held.asking import done, fill, heard, refused

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "port": {"type": "integer"},
        "level": {"enum": ["debug", "info"]},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
    },
}


def under(language: str, **fields: Any) -> Syntax:
    return Syntax(language=language, schema=json.dumps(SCHEMA), **fields)


@pytest.mark.parametrize("policy", ["causal", "speculate", "threshold"])
@pytest.mark.parametrize(
    ("language", "before", "behind", "answers"),
    [
        ("yaml", "level: ", "\nport: 1\n", {"debug", "info"}),
        ("yaml", "level:", "\r\nport: 1\r\n", {" debug", " info"}),
        ("yaml", "tags:\n  - ", "\n", {"a", "b"}),
        ("toml", "level = ", "\nport = 1\n", {'"debug"', '"info"'}),
        ("json", '{"level": ', "}", {'"debug"', '"info"'}),
    ],
)
def test_a_listed_value_is_one_of_the_list(
    engine: LocalEngine, language: str, before: str, behind: str, answers: set[str], policy: Any
) -> None:
    request = fill(under(language), policy, prefix=before, suffix=behind)
    assert done(engine, request).text in answers


def test_a_number_is_one(engine: LocalEngine) -> None:
    end = done(engine, fill(under("yaml"), prefix="port: ", suffix="\n"))
    assert isinstance(documents("yaml", f"port: {end.text}\n")[0]["port"], int)


@pytest.mark.parametrize("language", ["yaml", "toml"])
def test_other_answers_are_judged_or_refused(engine: LocalEngine, language: str) -> None:
    before = "name: x\n" if language == "yaml" else 'name = "x"\n'
    for seed in range(4):
        sampling = {"seed": seed, "temperature": 1.0}
        request = fill(under(language), prefix=before, suffix="\n", sampling=sampling, tokens=4)
        end = heard(engine, request)[-1]
        if isinstance(end, Done):
            (value,) = documents(language, before + end.text + "\n")
            assert isinstance(value, dict) and isinstance(value.get("name"), str)
        else:
            assert isinstance(end, Error)
            assert (end.code, end.param) == ("constraint_unsatisfiable", "constraint")


def test_old_text_that_keeps_to_the_schema_is_the_fallback(engine: LocalEngine) -> None:
    request = fill(under("toml"), prefix="", suffix="\n", old_text='name = "x"')
    end = done(engine, request)
    (value,) = documents("toml", end.text + "\n")
    assert isinstance(value["name"], str)


@pytest.mark.parametrize(
    ("asked", "code", "part"),
    [
        (Syntax(language="python", schema="{}"), "unsupported", "there are json, toml, yaml"),
        (Syntax(language="yaml", schema="{"), "constraint_invalid", "Invalid schema"),
        (Syntax(language="yaml", schema='{"type": 1}'), "constraint_invalid", "Invalid schema"),
    ],
)
def test_schemas_that_can_not_be_used_are_refused(
    engine: LocalEngine, asked: Syntax, code: str, part: str
) -> None:
    error = refused(engine, fill(asked))
    assert error.code == code
    assert part in error.message
