"""Owns the parsers whose word on a whole document is final: Python's own and strict JSON."""

import ast
import json
import warnings
from collections.abc import Callable

from engine.constraints.data import refuse

MAX_DOCUMENT = 1_048_576
"""Characters; a longer document doesn't parse."""

Parses = Callable[[str], bool]


def parses_python(document: str) -> bool:
    """Whether a document is Python."""
    if len(document) > MAX_DOCUMENT:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(document)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def parses_json(document: str) -> bool:
    """Whether a document is JSON."""
    if len(document) > MAX_DOCUMENT:
        return False
    try:
        json.loads(document, parse_constant=refuse)
    except (ValueError, RecursionError):
        return False
    return True
