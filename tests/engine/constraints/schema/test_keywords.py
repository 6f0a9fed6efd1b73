"""Every supported keyword with values that satisfy it and values that don't."""

import json
from typing import Any

import jsonschema_rs
import pytest

from engine.constraints.errors import (
    InvalidConstraintError,
    UnsatisfiableError,
    UnsupportedError,
)
from engine.constraints.frontend import language_of
from engine.constraints.limits import Bounds, Limits
from engine.constraints.spec import JsonSchema
from tests.engine.constraints.schema.accepting import accepts, compiled, language

NODE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"v": {"type": "integer"}, "c": {"items": {"$ref": "#/$defs/node"}}},
            "required": ["v"],
            "additionalProperties": False,
        }
    },
}
AB = {"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "type": "object"}

CASES: list[tuple[Any, list[Any], list[Any]]] = [
    (True, [1, "x", None, [1, {"a": []}]], []),
    ({"type": "null"}, [None], [0, False]),
    ({"type": ["integer", "boolean"]}, [1, True], ["x", None, 1.5]),
    ({"type": "number"}, [1, -1.5, 1e-7, 0], ["1"]),
    ({"minimum": -1.25, "type": "number"}, [-1.25, -1, 0, 7, 12.5], [-1.26, -2, -10]),
    ({"exclusiveMaximum": 10, "type": "number"}, [9.99, -5, 0, 1], [10, 10.5, 11, 100]),
    ({"minimum": 3, "maximum": 120, "type": "integer"}, [3, 9, 42, 120], [2, 121, 0, -4, 1000]),
    (
        {
            "minimum": 5,
            "exclusiveMinimum": True,
            "$schema": "http://json-schema.org/draft-04/schema#",
            "type": "integer",
        },
        [6],
        [5, 4],
    ),
    ({"multipleOf": 7, "type": "integer"}, [0, 7, -14, 700], [1, 8]),
    ({"multipleOf": 0.05, "type": "number"}, [0.05, 1.15, 2], [0.01, 1.02]),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "äöü", 'a"\\'], ["a", "abcd"]),
    ({"type": "string", "pattern": "^[A-Z]{2}-\\d+$"}, ["AB-1"], ["AB-", "xAB-1", "AB-1x"]),
    ({"type": "string", "pattern": "b", "maxLength": 3}, ["b", "abc"], ["ac", "aabc"]),
    ({"type": "string", "format": "date"}, ["2024-02-29"], ["2023-02-29", "2024-13-01", "x"]),
    ({"type": "string", "format": "ipv4"}, ["0.1.22.255"], ["256.1.1.1", "1.1.1"]),
    ({"type": "string", "format": "uuid"}, ["123e4567-e89b-12d3-a456-426614174000"], ["123"]),
    ({"enum": ["x", 1, None, {"k": [1]}]}, ["x", 1, None, {"k": [1]}], ["y", 2, {"k": [2]}]),
    ({"enum": [1, "x", 5.0], "minimum": 2}, ["x", 5], [1]),
    ({"enum": [10**30, 1.5], "multipleOf": 1}, [10**30], [1.5]),
    ({"const": 'a\u0000\n"b'}, ['a\u0000\n"b'], ["ab"]),
    (
        {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
        [[1], [1, 2]],
        [[], [1, 2, 3], ["x"], 1],
    ),
    (
        {"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "items": False},
        [[], [1], [1, 2]],
        [[2], [1, 2, 3]],
    ),
    (
        {"type": "array", "prefixItems": [{"const": 1}], "items": {"type": "null"}},
        [[], [1], [1, None, None]],
        [[1, 2]],
    ),
    (
        {
            "type": "array",
            "items": [{"const": 1}],
            "additionalItems": False,
            "$schema": "http://json-schema.org/draft-07/schema#",
        },
        [[], [1]],
        [[1, 1], [2]],
    ),
    (AB, [{}, {"a": 1}, {"b": "x"}, {"a": 1, "b": "x"}], [{"a": "x"}, 1]),
    (
        {**AB, "required": ["b", "z"], "minProperties": 2},
        [{"b": "", "z": 0}],
        [{"b": ""}, {"z": 0}],
    ),
    ({**AB, "maxProperties": 1}, [{}, {"a": 1}, {"b": "x"}], [{"a": 1, "b": "x"}]),
    (
        {**AB, "additionalProperties": {"type": "null"}},
        [{"a": 1, "x": None, "y": None}, {"c": None}],
        [{"c": 1}, {"a": None}],
    ),
    (
        {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1},
        [{"x": 1}, {"x": 1, "y": 2}],
        [{}, {"x": "1"}],
    ),
    (
        {
            "type": "object",
            "patternProperties": {"^n": {"type": "integer"}, "s$": {"type": "string"}},
            "additionalProperties": False,
        },
        [{}, {"n1": 1, "as": "x"}],
        [{"ns": 1}, {"x": 1}, {"n": ""}],
    ),
    ({"type": "object", "propertyNames": {"maxLength": 2}}, [{"ab": 1}], [{"abc": 1}]),
    (
        {"type": "object", "properties": {"abc": {}}, "propertyNames": {"pattern": "^x"}},
        [{}],
        [{"abc": 1}],
    ),
    (
        {"allOf": [AB, {"required": ["a"], "properties": {"a": {"minimum": 3}}}], "type": "object"},
        [{"a": 3}],
        [{"a": 2}, {}],
    ),
    ({"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 1}]}, [1, "x"], ["xy", None]),
    ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, [1, "x"], [None]),
    (
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"},
        [{"a": 1}, {"b": 1}],
        [{}, {"a": 1, "b": 1}],
    ),
    (
        {"oneOf": [{**AB, "properties": {"k": {"const": k}}, "required": ["k"]} for k in "xy"]},
        [{"k": "x"}, {"k": "y"}],
        [{"k": "z"}, {}],
    ),
    ({"oneOf": [{"type": "string"}, {"const": "a"}]}, ["b", ""], ["a"]),
    ({"not": {"type": "string"}}, [1, None], ["x"]),
    ({"not": {"enum": ["a", None]}, "type": ["string", "null"]}, ["b"], ["a", None]),
    ({"type": "object", "not": {"required": ["a"]}}, [{}, {"b": 1}], [{"a": 1}]),
    (
        {"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}},
        [{}, {"b": 1}, {"a": 1, "b": 1}],
        [{"a": 1}],
    ),
    (NODE, [{"v": 1}, {"v": 1, "c": [{"v": 2, "c": []}]}], [{"c": []}, {"v": 1, "c": [{}]}]),
    (
        {
            "$id": "http://x/y",
            "$ref": "z#p",
            "$defs": {"q": {"$id": "z", "$defs": {"r": {"$anchor": "p", "const": 1}}}},
        },
        [1],
        [2],
    ),
    ({"description": "words", "x-unknown": 3, "type": "boolean", "default": 1}, [True], [1]),
]


@pytest.mark.parametrize(("schema", "good", "bad"), CASES)
def test_keyword(schema: Any, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert accepts(schema, value), value
    for value in bad:
        assert not accepts(schema, value), value


@pytest.mark.parametrize(("schema", "good", "bad"), CASES)
def test_the_cases_themselves_are_right(schema: Any, good: list[Any], bad: list[Any]) -> None:
    validator = jsonschema_rs.validator_for(schema, validate_formats=True, offline=True)
    assert all(validator.is_valid(value) for value in good)
    assert not any(validator.is_valid(value) for value in bad)


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        ({"contains": {"const": 1}}, "contains at the root"),
        ({"properties": {"a": {"uniqueItems": True}}}, "uniqueItems at /properties/a"),
        ({"if": {}, "then": False}, "if"),
        ({"unevaluatedProperties": False}, "unevaluatedProperties"),
        ({"$ref": "http://example.com/x.json"}, "another document"),
        ({"$ref": "#", "type": "object"}, "straight back to itself"),
        ({"oneOf": [{"minimum": 1}, {"maximum": 5}]}, "oneOf at the root .alternatives that over"),
        ({"not": {"minimum": 3}}, "not at /not|not at the root"),
        ({"type": "string", "format": "regex"}, "format 'regex'"),
        ({"type": "string", "pattern": "(?!a)b"}, "look-ahead"),
        ({"type": "number", "multipleOf": 12345.678}, "multipleOf"),
        ({"type": "integer", "minimum": 1e16, "multipleOf": 10}, "multipleOf for numbers of over"),
        ({"type": "object", "minProperties": 4}, "minProperties"),
    ],
)
def test_unsupported_keywords_are_named(schema: Any, named: str) -> None:
    with pytest.raises(UnsupportedError, match=named):
        compiled(schema)


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"type": "string", "enum": [1]},
        {"type": "integer", "minimum": 3, "maximum": 2},
        {"type": "integer", "minimum": 3, "maximum": 4, "multipleOf": 5},
        {"type": "string", "minLength": 5, "maxLength": 2},
        {"type": "object", "required": ["a"], "properties": {"a": False}},
        {"type": "array", "minItems": 1, "items": False},
        {"allOf": [{"type": "string"}, {"type": "null"}]},
    ],
)
def test_unsatisfiable_schemas_say_so(schema: Any) -> None:
    with pytest.raises(UnsatisfiableError, match="no text meets"):
        compiled(schema)


