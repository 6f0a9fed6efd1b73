"""Which JSON Schema a document is held to, and where it is written. Pure: reads no file."""

import fnmatch
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from lsp_server.reading.lexing import read
from protocol.limits import SCHEMA_LIMIT

HEAD = 4096
"""Characters at the start of a document in which it may name its schema."""
_KEYS = {
    "json": re.compile(r'"\$schema"\s*:\s*"([^"\\\s]{1,2048})"'),
    "yaml": re.compile(
        r"^#[ \t]*yaml-language-server:[ \t]*\$schema=(\S{1,2048})"
        r"|^[\"']?\$schema[\"']?[ \t]*:[ \t]*[\"']?([^\s\"'#]{1,2048})",
        re.M,
    ),
    "toml": re.compile(r'^#:schema[ \t]+(\S{1,2048})|^"?\$schema"?[ \t]*=[ \t]*"([^"\s]+)"', re.M),
}
LANGUAGES = {"json": "json", "jsonc": "json", "yaml": "yaml", "toml": "toml"}


class SchemaError(Exception):
    """A schema can't be used; the message says why in plain words."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Files of this pattern are held to this schema: the schema itself, or where it is."""

    pattern: str
    schema: dict[str, Any] | str


def named_schema(text: str, language: str) -> str | None:
    """Where a document says its schema is; None if it doesn't say."""
    kind = LANGUAGES.get(language)
    if kind is None:
        return None
    head = text[:HEAD]
    for match in _KEYS[kind].finditer(head):
        if kind != "json" or read(head, "json").depth(match.start(), braces=True) == 1:
            return next(group for group in match.groups() if group)
    return None


def ruled_schema(
    path: PurePath, root: PurePath | None, rules: Sequence[Rule]
) -> dict[str, Any] | str | None:
    """The schema of the first rule that fits the path, the path from `root` or the name."""
    told = {path.name, path.as_posix()}
    if root is not None:
        told.add(path.relative_to(root).as_posix())
    for rule in rules:
        if any(fnmatch.fnmatchcase(name, rule.pattern) for name in told):
            return rule.schema
    return None


def local_path(place: str, folder: str) -> str:
    """The file that a schema's place names, seen from a folder; SchemaError if it is no file."""
    parts = urlsplit(place)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return unquote(parts.path)
    if parts.scheme and len(parts.scheme) > 1:  # one letter is a drive
        raise SchemaError(
            f"The schema {place} is not a local file; keep a copy of it and name that in `schemas`."
        )
    return str(PurePosixPath(folder) / unquote(place.partition("#")[0]))


def schema_text(source: bytes | dict[str, Any]) -> str:
    """A schema as the engine takes it: short JSON; SchemaError if it can't be taken."""
    try:
        schema = source if isinstance(source, dict) else json.loads(source)
        text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:
        raise SchemaError(f"The schema is not JSON: {error}.") from None
    if not isinstance(schema, dict | bool):
        raise SchemaError("A schema must be a JSON object.")
    if len(text) > SCHEMA_LIMIT:
        raise SchemaError(
            f"The schema has {len(text)} characters; the engine takes {SCHEMA_LIMIT}."
        )
    return text
