"""Owns the reading of type-specific keywords into branches; combinators are `normalise`'s."""

from decimal import Decimal
from typing import Any

from engine.constraints.errors import InvalidConstraintError
from engine.constraints.schema.branches import (
    ALL,
    ANYTHING,
    Array,
    Boolean,
    Branch,
    Conj,
    Layer,
    Null,
    Number,
    Object,
    String,
)
from engine.constraints.schema.document import child

_KINDS: dict[str, Branch] = {
    "null": Null(),
    "boolean": Boolean(),
    "integer": Number(integer=True),
    "number": Number(),
    "string": String(),
    "array": Array(),
    "object": Object(),
}


def typed_branches(schema: dict[str, Any], place: str) -> list[Branch]:
    """One branch for each type the schema allows, with the keywords of that type."""
    kinds = schema.get("type")
    if kinds is None:
        branches: list[Branch] = list(ALL)
    else:
        names = [kinds] if isinstance(kinds, str) else kinds
        if "number" in names:
            names = [name for name in names if name != "integer"]
        branches = [_kind(name, place) for name in dict.fromkeys(names)]
    return [_with_keywords(branch, schema, place) for branch in branches]


def _kind(name: str, place: str) -> Branch:
    if name not in _KINDS:  # dialects don't check what stands where they expect no schema
        raise InvalidConstraintError(f"invalid schema at {place}: there is no type {name!r}")
    return _KINDS[name]


def _with_keywords(branch: Branch, schema: dict[str, Any], place: str) -> Branch:
    match branch:
        case Number():
            return _number(branch.integer, schema)
        case String():
            return _string(schema)
        case Array():
            return _array(schema, place)
        case Object():
            return _object(schema, place)
    return branch


def _decimal(value: Any) -> Decimal | None:
    return None if value is None or isinstance(value, bool) else Decimal(str(value))


def _number(integer: bool, schema: dict[str, Any]) -> Number:
    low, high = _decimal(schema.get("minimum")), _decimal(schema.get("maximum"))
    # Draft 4 has true or false here, later drafts a bound of its own.
    low_open = schema.get("exclusiveMinimum") is True
    high_open = schema.get("exclusiveMaximum") is True
    above, below = (
        _decimal(schema.get("exclusiveMinimum")),
        _decimal(schema.get("exclusiveMaximum")),
    )
    if above is not None and (low is None or above >= low):
        low, low_open = above, True
    if below is not None and (high is None or below <= high):
        high, high_open = below, True
    divisor = _decimal(schema.get("multipleOf"))
    multiples = () if divisor is None else (divisor,)
    return Number(integer, low, low_open, high, high_open, multiples)


def _count(value: Any) -> int | None:
    return None if value is None else int(value)


def _string(schema: dict[str, Any]) -> String:
    return String(
        _count(schema.get("minLength")) or 0,
        _count(schema.get("maxLength")),
        (schema["pattern"],) if "pattern" in schema else (),
        (schema["format"],) if "format" in schema else (),
    )


def _array(schema: dict[str, Any], place: str) -> Array:
    first, rest = "prefixItems", "items"
    if isinstance(schema.get("items"), list):
        first, rest = "items", "additionalItems"  # up to draft 2019-09
    count = len(schema.get(first, []))
    return Array(
        tuple(frozenset({child(place, first, i)}) for i in range(count)),
        _schema_at(schema, rest, place),
        _count(schema.get("minItems")) or 0,
        _count(schema.get("maxItems")),
    )


def _schema_at(schema: dict[str, Any], keyword: str, place: str) -> Conj | None:
    """The conj of a subschema: anything where it is missing or true, None where it is false."""
    value = schema.get(keyword, True)
    if isinstance(value, bool):
        return ANYTHING if value else None
    return frozenset({child(place, keyword)})


def _object(schema: dict[str, Any], place: str) -> Object:
    named = {"properties", "patternProperties", "additionalProperties"}
    layers: tuple[Layer, ...] = ()
    if named & schema.keys():
        listed, patterns = (
            tuple((key, frozenset({child(place, word, key)})) for key in schema.get(word, {}))
            for word in ("properties", "patternProperties")
        )
        extra = _schema_at(schema, "additionalProperties", place)
        layers = (Layer(listed, patterns, extra, "additionalProperties" not in schema),)
    required = schema.get("required", [])
    names = _schema_at(schema, "propertyNames", place)
    return Object(
        layers,
        tuple(required) if isinstance(required, list) else (),
        low=_count(schema.get("minProperties")) or 0,
        high=0 if names is None else _count(schema.get("maxProperties")),
        names=names or ANYTHING,
    )
