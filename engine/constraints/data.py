"""Owns documents of data as values: what JSON, TOML and YAML text means, bounded in depth and size.

YAML is read by its 1.2 core schema from libyaml's events: no tag makes an object, and an alias
counts as often as it stands, so that a short text can't become a vast value.
"""

import json
import tomllib
from collections.abc import Callable
from datetime import date, datetime, time
from math import isfinite
from typing import Any

from engine.constraints.yaml_data import yaml_values

MAX_CHARS = 262_144
MAX_DEPTH = 100
MAX_VALUES = 100_000

Read = Callable[[str], list[Any]]


class DataError(ValueError):
    """A text is no document of its language, or one too large to be read."""


def documents(language: str, text: str) -> list[Any]:
    """The values of a text as JSON has them: one, but of YAML as many as it has documents.

    Dates are texts, a number that JSON has no word for is 0. DataError if the text can't be read.
    KeyError for a language that is not in `READERS`.
    """
    if len(text) > MAX_CHARS:
        raise DataError(f"it has over {MAX_CHARS} characters")
    try:
        values = READERS[language](text)
    except (ValueError, RecursionError) as error:
        raise DataError(str(error)) from error
    left = [MAX_VALUES]
    return [_plain(value, MAX_DEPTH, left) for value in values]


def _json(text: str) -> list[Any]:
    return [json.loads(text, parse_constant=refuse)]


def refuse(name: str) -> None:
    """What `json.loads` is to do with NaN and Infinity."""
    raise ValueError(f"{name} is not JSON")


def _toml(text: str) -> list[Any]:
    return [tomllib.loads(text)]


def _yaml(text: str) -> list[Any]:
    return yaml_values(text, MAX_DEPTH, MAX_VALUES)


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    """A value of JSON's types alone; `left` counts the values that may still come."""
    left[0] -= 1
    if depth < 0 or left[0] < 0:
        raise DataError("it is nested too deep" if depth < 0 else "it holds too many values")
    match value:
        case dict():
            return {key: _plain(one, depth - 1, left) for key, one in value.items()}
        case list():
            return [_plain(one, depth - 1, left) for one in value]
        case float() if not isfinite(value):
            return 0.0
        case datetime() | date() | time():
            return value.isoformat()
    return value


READERS: dict[str, Read] = {"json": _json, "toml": _toml, "yaml": _yaml}
"""What reads a language."""