def test_a_type_that_there_is_not_is_named_where_the_dialect_does_not_look() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$defs": {"a": {"type": "foo"}},
        "properties": {"a": {"$ref": "#/$defs/a"}},
    }
    with pytest.raises(InvalidConstraintError, match=r"/\$defs/a: there is no type 'foo'"):
        compiled(schema)


def test_spelling_styles() -> None:
    schema = json.dumps({**AB, "required": ["a", "b"]})
    value = {"a": 1, "b": "x"}
    spaced = language(schema, "spaced").dfa
    flexible = language(schema, "flexible").dfa
    assert spaced.accepts(json.dumps(value).encode())
    assert not spaced.accepts(json.dumps(value, separators=(",", ":")).encode())
    for indent in (None, 1, 4, "\t"):
        assert flexible.accepts(json.dumps(value, indent=indent).encode())
    assert flexible.accepts(json.dumps(value, separators=(",", ":")).encode())
    assert not flexible.accepts(b'{"a":  1,"b":"x"}')


def test_documents_take_any_white_space_and_key_order() -> None:
    schema = {**AB, "required": ["b"], "additionalProperties": {"type": "null"}}
    spec = JsonSchema(schema=json.dumps(schema), scope="document")
    dfa = language_of(spec, Limits()).dfa
    for text in [
        '{"a": 1, "b": ""}',
        '\n{ "b" :\n\n  "",\t"a": 1 }\n',
        '{"z":null,"b":"","y":null,"a":2}',
        '{"b":""}',
    ]:
        assert dfa.accepts(text.encode()), text
    for text in ['{"a":1}', '{"b":"","b":""}', "{}", '{"b":"",}', '{,"b":""}', '{"b":"" "a":1}']:
        assert not dfa.accepts(text.encode()), text


