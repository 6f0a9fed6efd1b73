"""Owns YAML as values: libyaml's events, put together without recursion, scalars by the core schema
of YAML 1.2 (section 10.3.2), so that `on` and `no` are words.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import yaml

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL, _HEX = re.compile(r"0o[0-7]+"), re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (_INTEGER, int),
    (_OCTAL, lambda text: int(text[2:], 8)),
    (_HEX, lambda text: int(text[2:], 16)),
    (_FLOAT, float),
    (_NO_NUMBER, lambda text: float("nan")),
)
_DIGITS = 300
_MERGE = "<<"


def yaml_values(text: str, depth: int, most: int) -> list[Any]:
    """The documents of a YAML stream. ValueError for what is no YAML, nested deeper, or more values
    than `most`, those that `<<` brings in counted wherever it does.

    Values that aliases share are the same object: who walks them must count.
    """
    builder = _Builder(depth, most)
    try:
        for event in _events(text):
            builder.take(event)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error
    return builder.documents


def _events(text: str) -> Iterator[yaml.Event]:
    # Not a recursive reader: libyaml keeps its own stack.
    return iter(yaml.parse(text, Loader=_LOADER))


class _Builder:
    """Puts events together: a stack of open collections, of which mappings hold a waiting key."""

    def __init__(self, depth: int, most: int) -> None:
        self.documents: list[Any] = []
        self._depth = depth
        self._left = most
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str | None] = []
        self._anchors: dict[str, Any] = {}

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.DocumentStartEvent():
                self._anchors = {}
            case yaml.ScalarEvent():
                self._put(event.anchor, _scalar(event))
            case yaml.AliasEvent():
                if event.anchor not in self._anchors:
                    raise ValueError(f"the alias *{event.anchor} names nothing that stands before")
                self._put(None, self._anchors[event.anchor])
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                self._begin(event)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                self._merge(self._open.pop())
                self._keys.pop()

    def _begin(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> None:
        if len(self._open) >= self._depth:
            raise ValueError(f"it is nested more than {self._depth} deep")
        value: dict[str, Any] | list[Any]
        value = [] if isinstance(event, yaml.SequenceStartEvent) else {}
        self._put(event.anchor, value)
        self._open.append(value)
        self._keys.append(None)

    def _put(self, anchor: str | None, value: Any) -> None:
        if anchor is not None:
            self._anchors[anchor] = value
        into: Any = self._open[-1] if self._open else self.documents
        key = self._keys[-1] if self._open else None
        if isinstance(into, dict) and key is None:
            self._keys[-1] = _key(value)
            return
        self._count(1)
        if isinstance(into, list):
            into.append(value)
        elif key in into:
            raise ValueError(f"the key {key!r} stands twice")
        else:
            into[key], self._keys[-1] = value, None

    def _merge(self, value: dict[str, Any] | list[Any]) -> None:
        """`<<` brings the pairs of other mappings, which those that stand here outdo."""
        if not isinstance(value, dict) or _MERGE not in value:
            return
        others = value[_MERGE] if isinstance(value[_MERGE], list) else [value[_MERGE]]
        if not all(isinstance(other, dict) for other in others):
            raise ValueError("`<<` takes mappings")
        del value[_MERGE]
        for other in others:
            self._count(len(other))
            for name, one in list(other.items()):
                value.setdefault(name, one)

    def _count(self, values: int) -> None:
        self._left -= values
        if self._left < 0:
            raise ValueError("it holds too many values")


def _key(value: Any) -> str:
    """A key as JSON has it. ValueError for a collection."""
    match value:
        case dict() | list():
            raise ValueError("a collection can't be a key here")
        case str():
            return value
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def _scalar(event: yaml.ScalarEvent) -> Any:
    text, tag = event.value, (event.tag or "").removeprefix(_TAG)
    plain = event.implicit[0] and not event.style
    if tag == "str" or not (plain or tag in ("int", "float", "bool", "null")):
        return text
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= _DIGITS:
        for pattern, number in _NUMBERS:
            if pattern.fullmatch(text):
                return number(text)
    return text
