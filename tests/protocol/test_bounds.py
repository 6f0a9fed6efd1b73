"""Nothing that a client may say is without bounds: every number, text and list has them."""

from collections.abc import Callable, Iterator
from typing import Any, get_args

import msgspec
import pytest
from msgspec import inspect

from protocol.messages import ToServer
from protocol.values import Stats

KINDS = get_args(ToServer)


def parts(shape: inspect.Type, place: str) -> Iterator[tuple[str, inspect.Type]]:
    """Every type inside a type, each with the way to it."""
    yield place, shape
    match shape:
        case inspect.UnionType(types):
            for one in types:
                yield from parts(one, place)
        case inspect.VarTupleType(item) | inspect.ListType(item):
            yield from parts(item, f"{place}[]")
        case inspect.StructType(fields=fields):
            for field in fields:
                yield from parts(field.type, f"{place}.{field.name}")


def unbounded(shape: inspect.Type) -> bool:
    match shape:
        case inspect.IntType() | inspect.FloatType():
            low = shape.ge is not None or shape.gt is not None
            return not (low and (shape.le is not None or shape.lt is not None))
        case inspect.StrType() | inspect.VarTupleType():
            return shape.max_length is None
        case inspect.StructType():
            return not shape.forbid_unknown_fields
        case inspect.DictType() | inspect.AnyType() | inspect.RawType():
            return True
    return False


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_part_of_a_request_is_bounded(kind: type) -> None:
    found = [place for place, shape in parts(inspect.type_info(kind), "") if unbounded(shape)]
    assert not found


def least(shape: inspect.Type) -> Any:
    """The smallest value of a type, as JSON has it."""
    match shape:
        case inspect.UnionType(types):
            return least(types[0])
        case inspect.VarTupleType(item, min_length):
            return [least(item)] * (min_length or 0)
        case inspect.StructType(fields=fields):
            body = {field.encode_name: least(field.type) for field in fields if field.required}
            return {**body, shape.tag_field: shape.tag} if shape.tag_field else body
        case inspect.StrType(min_length):
            return "a" * (min_length or 0)
        case inspect.LiteralType(values):
            return values[0]
        case inspect.IntType() | inspect.FloatType():
            return shape.ge if shape.ge is not None else (shape.gt or 0) + 1
        case inspect.BoolType():
            return False
    raise NotImplementedError(shape)


Build = Callable[[object], Any]


def numbers(shape: inspect.Type) -> Iterator[tuple[inspect.IntType | inspect.FloatType, Build]]:
    """Every number inside a type, each with how to make a whole value around it."""
    match shape:
        case inspect.IntType() | inspect.FloatType():
            yield shape, lambda value: value
        case inspect.UnionType(types):
            for one in types:
                yield from numbers(one)
        case inspect.VarTupleType(item):
            for number, build in numbers(item):
                yield number, lambda value, build=build: [build(value)]  # type: ignore[misc]
        case inspect.StructType(fields=fields):
            for field in fields:
                for number, build in numbers(field.type):
                    yield number, _within(shape, field.encode_name, build)


def _within(shape: inspect.StructType, name: str, build: Build) -> Build:
    return lambda value: {**least(shape), name: build(value)}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_numbers_outside_are_refused_wherever_they_stand(kind: type) -> None:
    msgspec.convert(least(inspect.type_info(kind)), kind)
    for number, build in numbers(inspect.type_info(kind)):
        low = number.ge if number.ge is not None else number.gt
        high = number.le if number.le is not None else number.lt
        assert low is not None
        assert high is not None
        msgspec.convert(build(high), kind)
        for value in (low - 1, high + 1, 2**63, -(2**63), 2**70, True, "1"):
            if isinstance(value, bool | str) or not low <= value <= high:
                with pytest.raises(msgspec.ValidationError):
                    msgspec.convert(build(value), kind)


def test_the_measure_finds_what_has_no_bounds() -> None:
    assert any(unbounded(shape) for _, shape in parts(inspect.type_info(Stats), ""))
