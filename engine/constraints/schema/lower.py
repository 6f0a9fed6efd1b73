"""Owns the lowering of a schema's branches to expressions, one rule for each conj that is met."""

from collections.abc import Hashable
from dataclasses import dataclass

from engine.constraints.algebra import build, difference, intersection
from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.errors import TooLargeError
from engine.constraints.expression import (
    NOTHING,
    Call,
    Choice,
    Elements,
    Literal,
    Machine,
    Member,
    Members,
    Node,
    choice,
    concat,
)
from engine.constraints.limits import Bounds, Clock, Limits
from engine.constraints.regex import ANY_TEXT
from engine.constraints.schema.branches import (
    ANYTHING,
    Array,
    Boolean,
    Branch,
    Conj,
    Null,
    Number,
    Object,
    String,
    Values,
    item_at,
)
from engine.constraints.schema.document import SchemaDocument
from engine.constraints.schema.keywords import unsupported
from engine.constraints.schema.normalise import Normaliser
from engine.constraints.schema.numbers import INTEGER, NUMBER, number_node
from engine.constraints.schema.spelling import Spelling
from engine.constraints.schema.strings import QUOTE, StringLanguages, escaped, plain_string

_MOST_PATTERNS = 4


@dataclass(frozen=True, slots=True)
class Lowered:
    """A schema as an expression with its rules, and notes on what was cut or left out."""

    root: Node
    rules: dict[Hashable, Node]
    notes: frozenset[str]


def lower(document: SchemaDocument, style: Spelling, limits: Limits, bounds: Bounds) -> Lowered:
    """Schema -> expression. Raises UnsupportedError naming the first keyword it can't hold to."""
    return _Lowering(document, style, limits, bounds).run()


