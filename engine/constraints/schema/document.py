"""Owns the schema document: reading it within bounds, its dialect, and where a `$ref` leads.

A place is named by its JSON pointer from the root ("" is the root). Nothing is ever fetched.
"""

import json
from math import isfinite
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

import jsonschema_rs

from engine.constraints.errors import InvalidConstraintError, TooLargeError, UnsupportedError
from engine.constraints.limits import Limits

# Values under these keywords are data, not schemas.
_DATA = frozenset({"enum", "const", "default", "examples", "example"})
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LEGACY = ("draft-03", "draft-04", "draft-05", "draft-06", "draft-07")


class SchemaDocument:
    """One schema with its places indexed. Raises a ConstraintError for a bad or huge one."""

    def __init__(self, source: str, limits: Limits) -> None:
        if len(source.encode(errors="surrogatepass")) > limits.source_bytes:
            raise TooLargeError(f"a schema may have at most {limits.source_bytes} bytes")
        self.root = read_json(source)
        if not isinstance(self.root, dict | bool):
            raise InvalidConstraintError("a schema must be a JSON object, true or false")
        self.legacy_ref = _is_legacy(self.root)
        self._limits = limits
        self._base: dict[str, str] = {}
        self._resources: dict[str, str] = {"": ""}
        self._anchors: dict[str, str] = {}
        self._index("", self.root, "", in_map=False, depth=0)
        _check_against_dialect(self.root)

    def at(self, place: str) -> Any:
        """The schema at a place."""
        value = self.root
        for part in place.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            value = value[int(key)] if isinstance(value, list) else value[key]
        return value

    def target(self, place: str, reference: str) -> str:
        """The place that a `$ref` found at `place` leads to."""
        url, fragment = urldefrag(_joined(self._base.get(place, ""), reference))
        root = self._resources.get(url)
        if root is None:
            raise UnsupportedError(f"unsupported keyword: $ref to another document ({reference})")
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            found = self._anchors.get(f"{url}#{fragment}")
        else:
            found = root + fragment
        if found is None or not self._is_schema(found):
            raise InvalidConstraintError(f"$ref {reference!r} leads to no schema")
        return found

    def _is_schema(self, place: str) -> bool:
        try:
            return isinstance(self.at(place), dict | bool)
        except (KeyError, IndexError, ValueError, TypeError):
            return False

    def _index(self, place: str, value: Any, base: str, in_map: bool, depth: int) -> None:
        if depth > self._limits.nesting:
            raise TooLargeError(f"a schema may nest at most {self._limits.nesting} levels")
        if isinstance(value, list):
            for i, item in enumerate(value):
                self._index(f"{place}/{i}", item, base, False, depth + 1)
        if not isinstance(value, dict):
            return
        if not in_map:
            base = self._named(place, value, base)
        self._base[place] = base
        for key, item in value.items():
            if in_map or key not in _DATA:
                inside = not in_map and key in _MAPS
                self._index(child(place, key), item, base, inside, depth + 1)

    def _named(self, place: str, value: dict[str, Any], base: str) -> str:
        """Record the names a schema gives itself; returns the base for references inside it."""
        identity = value.get("$id", value.get("id"))
        if isinstance(identity, str) and not ("$ref" in value and self.legacy_ref):
            url, fragment = urldefrag(_joined(base, identity))
            if fragment:
                self._anchors.setdefault(f"{url}#{fragment}", place)
            else:
                base = url
                self._resources.setdefault(url, place)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(value.get(keyword), str):
                self._anchors.setdefault(f"{base}#{value[keyword]}", place)
        return base


def _joined(base: str, reference: str) -> str:
    """A reference against its base; opaque bases such as URNs only take fragments."""
    return base + reference if reference.startswith("#") else urljoin(base, reference)


def child(place: str, *parts: str | int) -> str:
    """The place of something inside a schema."""
    for part in parts:
        place += "/" + str(part).replace("~", "~0").replace("/", "~1")
    return place


def read_json(source: str) -> Any:
    """Strict JSON without NaN, infinities or lone surrogates."""
    try:
        source.encode()
        value = json.loads(source, parse_constant=_no_constant, parse_float=_finite)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InvalidConstraintError("a schema may not hold lone surrogates") from error
    except (ValueError, RecursionError) as error:
        raise InvalidConstraintError(f"a schema must be valid JSON: {error}") from error
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"the number {text[:20]} is out of range")
    return number


def _is_legacy(root: Any) -> bool:
    """Whether the dialect ignores everything beside a `$ref` (up to draft 7)."""
    dialect = root.get("$schema") if isinstance(root, dict) else None
    return isinstance(dialect, str) and any(name in dialect for name in _LEGACY)


def _check_against_dialect(root: Any) -> None:
    try:
        jsonschema_rs.meta.validate(root)
    except jsonschema_rs.ValidationError as error:
        where = "/".join(str(part) for part in error.instance_path) or "the root"
        raise InvalidConstraintError(f"invalid schema at {where}: {error.message[:200]}") from error
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise UnsupportedError(f"unsupported keyword: $schema ({error})") from error
