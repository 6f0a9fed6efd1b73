"""Owns the expressions every front-end lowers to; they describe languages over bytes, never tokens.

Nodes are compared by identity, so that shared parts of a graph are built once.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.constraints.byte_dfa import ByteDFA

Ranges = tuple[tuple[int, int], ...]  # inclusive, sorted, disjoint


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Base of all expressions."""


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Node):
    """Exactly these bytes; b"" is the empty text."""

    text: bytes


@dataclass(frozen=True, slots=True, eq=False)
class ByteSet(Node):
    """One byte out of `ranges`; no ranges: nothing at all matches."""

    ranges: Ranges


@dataclass(frozen=True, slots=True, eq=False)
class CharSet(Node):
    """One character out of code-point `ranges`, spelled in UTF-8; surrogates never match."""

    ranges: Ranges


@dataclass(frozen=True, slots=True, eq=False)
class Concat(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Node):
    """One of `items`; none: nothing at all matches."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Repeat(Node):
    """`item` at least `low` and at most `high` times (None: without bound)."""

    item: Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Machine(Node):
    """A language that is already an automaton."""

    dfa: "ByteDFA"


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """The language of a named rule; rules may call each other, to a bounded depth."""

    rule: Hashable


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """One entry of `Members`: its text, and whether it may be left out."""

    node: Node
    required: bool


@dataclass(frozen=True, slots=True, eq=False)
class Members(Node):
    """Entries in their fixed order with `separator` between those present, then `free` ones.

    At least `low` entries (where any number of free ones counts as one) and at most `high`.
    """

    entries: tuple[Member, ...]
    free: Node | None
    separator: Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Elements(Node):
    """A separated list: the i-th element is first[i], later ones are `rest` (None: no more)."""

    first: tuple[Node, ...]
    rest: Node | None
    separator: Node
    low: int
    high: int | None


NOTHING = ByteSet(())
EMPTY = Literal(b"")


def concat(*items: Node) -> Node:
    """The items one after another."""
    return items[0] if len(items) == 1 else Concat(items)


def choice(*items: Node) -> Node:
    """Any one of the items."""
    return items[0] if len(items) == 1 else Choice(items)


def optional(item: Node) -> Node:
    """The item or the empty text."""
    return Choice((item, EMPTY))


def children(node: Node) -> tuple[Node, ...]:
    """The expressions directly inside a node."""
    match node:
        case Concat(items) | Choice(items):
            return items
        case Repeat(item, _, _):
            return (item,)
        case Members(entries, free, separator, _, _):
            inner = tuple(entry.node for entry in entries)
            return (*inner, separator) if free is None else (*inner, separator, free)
        case Elements(first, rest, separator, _, _):
            return (*first, separator) if rest is None else (*first, separator, rest)
        case _:
            return ()
