"""What each dialect asks an answer to be held to, as the engine hears it."""

from typing import Any

import httpx
import pytest

from engine.server.routes.wanted import ANY_OBJECT
from protocol.constraint import Choices, Constraint, Ebnf, JsonSchema, Lark, Regex
from tests.engine.server.routes.calls import last_fill, post
from tests.engine.server.running import Running

GUIDED: list[tuple[dict[str, Any], Constraint]] = [
    ({"guided_regex": "a+"}, Regex("a+")),
    ({"guided_choice": ["a", "b"]}, Choices(("a", "b"))),
    ({"guided_json": {"type": "null"}}, JsonSchema('{"type":"null"}')),
    ({"guided_json": '{"type":"null"}'}, JsonSchema('{"type":"null"}')),
    ({"guided_grammar": "root ::= ."}, Ebnf(r"root ::= [\s\S]")),
    ({"guided_grammar": 'start: "a"'}, Lark('start: "a"')),
    ({"guided_regex": "a+", "best_effort": True}, Regex("a+", best_effort=True)),
]
FORMATS: list[tuple[str, dict[str, Any], Constraint | None]] = [
    (
        "/v1/completions",
        {"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "null"}}}},
        JsonSchema('{"type":"null"}'),
    ),
    ("/v1/completions", {"response_format": {"type": "json_object"}}, JsonSchema(ANY_OBJECT)),
    ("/v1/completions", {"response_format": {"type": "text"}}, None),
    ("/infill", {"json_schema": {"type": "null"}}, JsonSchema('{"type":"null"}')),
    ("/infill", {"grammar": 'root ::= "\\x41"'}, Ebnf('root ::= "A"')),
    ("/infill", {"grammar": ""}, None),
    ("/api/generate", {"format": "json"}, JsonSchema(ANY_OBJECT)),
    ("/api/generate", {"format": {"type": "null"}}, JsonSchema('{"type":"null"}')),
    ("/api/generate", {"format": ""}, None),
]


@pytest.mark.parametrize(("extra", "want"), GUIDED)
def test_guided_fields_are_constraints(
    server: Running, extra: dict[str, Any], want: Constraint
) -> None:
    answer = post(server, "/v1/completions", {"prompt": "x", **extra})
    assert answer.status_code == 400, "the fake engine has none"
    assert answer.json()["error"]["code"] == "unsupported"
    assert last_fill(server).constraint == want


@pytest.mark.parametrize(("path", "extra", "want"), FORMATS)
def test_formats_are_constraints(
    server: Running, path: str, extra: dict[str, Any], want: Constraint | None
) -> None:
    post(server, path, {"prompt": "x", "stream": False, **extra})
    assert last_fill(server).constraint == want


@pytest.mark.parametrize(
    ("path", "extra", "code", "param"),
    [
        ("/infill", {"grammar": "root ::= <[3]>"}, "unsupported", "grammar"),
        ("/infill", {"grammar": "root ::= '"}, "constraint_invalid", "grammar"),
        ("/infill", {"grammar": "root ::= '" + " " * 65_536}, "too_large", "grammar"),
        ("/v1/completions", {"guided_grammar": "/" * 65_537}, "too_large", "guided_grammar"),
        ("/v1/completions", {"response_format": {"type": "xml"}}, "unsupported", "response_format"),
        ("/v1/completions", {"guided_regex": "a", "stop": ["b"]}, "unsupported", "stop"),
        ("/v1/completions", {"guided_choice": []}, "invalid_message", None),
    ],
)
def test_what_can_not_be_asked_for_is_named(
    server: Running, path: str, extra: dict[str, Any], code: str, param: str | None
) -> None:
    error = post(server, path, {"prompt": "x", **extra}).json()["error"]
    assert error["code"] == code
    assert param is None or error["param"] == param


@pytest.mark.parametrize(
    ("path", "field"),
    [("/v1/completions", "guided_json"), ("/infill", "json_schema"), ("/api/generate", "format")],
)
@pytest.mark.parametrize("value", [b'"\xff"', b'{"\xff": 1}'])
def test_a_schema_that_is_no_text_is_malformed(
    server: Running, path: str, field: str, value: bytes
) -> None:
    body = b'{"prompt": "x", "' + field.encode() + b'": ' + value + b"}"
    with httpx.Client(trust_env=False, verify=False) as client:
        answer = client.post(server.http + path, content=body)
    assert answer.status_code == 400
    assert "not JSON" in answer.text


def test_a_bound_on_a_constrained_answer_is_its_length(server: Running) -> None:
    post(server, "/v1/completions", {"prompt": "x", "guided_regex": "a+", "max_tokens": 300})
    assert last_fill(server).canvas.tokens == 300
