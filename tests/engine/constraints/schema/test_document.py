"""Schema documents from outside: bounds, malformed ones, references."""

import json

import pytest

from engine.constraints.errors import InvalidConstraintError, TooLargeError, UnsupportedError
from engine.constraints.limits import Limits
from engine.constraints.schema.document import SchemaDocument, child


def read(source: str) -> SchemaDocument:
    return SchemaDocument(source, Limits())


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ('{"type": "strin"}', "invalid schema at type"),
        ('{"type": "string"', "valid JSON"),
        ('{"minimum": 1e400}', "out of range"),
        ('{"minimum": NaN}', "NaN"),
        ('{"const": "\\ud800"}', "lone surrogates"),
        ("[]", "object, true or false"),
        ("[" * 100_000, "valid JSON"),
        ('{"$ref": "#/nowhere"}', "leads to no schema"),
    ],
)
def test_malformed_documents(source: str, why: str) -> None:
    with pytest.raises(InvalidConstraintError, match=why):
        document = read(source)
        document.target("", document.root["$ref"])


def test_sizes_are_bounded() -> None:
    with pytest.raises(TooLargeError, match="1048576 bytes"):
        read(json.dumps({"description": "x" * 1_100_000}))
    with pytest.raises(TooLargeError, match="nest at most"):
        read('{"not":' * 300 + "{}" + "}" * 300)


def test_remote_references_are_never_fetched() -> None:
    document = read('{"$ref": "http://127.0.0.1:1/x.json#/a"}')
    with pytest.raises(UnsupportedError, match="another document"):
        document.target("", "http://127.0.0.1:1/x.json#/a")
    with pytest.raises(UnsupportedError):
        document.target("", "file:///etc/passwd")


def test_references_by_pointer_anchor_and_identity() -> None:
    document = read(
        json.dumps(
            {
                "$id": "urn:uuid:1",
                "$defs": {
                    "a/b": {"type": "null"},
                    "inner": {"$id": "urn:uuid:2", "$defs": {"c": {"$anchor": "here"}}},
                },
                "enum": [{"$id": "urn:uuid:3"}],
            }
        )
    )
    assert document.target("", "#/$defs/a~1b") == child("", "$defs", "a/b")
    assert document.target("", "urn:uuid:2#here") == "/$defs/inner/$defs/c"
    assert document.target("/$defs/inner", "#/$defs/c") == "/$defs/inner/$defs/c"
    assert document.target("", "#") == ""
    with pytest.raises(UnsupportedError):
        document.target("", "urn:uuid:3")
