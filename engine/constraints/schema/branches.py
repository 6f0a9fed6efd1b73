"""Owns the normal form of a schema: alternatives of one JSON type each, and how two meet.

A *conj* is a set of places whose schemas must all hold; the empty one allows any value.
"""

import json
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeVar

Conj = frozenset[str]
ANYTHING: Conj = frozenset()
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Null:
    """The value null."""


@dataclass(frozen=True, slots=True)
class Boolean:
    """Either truth value."""


@dataclass(frozen=True, slots=True)
class Number:
    """Numbers within bounds; `multiples` must all divide them."""

    integer: bool = False
    low: Decimal | None = None
    low_open: bool = False
    high: Decimal | None = None
    high_open: bool = False
    multiples: tuple[Decimal, ...] = ()


@dataclass(frozen=True, slots=True)
class String:
    """Strings by length in code points, patterns found in them, formats, and texts left out."""

    low: int = 0
    high: int | None = None
    patterns: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    excluded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Array:
    """Arrays: `first[i]` holds for item i, `rest` for later ones (None: there are none)."""

    first: tuple[Conj, ...] = ()
    rest: Conj | None = ANYTHING
    low: int = 0
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Layer:
    """What one schema says about keys: `extra` holds for keys it neither lists nor matches.

    `extra` None: no such key may appear; `implicit`: the schema does not say anything about them.
    """

    listed: tuple[tuple[str, Conj], ...]
    patterns: tuple[tuple[str, Conj], ...]
    extra: Conj | None
    implicit: bool


@dataclass(frozen=True, slots=True)
class Object:
    """Objects by what every schema involved says about their keys."""

    layers: tuple[Layer, ...] = ()
    required: tuple[str, ...] = ()
    forbidden: frozenset[str] = frozenset()
    low: int = 0
    high: int | None = None
    names: Conj = ANYTHING


@dataclass(frozen=True, slots=True)
class Values:
    """A list of given values, each as canonical JSON text."""

    texts: tuple[str, ...]

    def values(self) -> list[Any]:
        """The values themselves."""
        return [json.loads(text, parse_float=Decimal) for text in self.texts]


Branch = Null | Boolean | Number | String | Array | Object | Values
ALL: tuple[Branch, ...] = (Null(), Boolean(), Number(), String(), Array(), Object())


def meet(one: Branch, other: Branch) -> Branch | None:
    """Values in both, None if the types alone rule that out. Not for `Values`."""
    match one, other:
        case (Null(), Null()) | (Boolean(), Boolean()):
            return one
        case Number(), Number():
            return _meet_numbers(one, other)
        case String(), String():
            return String(
                max(one.low, other.low),
                _least(one.high, other.high),
                _joined(one.patterns, other.patterns),
                _joined(one.formats, other.formats),
                one.excluded | other.excluded,
            )
        case Array(), Array():
            return _meet_arrays(one, other)
        case Object(), Object():
            return Object(
                _joined(one.layers, other.layers),
                _joined(one.required, other.required),
                one.forbidden | other.forbidden,
                max(one.low, other.low),
                _least(one.high, other.high),
                one.names | other.names,
            )
    return None


def _least(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _joined(one: tuple[T, ...], other: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def _meet_numbers(one: Number, other: Number) -> Number:
    found = replace(
        one,
        integer=one.integer or other.integer,
        multiples=_joined(one.multiples, other.multiples),
    )
    if other.low is not None and (
        one.low is None or (other.low, other.low_open) > (one.low, one.low_open)
    ):
        found = replace(found, low=other.low, low_open=other.low_open)
    if other.high is not None and (
        one.high is None or (other.high, not other.high_open) < (one.high, not one.high_open)
    ):
        found = replace(found, high=other.high, high_open=other.high_open)
    return found


def _meet_arrays(one: Array, other: Array) -> Array:
    first: list[Conj] = []
    high = _least(one.high, other.high)
    for i in range(max(len(one.first), len(other.first))):
        a, b = item_at(one, i), item_at(other, i)
        if a is None or b is None:
            return Array(tuple(first), None, max(one.low, other.low), _least(high, i))
        first.append(a | b)
    rest = None if one.rest is None or other.rest is None else one.rest | other.rest
    return Array(tuple(first), rest, max(one.low, other.low), high)


def item_at(array: Array, place: int) -> Conj | None:
    """What holds for one item of an array; None if there is none."""
    return array.first[place] if place < len(array.first) else array.rest


def canonical(value: Any) -> str:
    """JSON text by which equal values are told (1.0 and 1 are equal); keys keep their order."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, dict):
        pairs = (f"{json.dumps(k, ensure_ascii=False)}:{canonical(v)}" for k, v in value.items())
        return "{" + ",".join(pairs) + "}"
    number = Decimal(str(value))
    whole = number == number.to_integral_value()
    return str(int(number)) if whole else format(number.normalize(), "f")


def same(one: Any, other: Any) -> bool:
    """JSON equality: numbers by value, objects without order, true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return canonical(one) == canonical(other) and type(one) in _like(other)


def _like(value: Any) -> tuple[type, ...]:
    if isinstance(value, bool) or value is None or isinstance(value, str | list | dict):
        return (type(value),)
    return (int, float, Decimal)
