"""Owns which keywords are understood and which are refused; anything else asserts nothing."""

from typing import Any

from engine.constraints.errors import UnsupportedError

# Refused wherever they could rule a value out; the value says when they can't.
_HARMLESS: dict[str, Any] = {
    "contains": (),
    "uniqueItems": (False,),
    "unevaluatedProperties": (True,),
    "unevaluatedItems": (True,),
    "$dynamicRef": (),
    "$recursiveRef": (),
    "extends": (),
    "disallow": (),
}


def refuse_unsupported(schema: dict[str, Any], place: str) -> None:
    """Raise UnsupportedError naming the first keyword that can't be enforced."""
    for keyword, harmless in _HARMLESS.items():
        if keyword in schema and not _is_one_of(schema[keyword], harmless):
            raise unsupported(keyword, place)
    if "if" in schema and ("then" in schema or "else" in schema):
        raise unsupported("if", place)


def unsupported(keyword: str, place: str, why: str = "") -> UnsupportedError:
    """The error for a keyword at a place of the schema."""
    where = place or "the root"
    return UnsupportedError(f"unsupported keyword: {keyword} at {where}{why and f' ({why})'}")


def _is_one_of(value: Any, harmless: tuple[Any, ...]) -> bool:
    return any(value is known for known in harmless)