def test_more_keys_than_orders_can_be_held_come_in_schema_order() -> None:
    schema = {"type": "object", "properties": {key: {"const": 1} for key in "abcdefgh"}}
    spec = JsonSchema(schema=json.dumps(schema), scope="document")
    dfa = language_of(spec, Limits()).dfa
    assert dfa.accepts(b'{"a":1,"h":1}')
    assert not dfa.accepts(b'{"h":1,"a":1}')


def test_keys_come_in_schema_order() -> None:
    assert accepts(AB, {"a": 1, "b": "x"})
    assert not accepts(AB, {"b": "x", "a": 1})


def test_strings_are_json_strings() -> None:
    plain = compiled({"type": "string"})
    for text in ['"\\u00e9\\ud83d\\ude00\\n"', '"é😀/"', '"\\/"']:
        assert plain.accepts(text.encode())
    for text in ['"\n"', '"\\ud83d"', '"\\x"', '"\x01"', '"']:
        assert not plain.accepts(text.encode())
    bounded = compiled({"type": "string", "maxLength": 2})
    assert bounded.accepts(b'"\\t\\""')
    assert not bounded.accepts(b'"\t"')


def test_keys_on_which_dialects_differ_do_not_appear() -> None:
    schema = {
        "type": "object",
        "patternProperties": {"^\\w+$": {"type": "integer"}},
        "additionalProperties": {"type": "string"},
    }
    assert accepts(schema, {"e": 1, "!": "x"})
    assert not accepts(schema, {"e": "x"})
    assert not accepts(schema, {"\u00e9": 1})
    assert not accepts(schema, {"\u00e9": "x"})
    with pytest.raises(UnsupportedError, match="pattern"):
        compiled({**schema, "properties": {"\u00e9": {}}})


def test_cuts_are_reported() -> None:
    found = language(json.dumps({"type": "string", "maxLength": 5000}))
    assert found.notes == ("strings longer than 256 characters",)
    deep = language(json.dumps(NODE), "compact", Bounds(depth=1))
    assert "recursion deeper than 1" in deep.notes
    odd = language(json.dumps({"type": "string", "format": "phone"}))
    assert odd.notes == ("format 'phone' is not checked",)
