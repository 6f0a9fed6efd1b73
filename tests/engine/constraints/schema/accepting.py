"""Compiles schemas for the tests of the schema front-end."""

import json
from functools import lru_cache
from typing import Any

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.frontend import ByteLanguage, language_of
from engine.constraints.limits import Bounds, Limits
from engine.constraints.spec import JsonSchema


@lru_cache(maxsize=256)
def language(
    schema: str, whitespace: Any = "compact", bounds: Bounds | None = None
) -> ByteLanguage:
    return language_of(JsonSchema(schema=schema, whitespace=whitespace), Limits(), bounds)


def compiled(schema: Any) -> ByteDFA:
    return language(json.dumps(schema)).dfa


def accepts(schema: Any, value: Any) -> bool:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return compiled(schema).accepts(text.encode())
