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
_ONE = Choice((EMPTY, Literal(b" "), _BREAK))
SPACE: Node = Repeat(ByteSet(((9, 10), (13, 13), (32, 32))), 0, None)


@dataclass(frozen=True, slots=True)
class Spelling:
    """Nodes for the tokens of JSON that white space may touch."""

    comma: Node
    colon: Node
    inner: Node  # inside a non-empty bracket pair, at both ends
    empty: Node = EMPTY  # inside an empty one

    def array(self, body: Node | None) -> Node:
        """A list with its items, or an empty one."""
        return self._bracketed(b"[", body, b"]")

    def object(self, body: Node | None) -> Node:
        """An object with its keys, or an empty one."""
        return self._bracketed(b"{", body, b"}")

    def _bracketed(self, left: bytes, body: Node | None, right: bytes) -> Node:
        inside = self.empty if body is None else Concat((self.inner, body, self.inner))
        return concat(Literal(left), inside, Literal(right))

    def key(self, name: str, value: Node) -> Node:
        """A key with its value."""
        return concat(Literal(json.dumps(name, ensure_ascii=False).encode()), self.colon, value)

    def value(self, value: Any) -> Node:
        """The one spelling of a given value (numbers as int or Decimal)."""
        if isinstance(value, list):
            return self.array(self._joined([self.value(item) for item in value]) if value else None)
        if isinstance(value, dict):
            keys = [self.key(name, self.value(item)) for name, item in value.items()]
            return self.object(self._joined(keys) if keys else None)
        if isinstance(value, Decimal):
            return Literal(format(value, "f").encode())
        return Literal(json.dumps(value, ensure_ascii=False).encode())

    def _joined(self, items: list[Node]) -> Node:
        parts: list[Node] = []
        for item in items:
            parts.extend([self.comma, item] if parts else [item])
        return Concat(tuple(parts))


def spelling(style: str) -> Spelling:
    """`compact` {"a":1}, `spaced` {"a": 1, "b": 2}, `flexible`: at each place at most one space,
    or one line break with indentation, or `free`: any white space at all.
    """
    match style:
        case "compact":
            return Spelling(Literal(b","), Literal(b":"), EMPTY)
        case "spaced":
            return Spelling(Literal(b", "), Literal(b": "), EMPTY)
        case "flexible":
            comma = concat(Literal(b","), _ONE)
            return Spelling(comma, concat(Literal(b":"), optional(Literal(b" "))), _ONE)
        case "free":
            comma, colon = (concat(SPACE, Literal(sign), SPACE) for sign in (b",", b":"))
            return Spelling(comma, colon, SPACE, empty=SPACE)
    raise InvalidConstraintError(f"there is no white space {style!r}")