class _Lowering:
    def __init__(
        self, document: SchemaDocument, style: Spelling, limits: Limits, bounds: Bounds
    ) -> None:
        self._style, self._limits, self._bounds = style, limits, bounds
        self._clock = Clock(limits.seconds)
        self._strings = StringLanguages(limits, bounds)
        self._normaliser = Normaliser(document, self._strings, limits)
        self._judge = self._normaliser.judge
        self._rules: dict[Hashable, Node] = {}
        self._level: dict[Conj, int] = {}
        self._todo: list[Conj] = []
        self._any: dict[int, Node] = {}
        self._numbers: dict[Number, Node] = {}
        self._keys: dict[frozenset[str], ByteDFA] = {}
        self._notes: set[str] = set()

    def run(self) -> Lowered:
        root = self._value(frozenset({""}), 0)
        while self._todo:
            conj = self._todo.pop(0)
            self._clock.check()
            self._rules[conj] = self._conj(conj, self._level[conj])
        return Lowered(root, self._rules, frozenset(self._notes | self._strings.notes))

    def _value(self, conj: Conj, level: int) -> Node:
        """A value of a conj at a nesting level; places where anything goes are bounded in depth."""
        if not conj or self._normaliser.branches(conj) == self._normaliser.branches(ANYTHING):
            return self._anything(self._bounds.any_depth)
        if conj not in self._level:
            if len(self._level) >= self._limits.rules:
                raise TooLargeError(f"the schema needs more than {self._limits.rules} rules")
            self._level[conj] = level
            self._todo.append(conj)
        return Call(conj)

    def _anything(self, depth: int) -> Node:
        """Any JSON value, nested at most `depth` deep."""
        if depth not in self._any:
            simple = (Literal(b"null"), Literal(b"true"), Literal(b"false"), NUMBER, plain_string())
            if depth == 0:
                nested: tuple[Node, ...] = ()
            else:
                item = self._anything(depth - 1)
                entry = concat(plain_string(), self._style.colon, item)
                nested = (
                    self._style.array(Elements((), item, self._style.comma, 1, None)),
                    self._style.object(Members((), entry, self._style.comma, 1, None)),
                )
            self._notes.add(f"values of any kind nested deeper than {self._bounds.any_depth}")
            hollow = (self._style.array(None), self._style.object(None))
            self._any[depth] = Choice((*simple, *hollow, *nested))
        return self._any[depth]

    def _conj(self, conj: Conj, level: int) -> Node:
        return Choice(tuple(self._branch(b, level) for b in self._normaliser.branches(conj)))

    def _branch(self, branch: Branch, level: int) -> Node:
        match branch:
            case Null():
                return Literal(b"null")
            case Boolean():
                return choice(Literal(b"true"), Literal(b"false"))
            case Number():
                return self._number(branch)
            case String():
                return self._strings.spelled(branch)
            case Array():
                return self._array(branch, level)
            case Object():
                return self._object(branch, level)
            case Values():
                return Choice(tuple(self._style.value(value) for value in branch.values()))
        raise AssertionError(f"no such branch: {branch!r}")

    def _number(self, branch: Number) -> Node:
        if branch == Number(integer=True):
            return INTEGER
        if branch not in self._numbers:
            self._numbers[branch] = number_node(branch, self._limits)
        return self._numbers[branch]

    def _array(self, branch: Array, level: int) -> Node:
        first: list[Node] = []
        high = branch.high
        for place in range(len(branch.first)):
            conj = item_at(branch, place)
            if conj is None or self._judge.no_value(conj):
                high = place if high is None else min(high, place)
                break
            first.append(self._value(conj, level + 1))
        rest = None
        if branch.rest is not None and not self._judge.no_value(branch.rest):
            rest = self._value(branch.rest, level + 1)
        elif high is None or high > len(first):
            high = len(first)
        if high is not None and high < branch.low:
            return NOTHING
        ways = [self._style.array(None)] if branch.low == 0 else []
        if high != 0:
            low = max(branch.low, 1)
            body = Elements(tuple(first), rest, self._style.comma, low, high)
            ways.append(self._style.array(body))
        return Choice(tuple(ways))

    def _object(self, branch: Object, level: int) -> Node:
        listed = dict.fromkeys(key for layer in branch.layers for key, _ in layer.listed)
        keys = [*listed, *(key for key in branch.required if key not in listed)]
        named, entries = set(keys), []
        for key in keys:
            conj = self._judge.value_conj(branch, key)
            required = key in branch.required
            if conj is None or self._judge.no_value(conj) or not self._name_holds(branch, key):
                if required:
                    return NOTHING
            elif required or level < self._bounds.optional_depth:
                entries.append(Member(self._entry(key, conj, level), required))
            else:
                self._notes.add(f"optional keys nested {self._bounds.optional_depth} levels deep")
        free = self._free(branch, frozenset(named | branch.forbidden), bool(listed), level)
        if branch.low > len(entries) + (free is not None):
            if free is None:
                return NOTHING
            raise unsupported("minProperties", "an object", "more keys than are listed")
        return self._braces(branch, tuple(entries), free)

    def _braces(self, branch: Object, entries: tuple[Member, ...], free: Node | None) -> Node:
        must = sum(entry.required for entry in entries)
        if branch.high is not None and max(must, branch.low) > branch.high:
            return NOTHING
        ways = [] if must or branch.low else [self._style.object(None)]
        if branch.high != 0 and (entries or free is not None):
            low = max(branch.low, 1)
            body = Members(entries, free, self._style.comma, low, branch.high)
            ways.append(self._style.object(body))
        return Choice(tuple(ways))

    def _entry(self, key: str, conj: Conj, level: int) -> Node:
        return self._style.key(key, self._value(conj, level + 1))

    def _name_holds(self, branch: Object, key: str) -> bool:
        return self._judge.satisfies(key, branch.names)

    def _free(self, branch: Object, taken: frozenset[str], listed: bool, level: int) -> Node | None:
        """One key-value pair whose key no schema lists, or None where there is none."""
        patterns = dict.fromkeys(p for layer in branch.layers for p, _ in layer.patterns)
        implicit = all(layer.implicit for layer in branch.layers)
        if (listed and implicit and not patterns) and self._bounds.unlisted != "always":
            self._notes.add("keys that the schema does not list")
            return None
        if listed and not patterns and self._bounds.unlisted == "never":
            self._notes.add("keys that the schema does not list")
            return None
        if level >= self._bounds.optional_depth:
            return None
        if len(patterns) > _MOST_PATTERNS:
            raise unsupported("patternProperties", "an object", f"more than {_MOST_PATTERNS}")
        languages = self._key_languages(branch, list(patterns), taken)
        ways = [self._free_entry(key, conj, level) for key, conj in languages]
        return Choice(tuple(ways)) if ways else None

    def _free_entry(self, keys: ByteDFA | None, conj: Conj, level: int) -> Node:
        value = self._value(conj, level + 1)
        name = plain_string() if keys is None else concat(QUOTE, Machine(escaped(keys)), QUOTE)
        return concat(name, self._style.colon, value)

    def _key_languages(
        self, branch: Object, patterns: list[str], taken: frozenset[str]
    ) -> list[tuple[ByteDFA | None, Conj]]:
        """Languages of unlisted keys, each with what its value must satisfy (None: any key)."""
        if not patterns and not taken and not branch.names:
            return [(None, conj) for conj in self._value_of_free(branch, set())]
        parts: list[tuple[ByteDFA, set[str]]] = [(self._open_keys(branch, taken), set())]
        for pattern in patterns:
            surely, maybe = self._strings.both_sides(pattern)
            inside = [(intersection(k, surely, self._limits), m | {pattern}) for k, m in parts]
            outside = [(difference(k, maybe, self._limits), m) for k, m in parts]
            parts = [part for part in (*inside, *outside) if not part[0].empty]
        return [(keys, conj) for keys, m in parts for conj in self._value_of_free(branch, m)]

    def _value_of_free(self, branch: Object, matched: set[str]) -> list[Conj]:
        """The conj for unlisted keys that match exactly these patterns; [] if none may appear."""
        found: Conj = ANYTHING
        for layer in branch.layers:
            here = [conj for pattern, conj in layer.patterns if pattern in matched]
            if not here and layer.extra is None:
                return []
            found = found.union(*(here or [layer.extra or ANYTHING]))
        return [] if self._judge.no_value(found) else [found]

    def _open_keys(self, branch: Object, taken: frozenset[str]) -> ByteDFA:
        if taken not in self._keys:
            every = build(ANY_TEXT, self._limits, self._bounds)
            names = Choice(tuple(Literal(key.encode()) for key in sorted(taken)))
            listed = build(names, self._limits, self._bounds)
            self._keys[taken] = difference(every, listed, self._limits)
        keys = self._keys[taken]
        if not branch.names:
            return keys
        strings = [b for b in self._normaliser.branches(branch.names) if not _no_text(b)]
        found = [self._name_texts(name) for name in strings]
        named = build(Choice(tuple(Machine(dfa) for dfa in found)), self._limits, self._bounds)
        return intersection(keys, named, self._limits)

    def _name_texts(self, branch: Branch) -> ByteDFA:
        if isinstance(branch, Values):
            texts = [value for value in branch.values() if isinstance(value, str)]
            node = Choice(tuple(Literal(text.encode()) for text in texts))
            return build(node, self._limits, self._bounds)
        assert isinstance(branch, String)
        return self._strings.texts(branch)


def _no_text(branch: Branch) -> bool:
    return not isinstance(branch, String | Values)
