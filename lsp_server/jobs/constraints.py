"""What an answer is held to: the schema of the file, else that it parses."""

from pathlib import Path
from typing import Any

from lsp_server.documents import Document
from lsp_server.reading.schemas import (
    LANGUAGES,
    Rule,
    SchemaError,
    local_path,
    named_schema,
    ruled_schema,
    schema_text,
)
from lsp_server.server import RetouchServer
from protocol.constraint import Constraint, JsonSchema, Syntax
from protocol.limits import FILE_LIMIT
from protocol.messages import ContextFile

SYNTAX_SCHEMA = "constraint:syntax_schema"
MOST_BYTES = 256 * 1024
CHECKED = frozenset(
    {"python", "json", "javascript", "typescript", "go", "rust", "java", "c", "cpp"}
)
"""Languages whose answers are asked to parse, where the engine doesn't name the ones it checks."""


def constraint_of(server: RetouchServer, document: Document) -> Constraint | None:
    """What an answer in this document is held to, as far as the engine can do that.

    JSON keeps to its schema by construction, YAML and TOML as a whole: answers are tried until one
    breaks nothing of it.
    """
    able, data = server.link.capabilities, LANGUAGES.get(document.language)
    if data is not None and (text := _schema(server, document)):
        if data == "json" and "constraint:json_schema" in able:
            return JsonSchema(schema=text, scope="document")
        if SYNTAX_SCHEMA in able:
            return Syntax(language=data, schema=text)
        server.tell_once("This engine can't hold answers to a JSON Schema; they may not validate.")
    return _syntax(document.language, able) if server.settings.syntax else None


def looser(constraint: Constraint) -> Constraint | None:
    """What to ask where a constraint is refused: a JSON document that can't be made to fit its
    schema should at least break it nowhere else; then nothing."""
    if isinstance(constraint, JsonSchema):
        return Syntax(language="json", schema=constraint.schema)
    return None


def schema_file(server: RetouchServer, document: Document) -> ContextFile | None:
    """The schema as a file to look at, where no answer follows it token by token: YAML and TOML."""
    if LANGUAGES.get(document.language) in (None, "json"):
        return None
    text = _schema(server, document)
    return ContextFile("schema.json", text) if text and len(text) <= FILE_LIMIT else None


def _syntax(language: str, able: frozenset[str]) -> Syntax | None:
    named = {name.removeprefix("constraint:syntax:") for name in able}
    named &= {name for name in named if f"constraint:syntax:{name}" in able}
    if language in named or (not named and language in CHECKED and "constraint:syntax" in able):
        return Syntax(language=language, scope="document", best_effort=True)
    return None


def _schema(server: RetouchServer, document: Document) -> str | None:
    """The text of the document's schema; what is wrong with it is told once, in the log."""
    path = document.path
    if path is None:
        return None
    rules = [Rule(rule.pattern, rule.schema) for rule in server.settings.schemas]
    found = named_schema(document.text.value, document.language)
    source = found or ruled_schema(path.as_posix(), rules)
    if source is None:
        return None
    try:
        return schema_text(_content(source, Path(path).parent))
    except SchemaError as error:
        server.tell_once(str(error))
        return None


def _content(source: str | dict[str, Any], folder: Path) -> bytes | dict[str, Any]:
    """The schema itself, or the file it is in; SchemaError if that can't be read."""
    if isinstance(source, dict):
        return source
    path = Path(local_path(source, folder.as_posix()))
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise SchemaError(f"The schema {path} is no file of at most {MOST_BYTES} bytes.")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise SchemaError(f"The schema {source} can't be read: {error}.") from None
