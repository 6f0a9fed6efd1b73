"""Which schema a document is held to."""

import json
from pathlib import PurePosixPath

import pytest

from lsp_server.reading.schemas import (
    Rule,
    SchemaError,
    local_path,
    named_schema,
    ruled_schema,
    schema_text,
)
from protocol.limits import SCHEMA_LIMIT


@pytest.mark.parametrize(
    ("text", "language", "place"),
    [
        ('{"$schema": "./s.json", "a": 1}', "json", "./s.json"),
        ('{"a": {"$schema": "x"}}', "json", None),
        ('// c\n{\n  "$schema": "s.json",', "jsonc", "s.json"),
        ("# yaml-language-server: $schema=s.json\na: 1\n", "yaml", "s.json"),
        ("$schema: 's.json'\n", "yaml", "s.json"),
        ("a:\n  $schema: s.json\n", "yaml", None),
        ("#:schema s.json\n", "toml", "s.json"),
        ('"$schema" = "s.json"\n', "toml", "s.json"),
        ('{"$schema": "s.json"}', "python", None),
        ("", "json", None),
    ],
)
def test_a_document_names_its_schema(text: str, language: str, place: str | None) -> None:
    assert named_schema(text, language) == place


def test_the_first_rule_that_fits_counts() -> None:
    rules = [Rule("*.config.json", "a"), Rule("*/deep/*", {"type": "object"}), Rule("*", "c")]
    assert ruled_schema(PurePosixPath("/x/my.config.json"), None, rules) == "a"
    assert ruled_schema(PurePosixPath("/x/deep/b.json"), None, rules) == {"type": "object"}
    assert ruled_schema(PurePosixPath("/x/b.json"), None, rules[:1]) is None


def test_a_pattern_with_folders_is_told_from_the_workspace() -> None:
    rules, path = [Rule(".ci/flows/*.yml", "a")], PurePosixPath("/w/.ci/flows/b.yml")
    assert ruled_schema(path, PurePosixPath("/w"), rules) == "a"
    assert ruled_schema(path, PurePosixPath("/w/.ci"), rules) is None
    assert ruled_schema(path, None, [Rule("/w/.ci/*.yml", "b")]) == "b"


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("s.json", "/w/s.json"),
        ("../s.json#/x", "/w/../s.json"),
        ("/abs/s.json", "/abs/s.json"),
        ("file:///a%20b/s.json", "/a b/s.json"),
    ],
)
def test_places_of_files(place: str, path: str) -> None:
    assert local_path(place, "/w") == path


@pytest.mark.parametrize("place", ["https://example.org/s.json", "http://x/s", "file://host/s"])
def test_nothing_is_fetched(place: str) -> None:
    with pytest.raises(SchemaError, match="local file"):
        local_path(place, "/w")


def test_a_schema_is_sent_short() -> None:
    assert schema_text(b'{ "type" : "object" }') == '{"type":"object"}'
    assert schema_text({"type": "string"}) == '{"type":"string"}'


def test_a_schema_is_as_long_as_the_protocol_lets_it_be() -> None:
    frame = len('{"enum":[""]}')
    assert len(schema_text({"enum": ["x" * (SCHEMA_LIMIT - frame)]})) == SCHEMA_LIMIT
    with pytest.raises(SchemaError, match=f"takes {SCHEMA_LIMIT}"):
        schema_text({"enum": ["x" * (SCHEMA_LIMIT - frame + 1)]})


@pytest.mark.parametrize(
    "source",
    [
        b"{",
        b"[]",
        b"\xff",
        b"[" * 5000,
        b'{"a": NaN}',
        json.dumps({"enum": ["x" * 2_000_000]}).encode(),
    ],
)
def test_bad_schemas_are_told(source: bytes) -> None:
    with pytest.raises(SchemaError):
        schema_text(source)
