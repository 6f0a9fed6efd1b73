"""Specs from outside: every field bounded, one clear error."""

from typing import Any

import pytest

from engine.constraints.errors import InvalidConstraintError
from engine.constraints.spec import Choices, JsonSchema, Lengths, Regex, decode_spec


def test_decoding() -> None:
    assert decode_spec({"kind": "regex", "pattern": "a+"}) == Regex(pattern="a+")
    assert decode_spec({"kind": "choices", "texts": ["a"], "scope": "document"}) == Choices(
        texts=("a",), scope="document"
    )
    assert decode_spec({"kind": "json_schema", "schema": "{}"}) == JsonSchema(schema="{}")
    assert decode_spec({"kind": "lengths", "max_chars": 9}) == Lengths(max_chars=9)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"kind": "wish"}, "invalid constraint"),
        ({"kind": "regex"}, "pattern"),
        ({"kind": "regex", "pattern": "a", "extra": 1}, "extra"),
        ({"kind": "regex", "pattern": "a" * 1_100_000}, "at most"),
        ({"kind": "regex", "pattern": "a\0"}, "NUL"),
        ({"kind": "choices", "texts": []}, "between 1 and"),
        ({"kind": "choices", "texts": ["\ud800"]}, "surrogates"),
        ({"kind": "choices", "texts": ["a" * 600_000, "b" * 600_000]}, "in all"),
        ({"kind": "lengths"}, "needs min_chars"),
        ({"kind": "lengths", "min_chars": 5, "max_chars": 3}, "min_chars <= max_chars"),
        ({"kind": "lengths", "max_chars": 100_000}, "can't be held"),
        ({"kind": "regex", "pattern": "a", "max_chars": 3, "scope": "document"}, "scope"),
        ({"kind": "json_schema", "schema": "{}", "whitespace": "wild"}, "whitespace"),
        ([], "invalid constraint"),
    ],
)
def test_bad_messages(message: Any, why: str) -> None:
    with pytest.raises(InvalidConstraintError, match=why):
        decode_spec(message)
