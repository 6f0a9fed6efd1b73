"""Owns the white space of generated JSON: what stands around commas, colons and brackets."""

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from engine.constraints.errors import InvalidConstraintError
from engine.constraints.expression import (
    EMPTY,
    ByteSet,
    Choice,
    Concat,
    Literal,
    Node,
    Repeat,
    concat,
    optional,
)

_BREAK = concat(
    optional(Literal(b"\r")), Literal(b"\n"), Repeat(ByteSet(((9, 9), (32, 32))), 0, None)
)
_FREE = Choice((EMPTY, Literal(b" "), _BREAK))


@dataclass(frozen=True, slots=True)
class Spelling:
    """Nodes for the tokens of JSON that white space may touch."""

    comma: Node
    colon: Node
    inner: Node  # inside a non-empty bracket pair, at both ends

    def array(self, body: Node) -> Node:
        """A list that is not empty; a body that may be empty is written as such."""
        return Concat((Literal(b"["), self.inner, body, self.inner, Literal(b"]")))

    def object(self, body: Node) -> Node:
        """The same for an object."""
        return Concat((Literal(b"{"), self.inner, body, self.inner, Literal(b"}")))

    def key(self, name: str, value: Node) -> Node:
        """A key with its value."""
        return concat(Literal(json.dumps(name, ensure_ascii=False).encode()), self.colon, value)

    def value(self, value: Any) -> Node:
        """The one spelling of a given value (numbers as int or Decimal)."""
        if isinstance(value, list):
            return self.array(self._joined([self.value(item) for item in value]))
        if isinstance(value, dict):
            return self.object(self._joined([self.key(k, self.value(v)) for k, v in value.items()]))
        if isinstance(value, Decimal):
            return Literal(format(value, "f").encode())
        return Literal(json.dumps(value, ensure_ascii=False).encode())

    def _joined(self, items: list[Node]) -> Node:
        parts: list[Node] = []
        for item in items:
            parts.extend([self.comma, item] if parts else [item])
        return Concat(tuple(parts))


def spelling(style: str) -> Spelling:
    """`compact` {"a":1}, `spaced` {"a": 1, "b": 2}, or `flexible`: any mix of both and of lines.

    Flexible white space is at most one space, or one line break with indentation, at each place.
    """
    match style:
        case "compact":
            return Spelling(Literal(b","), Literal(b":"), EMPTY)
        case "spaced":
            return Spelling(Literal(b", "), Literal(b": "), EMPTY)
        case "flexible":
            comma = concat(Literal(b","), _FREE)
            return Spelling(comma, concat(Literal(b":"), optional(Literal(b" "))), _FREE)
    raise InvalidConstraintError(f"white space must be compact, spaced or flexible, not {style!r}")
