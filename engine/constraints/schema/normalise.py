"""Owns the way from a conj of schemas to its branches: references, combinators, given values."""

from collections.abc import Iterable
from typing import Any

from engine.constraints.errors import CircularError, TooLargeError
from engine.constraints.limits import Clock, Limits
from engine.constraints.schema.branches import (
    ALL,
    Branch,
    Conj,
    Object,
    Values,
    canonical,
)
from engine.constraints.schema.document import SchemaDocument, child
from engine.constraints.schema.judge import Judge
from engine.constraints.schema.keywords import refuse_unsupported, unsupported
from engine.constraints.schema.overlap import without
from engine.constraints.schema.strings import StringLanguages
from engine.constraints.schema.typed import typed_branches

_MOST_BRANCHES = 512
_CIRCLE = "a schema that leads straight back to itself"

Branches = tuple[Branch, ...]


class Normaliser:
    """Branches of any conj of one document, each worked out once."""

    def __init__(self, document: SchemaDocument, strings: StringLanguages, limits: Limits) -> None:
        self._document = document
        self._known: dict[str, Branches] = {}
        self._conjs: dict[Conj, Branches] = {}
        self._open: list[str] = []
        self._clock = Clock(limits.seconds)
        self.judge = Judge(self.branches, strings, limits)

    def branches(self, conj: Conj) -> Branches:
        """The alternatives of a conj; () if no value can satisfy it."""
        if conj not in self._conjs:
            found: Branches = ALL
            for place in sorted(conj):
                found = self._meet(found, self._schema(place))
            self._conjs[conj] = found
        return self._conjs[conj]

    def _schema(self, place: str) -> Branches:
        if place in self._known:
            return self._known[place]
        if place in self._open:
            raise CircularError(str(unsupported("$ref", place, _CIRCLE)))
        self._clock.check()
        self._open.append(place)
        try:
            self._known[place] = self._read(self._document.at(place), place)
        finally:
            self._open.pop()
        return self._known[place]

    def _read(self, schema: Any, place: str) -> Branches:
        if isinstance(schema, bool):
            return ALL if schema else ()
        if "$ref" in schema and self._document.legacy_ref:
            return self._schema(self._document.target(place, schema["$ref"]))
        refuse_unsupported(schema, place)
        found: Branches = tuple(typed_branches(schema, place))
        if "enum" in schema or "const" in schema:
            values = schema.get("enum", [schema.get("const")])
            if "enum" in schema and "const" in schema:
                values = [v for v in values if canonical(v) == canonical(schema["const"])]
            texts = tuple(dict.fromkeys(canonical(value) for value in values))
            found = self._meet(found, (Values(texts),))
        for alternatives in self._combined(schema, place):
            found = self._meet(found, alternatives)
        return found

    def _combined(self, schema: dict[str, Any], place: str) -> Iterable[Branches]:
        """The branches of each combinator, all of which must hold."""
        if "$ref" in schema:
            yield self._schema(self._document.target(place, schema["$ref"]))
        for i in range(len(schema.get("allOf", []))):
            yield self._schema(child(place, "allOf", i))
        if "anyOf" in schema:
            parts = [self._schema(child(place, "anyOf", i)) for i in range(len(schema["anyOf"]))]
            yield self._union(parts)
        if "oneOf" in schema:
            yield self._exactly_one(schema, place)
        if "not" in schema:
            yield self._negated(schema["not"], child(place, "not"))
        yield from self._dependent(schema, place)

    def _union(self, parts: Iterable[Branches]) -> Branches:
        found = tuple(dict.fromkeys(branch for part in parts for branch in part))
        if len(found) > _MOST_BRANCHES:
            raise TooLargeError(f"a schema has more than {_MOST_BRANCHES} alternatives")
        return found

    def _meet(self, one: Branches, other: Branches) -> Branches:
        if one in (ALL, other):
            return other
        pairs = (self.judge.meet(a, b) for a in one for b in other)
        return self._union([tuple(branch for branch in pairs if branch is not None)])

    def _exactly_one(self, schema: dict[str, Any], place: str) -> Branches:
        """oneOf: the parts of each alternative that no other one accepts."""
        parts = [self._schema(child(place, "oneOf", i)) for i in range(len(schema["oneOf"]))]
        kept: list[Branch] = []
        for i, part in enumerate(parts):
            others = [branch for j, other in enumerate(parts) if j != i for branch in other]
            for branch in part:
                rest = without(branch, others, self.judge)
                if rest is None:
                    raise unsupported("oneOf", place, "alternatives that overlap")
                kept.extend(rest)
        return self._union([tuple(kept)])

    def _negated(self, schema: Any, place: str) -> Branches:
        """`not`, where what is left can be said in branches."""
        if isinstance(schema, bool):
            return () if schema else ALL
        words = schema.keys() - {"$comment", "description", "title"}
        if not words:
            return ()
        if words == {"not"}:
            return self._schema(child(place, "not"))
        if words == {"required"}:
            return tuple(Object(forbidden=frozenset({key})) for key in schema["required"])
        if words == {"anyOf"}:
            found: Branches = ALL
            for i, part in enumerate(schema["anyOf"]):
                found = self._meet(found, self._negated(part, child(place, "anyOf", i)))
            return found
        branches = self._schema(place)
        kept: list[Branch] = []
        for branch in ALL:
            rest = without(branch, list(branches), self.judge) if words <= _NEGATABLE else None
            if rest is None:
                raise unsupported("not", place)
            kept.extend(rest)
        return tuple(kept)

    def _dependent(self, schema: dict[str, Any], place: str) -> Iterable[Branches]:
        """A key's presence asks for other keys or another schema: it is absent, or they hold."""
        keyed = [
            (word, key, value)
            for word in ("dependentRequired", "dependentSchemas", "dependencies")
            for key, value in schema.get(word, {}).items()
        ]
        others = tuple(branch for branch in ALL if not isinstance(branch, Object))
        for word, key, value in keyed:
            absent = Object(forbidden=frozenset({key}))
            if isinstance(value, list):
                present: Branches = (Object(required=(key, *value)),)
            else:
                held = self._schema(child(place, word, key))
                present = self._meet((Object(required=(key,)),), held)
            yield self._union([others, (absent,), present])


_NEGATABLE = frozenset({"type", "enum", "const"})
