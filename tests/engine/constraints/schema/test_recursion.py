"""Schemas that lead back to themselves, by keys or straight."""

from itertools import permutations
from typing import Any

import pytest

from engine.constraints.errors import UnsupportedError
from tests.engine.constraints.schema.accepting import accepts, compiled

EXPR = {"$ref": "#/$defs/expr"}


def alternative(kind: str, required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"kind": {"const": kind}, **properties},
        "required": required,
    }


def expressions(*alternatives: dict[str, Any]) -> dict[str, Any]:
    return {**EXPR, "$defs": {"expr": {"oneOf": list(alternatives)}}}


@pytest.mark.parametrize("lit", list(permutations(["kind", "value"])))
@pytest.mark.parametrize("neg", list(permutations(["kind", "arg"])))
def test_one_of_several_may_hold_itself_whatever_is_required_first(
    lit: tuple[str, ...], neg: tuple[str, ...]
) -> None:
    schema = expressions(
        alternative("lit", list(lit), value={"type": "integer"}),
        alternative("neg", list(neg), arg=EXPR),
    )
    one = {"kind": "lit", "value": 1}
    for value in (one, {"kind": "neg", "arg": one}, {"kind": "neg", "arg": {"kind": "neg"}}):
        good = value.get("arg") != {"kind": "neg"}
        assert accepts(schema, value) == good, value


def test_an_item_may_be_of_what_is_being_read() -> None:
    def pair(first: dict[str, Any], second: str) -> dict[str, Any]:
        return {"type": "array", "prefixItems": [first, {"const": second}], "minItems": 2}

    schema = expressions(pair({"type": "null"}, "leaf"), pair(EXPR, "more"))
    assert accepts(schema, [[None, "leaf"], "more"])
    assert not accepts(schema, [None, "more"])


def test_a_key_whose_value_leads_straight_back_to_itself_is_refused() -> None:
    schema = {
        "oneOf": [
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/loop"}}, "required": ["a"]},
            {"type": "null"},
        ],
        "$defs": {"loop": {"$ref": "#/$defs/loop"}},
    }
    with pytest.raises(UnsupportedError, match="straight back to itself"):
        compiled(schema)
